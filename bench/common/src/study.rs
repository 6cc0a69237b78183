//! Studies of the harness: time per operation, ratios and differences between operations, and scaling over threads come from
//! them. A benchmark keeps a loop of its own only for what a study does not measure, and says why there.

use std::time::Duration;

use chronoscope_harness::record::Tool;
use chronoscope_harness::record::study::StudyRecord;
use chronoscope_harness::{Study, StudyOptions};

use crate::Failure;
use crate::process::failed;

/// The options of a study that takes so many seconds, all of so many processes together.
pub fn options((seconds, processes): (f64, u32)) -> StudyOptions {
    let budget = Some(Duration::from_secs_f64(seconds));
    StudyOptions { budget, processes: Some(processes), ..StudyOptions::default() }
}

pub fn run(study: &Study, options: &StudyOptions) -> Result<StudyRecord, Failure> {
    let tool = Tool { name: "chronoscope's benchmarks".into(), version: env!("CARGO_PKG_VERSION").into() };
    let record = study.run(options, tool, &mut ()).map_err(failed(study.name()))?;
    match record.study().failures.first() {
        Some(failure) => Err(Failure::run(format!("{}, {}: {}", failure.case, failure.at, failure.reason))),
        None => Ok(record),
    }
}
