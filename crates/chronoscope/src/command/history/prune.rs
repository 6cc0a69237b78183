use std::process::ExitCode;

use chronoscope_bench::{Failure, Format, print};
use chronoscope_render::words::counted;
use jiff::Timestamp;
use serde_json::json;

use super::opened::{refused, to_read};
use super::options::PruneOptions;
use crate::history::{History, Pruned, Scope, file};

/// Removes old runs.
pub fn run(options: &PruneOptions) -> Result<ExitCode, Failure> {
    let none = to_read()?.runs(&Scope { machine: None, most: Some(1) }).map_err(refused)?.is_empty();
    let file = file().map_err(Failure::usage)?;
    let Pruned { removed, reason_not_shrunk } = if none {
        Pruned::default()
    } else {
        let age_s = options.older_than.map(|age| i64::try_from(age.as_secs()).unwrap_or(i64::MAX));
        let before_s = age_s.map(|age_s| Timestamp::now().as_second().saturating_sub(age_s));
        let mut history = History::to_write(file.clone()).map_err(refused)?;
        history.prune(options.keep, before_s).map_err(refused)?
    };
    print(&match options.format {
        Format::Json => {
            let file = file.to_string_lossy();
            format!("{:#}\n", json!({ "file": file, "removed": removed, "reason_not_shrunk": reason_not_shrunk }))
        }
        Format::Human => {
            let size = reason_not_shrunk.map(|why| format!("; the file keeps its size: {why}")).unwrap_or_default();
            format!("{} removed{size}\n", counted(removed as u64, "run", "runs"))
        }
    })?;
    Ok(ExitCode::SUCCESS)
}
