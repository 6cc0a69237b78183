//! A batch's overhead: stamps and fences, the way into the loop and out of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use chronoscope_clock::Clock;

use super::bencher::Bencher;
use super::case::Case;
use super::crew::{Crew, Visit};
use super::phases::Assignment;
use super::rally::Rally;
use crate::stats;

/// Batches of one empty operation in a row.
const IN_A_ROW: u32 = 500;
/// Batches of one wait, and how long it waits.
const WAITS: u32 = 20;
const WAIT_NS: u64 = 1_000_000;

/// Nanoseconds of batches in a row, which find all of it in the nearest cache: what a single operation's time is off by.
pub(super) fn in_a_row_ns(crew: &mut Crew) -> Result<f64, String> {
    let assignment = Assignment::Batches { operations: 1, warm_up: 20, batches: IN_A_ROW, length_ns: 0 };
    median_ns(crew, Case::shared("(a batch)".to_owned(), |_| (), |bencher, ()| bencher.iter(|| ())), assignment)
}

/// Nanoseconds of batches that last a millisecond, in which other things have come into the caches: the more of them, the
/// longer a batch lasts and the more a neighbour on the core does. It is what such a batch shows beyond the wait that is in
/// it, from the wait's first reading of the clock to its last.
pub(super) fn apart_ns(crew: &mut Crew) -> Result<f64, String> {
    let wait = |bencher: &mut Bencher<'_>, (): &()| {
        let clock = Clock::or_system();
        bencher.iter(|| {
            let end_ns = clock.now().as_nanos() + WAIT_NS;
            while clock.now().as_nanos() < end_ns {}
        });
    };
    let assignment = Assignment::Batches { operations: 1, warm_up: 2, batches: WAITS, length_ns: 0 };
    let whole_ns = median_ns(crew, Case::shared("(a wait)".to_owned(), |_| (), wait), assignment)?;
    Ok((whole_ns - WAIT_NS as f64).max(0.0))
}

fn median_ns(crew: &mut Crew, case: Case, assignment: Assignment) -> Result<f64, String> {
    let parameters = BTreeMap::new();
    let state = Arc::new((case.setup)(&parameters));
    let (tokens, threads, oversubscribed, layout, stack_steps) = (0, 1, false, 0, 0);
    let rally = Rally::new(threads);
    let logs = crew.visit(Visit {
        case,
        parameters,
        state,
        tokens,
        threads,
        oversubscribed,
        layout,
        stack_steps,
        assignment,
        rally,
    })?;
    let batches = logs.iter().flat_map(|log| &log.batches_ns).map(|ns| *ns as f64).collect();
    Ok(stats::median(batches).unwrap_or(0.0))
}
