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

/// `measured`, with all its estimates.
pub(super) fn estimate(seen: &Observations<'_>, measured: StudyReport) -> StudyReport {
    let judged = quiet::judge(seen);
    let received = iteration::received(seen, &judged.disturbed);
    let iterations = iteration::values(seen, &received);
    let (empty_loop_ns, tokens) = (tokens::empty_loop(seen, &iterations), tokens::cost(seen, &iterations));
    let users = seen.cells.iter().enumerate().filter(|(_, spec)| spec.is_of_user());
    let of_cell = |(at, _): (usize, _)| {
        let (received, iterations) = (received[at].as_slice(), iterations[at].as_slice());
        cell::estimate(seen, (received, iterations), at, empty_loop_ns.as_ref(), judged.own[at])
    };
    let cells = users.flat_map(of_cell).collect();
    let (comparisons, control) = match seen.times_only {
        true => (Vec::new(), None),
        false => comparison::estimate(seen, &iterations, tokens.as_ref()),
    };
    StudyReport { interference_probe: judged.probe, empty_loop_ns, tokens, cells, comparisons, control, ..measured }
}
