//! From the messages of a study's worker processes to its record: pure functions.

mod cell;
mod comparison;
mod iteration;
mod judge;
mod numbers;
mod observations;
mod quiet;
mod states;
mod steadiness;
#[cfg(test)]
mod tests;
mod tokens;

pub(super) use self::judge::{Pair, Terms, judge};
pub(super) use self::observations::Observations;
use crate::record::study::StudyReport;

/// `measured`, with all its estimates.
pub(super) fn estimate(seen: &Observations<'_>, measured: StudyReport) -> StudyReport {
    let (received, interference_probe) = quiet::judged(seen);
    let iterations = iteration::values(seen, &received);
    let tokens = tokens::cost(seen, &iterations);
    let empty = seen.calibration().find(|(_, spec)| spec.tokens == 0).map(|(at, _)| iterations[at].as_slice());
    let empty_loop_ns = empty.and_then(|iterations| tokens::empty_loop(seen, iterations));
    let control = empty.and_then(|iterations| numbers::Control::of(seen, iterations));
    let by = seen.cells.iter().zip(&iterations);
    let leads: Vec<_> =
        by.map(|(spec, iterations)| numbers::leading(seen, spec, iterations, control.as_ref())).collect();
    let tells_rare_calls = control.is_some_and(|control| control.tells_rare_calls());
    let empty = cell::Empty { loop_ns: empty_loop_ns, tells_rare_calls };
    let users = seen.cells.iter().enumerate().filter(|(_, spec)| spec.is_of_user());
    let of_cell = |(at, _): (usize, _)| {
        let (received, iterations) = (received[at].as_slice(), iterations[at].as_slice());
        cell::estimate(seen, (received, iterations), at, leads[at], &empty)
    };
    let cells = users.flat_map(of_cell).collect();
    let (comparisons, control) = comparison::estimate(seen, &iterations, &leads, tokens.as_ref());
    StudyReport { interference_probe, empty_loop_ns, tokens, cells, comparisons, control, ..measured }
}
