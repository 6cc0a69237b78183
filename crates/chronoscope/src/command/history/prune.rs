use std::process::ExitCode;

use chronoscope_bench::{Failure, print};
use chronoscope_render::words::counted;
use jiff::Timestamp;

use super::opened::{refused, to_read};
use super::options::PruneOptions;
use crate::history::{History, Scope, file};

/// Removes old runs.
pub fn run(options: &PruneOptions) -> Result<ExitCode, Failure> {
    let none = to_read()?.runs(&Scope { machine: None, most: Some(1) }).map_err(refused)?.is_empty();
    let removed = if none {
        0
    } else {
        let age_s = options.older_than.map(|age| i64::try_from(age.as_secs()).unwrap_or(i64::MAX));
        let before_s = age_s.map(|age_s| Timestamp::now().as_second().saturating_sub(age_s));
        let mut history = History::to_write(file().map_err(Failure::usage)?).map_err(refused)?;
        history.prune(options.keep, before_s).map_err(refused)?
    };
    print(&format!("{} removed\n", counted(removed as u64, "run", "runs")))?;
    Ok(ExitCode::SUCCESS)
}
