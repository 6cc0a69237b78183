//! How a run's options apply to a study.

use std::time::Duration;

use chronoscope_bench::{Failure, Interrupt, StudyProgress};
use chronoscope_harness::record::Tool;
use chronoscope_harness::{Start, StudyOptions};

use crate::plan::{Depth, ascending, within};
use crate::run_options::RunOptions;

/// Time multipliers of a study for `--quick` and `--thorough`.
const QUICK: f64 = 0.25;
const THOROUGH: f64 = 2.0;
/// The shortest and the longest run allowed.
const DURATIONS: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(24 * 3600));

pub fn options(run: &RunOptions) -> Result<StudyOptions, Failure> {
    let budget = run.duration.map(|duration| within(duration, DURATIONS, "duration")).transpose()?;
    let depth = match Depth::of(run) {
        Depth::Quick => QUICK,
        Depth::Normal => 1.0,
        Depth::Thorough => THOROUGH,
    };
    let cpus = run.cpus.clone().map(|list| list.0);
    Ok(StudyOptions { budget, depth, cpus, ..StudyOptions::default() })
}

/// The number of CPUs available to threads.
pub fn cpus(run: &RunOptions, start: &Start) -> u32 {
    let count = match &run.cpus {
        Some(list) => ascending(&list.0).len(),
        None => start.allowed_cpus().len(),
    };
    u32::try_from(count).unwrap_or(u32::MAX).max(1)
}

/// What `measure` found while it showed its progress, unless the run is `quiet`.
pub fn shown<T>(quiet: bool, measure: impl FnOnce(&mut StudyProgress) -> T) -> T {
    let mut progress = StudyProgress::new(quiet, Interrupt::listen());
    let found = measure(&mut progress);
    progress.finish();
    found
}

/// This program.
pub fn tool() -> Tool {
    Tool { name: env!("CARGO_PKG_NAME").to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
}
