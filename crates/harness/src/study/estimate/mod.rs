//! From the messages of a study's worker processes to its record: pure functions.

mod cell;
mod comparison;
mod iteration;
mod numbers;
mod observations;
mod quiet;
mod states;
mod steadiness;
#[cfg(test)]
mod tests;
mod tokens;

pub(super) use self::observations::Observations;
pub(super) use self::states::disagree;
use crate::record::study::StudyReport;

/// `measured`, with all its estimates.
pub(super) fn estimate(seen: &Observations<'_>, measured: StudyReport) -> StudyReport {
    let judged = quiet::judge(seen);
    let received = iteration::received(seen, &judged.quiet);
    let iterations = iteration::values(seen, &received);
    let tokens = tokens::cost(seen, &iterations);
    let (loop_ns, excess) = tokens::empty_loop(seen, &iterations);
    let empty = cell::Empty { loop_ns, excess };
    let users = seen.cells.iter().enumerate().filter(|(_, spec)| spec.is_of_user());
    let of_cell = |(at, _): (usize, _)| {
        let (received, iterations) = (received[at].as_slice(), iterations[at].as_slice());
        cell::estimate(seen, (received, iterations), at, &empty)
    };
    let cells = users.flat_map(of_cell).collect();
    let leading = |(spec, iterations): (_, &Vec<_>)| {
        let numbers = numbers::by_process(iterations, None, seen.processes.len());
        numbers::leading(seen, spec, (iterations, None), &numbers, excess.as_ref())
    };
    let leads: Vec<_> = seen.cells.iter().zip(&iterations).map(leading).collect();
    let (comparisons, control) = comparison::estimate(seen, &iterations, &leads, tokens.as_ref());
    StudyReport {
        interference_probe: judged.probe,
        empty_loop_ns: loop_ns,
        tokens,
        cells,
        comparisons,
        control,
        ..measured
    }
}
