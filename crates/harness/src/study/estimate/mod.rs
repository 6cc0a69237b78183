//! From the messages of a study's worker processes to its record: pure functions.

mod cell;
mod comparison;
mod disturbed;
mod observations;
mod quiet;
mod steadiness;
#[cfg(test)]
mod tests;
mod tokens;
mod visit;

pub(super) use self::disturbed::Disturbed;
pub(super) use self::observations::Observations;
use crate::record::study::StudyReport;

/// For each cell, how disturbed visits count.
pub(super) fn levels(seen: &Observations<'_>) -> Vec<Disturbed> {
    visit::levels(seen, &visit::received(seen, &quiet::judge(seen).disturbed))
}

/// Estimates everything, into `report`.
pub(super) fn estimate(seen: &Observations<'_>, report: &mut StudyReport) {
    let judged = quiet::judge(seen);
    let received = visit::received(seen, &judged.disturbed);
    let visits = visit::values(seen, &received);
    report.canary = judged.probe;
    report.empty_loop_ns = tokens::empty_loop(seen, &visits);
    report.tokens = tokens::cost(seen, &visits);
    let users = seen.cells.iter().enumerate().filter(|(_, spec)| spec.is_of_user());
    let empty_ns = report.empty_loop_ns.as_ref();
    let of_cell = |(at, _): (usize, _)| {
        cell::estimate(seen, (received[at].as_slice(), visits[at].as_slice()), at, empty_ns, judged.own[at])
    };
    report.cells = users.flat_map(of_cell).collect();
    if seen.times_only {
        return;
    }
    (report.comparisons, report.control) = comparison::estimate(seen, &visits, report.tokens.as_ref());
}
