//! How a part of a plan can end, and which clocks it can read.

use crate::clock_id::ClockId;
use crate::document::Record;
use crate::sections::clocks::report::ClockReport;
use chronoscope_harness::worker::WorkerFailure;

/// Why a part was not completed.
pub enum StageError {
    /// Part of it failed.
    Incomplete(String),
    /// There was nothing to do, or no time to do it.
    Skipped(String),
    /// All of it failed.
    Failed(String),
}

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
pub fn needs_linux(what: &str) -> Result<(), StageError> {
    if cfg!(target_os = "linux") { Ok(()) } else { Err(StageError::Skipped(format!("{what} on Linux only"))) }
}

/// The clocks in `among` that can be read.
pub fn available(record: &Record, among: &[ClockId]) -> Vec<ClockId> {
    let is_available = |id: &&ClockId| record.clocks.iter().any(|clock| clock.available && clock.name == **id);
    among.iter().filter(is_available).cloned().collect()
}

/// As [`available`], for a part that needs at least one.
pub fn readable(record: &Record, among: &[ClockId]) -> Result<Vec<ClockId>, StageError> {
    let clocks = available(record, among);
    if clocks.is_empty() {
        let reason = record.clocks.iter().find_map(|clock| clock.reason_unavailable.as_deref());
        let because = reason.map_or_else(String::new, |reason| format!(": {reason}"));
        return Err(StageError::Skipped(format!("none of the planned clocks can be read{because}")));
    }
    Ok(clocks)
}

pub fn clock_mut<'r>(record: &'r mut Record, id: &ClockId) -> Option<&'r mut ClockReport> {
    record.clocks.iter_mut().find(|clock| clock.name == *id)
}

/// The outcome of a part with `tried` pieces, of which some failed for `reasons`.
pub fn outcome(tried: usize, reasons: Vec<String>) -> Result<(), StageError> {
    let failed = reasons.len();
    let Some(first) = reasons.into_iter().next() else { return Ok(()) };
    let told = if failed > 1 { format!("{first} ({failed} of {tried} failed)") } else { first };
    Err(if failed == tried { StageError::Failed(told) } else { StageError::Incomplete(told) })
}
