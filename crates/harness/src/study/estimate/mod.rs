//! From the messages of a study's worker processes to its record: pure functions.

mod cell;
mod comparison;
mod disturbed;
mod iteration;
mod observations;
mod quiet;
mod steadiness;
#[cfg(test)]
mod tests;
mod tokens;

pub(super) use self::disturbed::Disturbed;
pub(super) use self::observations::Observations;
use crate::record::study::StudyReport;

/// For each cell, how disturbed iterations count.
pub(super) fn levels(seen: &Observations<'_>) -> Vec<Disturbed> {
    iteration::levels(seen, &iteration::received(seen, &quiet::judge(seen).disturbed))
}

/// Estimates everything, into `report`.
pub(super) fn estimate(seen: &Observations<'_>, report: &mut StudyReport) {
    let judged = quiet::judge(seen);
    let received = iteration::received(seen, &judged.disturbed);
    let iterations = iteration::values(seen, &received);
    report.interference_probe = judged.probe;
    report.empty_loop_ns = tokens::empty_loop(seen, &iterations);
    report.tokens = tokens::cost(seen, &iterations);
    let users = seen.cells.iter().enumerate().filter(|(_, spec)| spec.is_of_user());
    let empty_ns = report.empty_loop_ns.as_ref();
    let of_cell = |(at, _): (usize, _)| {
        cell::estimate(seen, (received[at].as_slice(), iterations[at].as_slice()), at, empty_ns, judged.own[at])
    };
    report.cells = users.flat_map(of_cell).collect();
    if seen.times_only {
        return;
    }
    (report.comparisons, report.control) = comparison::estimate(seen, &iterations, report.tokens.as_ref());
}
