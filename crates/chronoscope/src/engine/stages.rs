//! How a part of a plan can end.

use chronoscope_harness::worker::WorkerFailure;

/// Why a part was not completed.
pub enum StageError {
    /// Part of it failed.
    Incomplete(String),
    /// There was nothing to do, or no time to do it.
    Skipped(String),
    Failed(String),
}

/// How a part of a plan ends.
pub type StageResult = Result<(), StageError>;

/// The report of a section after one of its parts, and how that ended; only why it failed if the report is as before.
pub type Found<R> = Result<(R, StageResult), StageError>;

impl From<WorkerFailure> for StageError {
    fn from(failure: WorkerFailure) -> Self {
        if failure == WorkerFailure::Cancelled {
            Self::Skipped(failure.to_string())
        } else {
            Self::Failed(failure.to_string())
        }
    }
}

/// Skips a part whose means only Linux has.
///
/// # Errors
/// Elsewhere: `what`, "on Linux only".
pub fn needs_linux(what: &str) -> StageResult {
    if cfg!(target_os = "linux") { Ok(()) } else { Err(StageError::Skipped(format!("{what} on Linux only"))) }
}

/// The outcome of a part with `tried` pieces, of which some failed for `reasons`.
pub fn outcome(tried: usize, reasons: Vec<String>) -> StageResult {
    let failed = reasons.len();
    let Some(first) = reasons.into_iter().next() else { return Ok(()) };
    let told = if failed > 1 { format!("{first} ({failed} of {tried} failed)") } else { first };
    Err(if failed == tried { StageError::Failed(told) } else { StageError::Incomplete(told) })
}
