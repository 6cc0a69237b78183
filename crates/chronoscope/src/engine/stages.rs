//! The parts of a plan, one file each: what to ask of workers, and where in the record the answers go.

use crate::sections::causality::measure as causality;
use crate::sections::clocks::granularity::measure as granularity;
use crate::sections::clocks::intervals::measure as intervals;
use crate::sections::clocks::latency::measure as latency;
use crate::sections::clocks::library_clock::measure as library_clock;
use crate::sections::clocks::paths::measure as paths;
use crate::sections::contention::measure as monotime;
use crate::sections::pauses::measure as pause;
use crate::sections::reads::measure as reads;
use crate::sections::runtimes::measure as runtimes;
use crate::sections::thread_release::measure as latch;

use super::session::Session;
use crate::record::{ClockReport, Part, Record};
use crate::worker::WorkerFailure;

/// Why a part was not done whole.
pub enum StageError {
    /// Some of it could not be had.
    Incomplete(String),
    /// There was nothing to do, or no time to do it.
    Skipped(String),
    /// None of it could be had.
    Failed(String),
}

impl From<WorkerFailure> for StageError {
    fn from(failure: WorkerFailure) -> Self {
        if failure.is_cancelled() { Self::Skipped(failure.to_string()) } else { Self::Failed(failure.to_string()) }
    }
}

/// Does `part` and writes what it found into `record`.
pub fn run(part: Part, session: &mut Session<'_>, record: &mut Record) -> Result<(), StageError> {
    if session.observer.cancelled() {
        return Err(StageError::Skipped("the run was stopped".to_owned()));
    }
    match part {
        Part::Paths => paths::run(session, record),
        Part::Latency => latency::run(session, record),
        Part::Granularity => granularity::run(session, record),
        Part::Reads => reads::run(session, record),
        Part::Offsets => causality::offsets(session, record),
        Part::Litmus => causality::litmus(session, record),
        Part::Intervals => intervals::run(session, record),
        Part::Monotime => monotime::run(session, record),
        Part::Latch => latch::run(session, record),
        Part::Pause => pause::run(session, record),
        Part::Runtimes => runtimes::run(session, record),
    }
}

/// Goes back to what a busy moment spoiled, and asks the library's clock how it fares here.
pub fn finish(session: &mut Session<'_>, record: &mut Record) {
    latency::finish(session, record);
    add_suffered(Part::Latency, session, record);
    intervals::finish(session, record);
    add_suffered(Part::Intervals, session, record);
    causality::finish(session, record);
    add_suffered(Part::Litmus, session, record);
    library_clock::finish(session, record);
}

/// Counts what workers suffered since it was last taken against `part`.
pub fn add_suffered(part: Part, session: &Session<'_>, record: &mut Record) {
    let suffered = session.take_suffered();
    if let Some(report) = record.parts.iter_mut().find(|report| report.part == part) {
        report.disturbance.merge(&suffered);
    }
}

/// The names of the clocks that can be read, as far as `among` lists them.
pub fn available(record: &Record, among: &[String]) -> Vec<String> {
    let is_available = |name: &&String| record.clocks.iter().any(|clock| clock.available && clock.name == **name);
    among.iter().filter(is_available).cloned().collect()
}

/// As [`available`], for a part that has nothing to do without one.
pub fn readable(record: &Record, among: &[String]) -> Result<Vec<String>, StageError> {
    let clocks = available(record, among);
    if clocks.is_empty() {
        let reason = record.clocks.iter().find_map(|clock| clock.reason_unavailable.as_deref());
        let because = reason.map_or_else(String::new, |reason| format!(": {reason}"));
        return Err(StageError::Skipped(format!("none of the clocks to look at can be read{because}")));
    }
    Ok(clocks)
}

pub fn clock_mut<'r>(record: &'r mut Record, name: &str) -> Option<&'r mut ClockReport> {
    record.clocks.iter_mut().find(|clock| clock.name == name)
}

/// The outcome of a part whose pieces failed for `reasons`, `tried` of them altogether.
pub fn outcome(tried: usize, reasons: Vec<String>) -> Result<(), StageError> {
    let failed = reasons.len();
    let Some(first) = reasons.into_iter().next() else { return Ok(()) };
    let told = if failed > 1 { format!("{first} ({failed} of {tried} like it)") } else { first };
    Err(if failed == tried { StageError::Failed(told) } else { StageError::Incomplete(told) })
}
