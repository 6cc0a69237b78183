//! A batch's overhead: timestamps and fences, entering and leaving the loop.

use std::time::Duration;

use chronoscope_clock::Clock;

use super::bencher::Bencher;
use super::case::Case;
use super::crew::{Crew, Iteration};
use super::phases::Assignment;
use crate::stats;

/// Back-to-back batches of one empty operation.
const IN_A_ROW: u32 = 500;
/// Batches of one wait, at least and at most, and how long it waits.
const WAITS: (u64, u64) = (4, 20);
const WAIT_NS: u64 = 1_000_000;
/// Between those, they take this share of a process's time.
const WAITS_SHARE: f64 = 0.02;

/// Nanoseconds of back-to-back batches, with everything in L1: the error in timing a single operation.
pub(super) fn in_a_row_ns(crew: &Crew) -> Result<f64, String> {
    let assignment = Assignment::Batches { operations: 1, untimed: 20, batches: IN_A_ROW, length_ns: 0 };
    median_ns(crew, Case::alone("(a batch)".to_owned(), |bencher| bencher.iter(|| ())), assignment)
}

/// Overhead in nanoseconds of batches lasting a millisecond, during which other data enters the caches: more so the
/// longer the batch and the busier the SMT sibling. It is what such a batch measures beyond the wait that it contains,
/// from the wait's first clock reading to its last. In a short process of `budget_ns` there are few waits; the run takes the median
/// of its processes.
pub(super) fn apart_ns(crew: &Crew, budget_ns: u64) -> Result<f64, String> {
    let waits = ((budget_ns as f64 * WAITS_SHARE) as u64 / WAIT_NS).clamp(WAITS.0, WAITS.1) as u32;
    let wait = |bencher: &mut Bencher<'_>| {
        let clock = Clock::or_system();
        bencher.iter(|| {
            let end = clock.now() + Duration::from_nanos(WAIT_NS);
            while clock.now() < end {}
        });
    };
    let assignment = Assignment::Batches { operations: 1, untimed: 2, batches: waits, length_ns: 0 };
    let whole_ns = median_ns(crew, Case::alone("(a wait)".to_owned(), wait), assignment)?;
    Ok((whole_ns - WAIT_NS as f64).max(0.0))
}

fn median_ns(crew: &Crew, case: Case, assignment: Assignment) -> Result<f64, String> {
    let logs = crew.iteration(Iteration::of_one_thread(case, assignment))?;
    let batches = logs.iter().flat_map(|log| &log.batches_ns).map(|ns| *ns as f64);
    Ok(stats::median(batches).unwrap_or(0.0))
}
