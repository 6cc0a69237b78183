//! From what worker processes of a study said to its record: pure functions.

mod cell;
mod comparison;
mod quiet;
mod tokens;
mod visit;

use super::case::Case;
use super::protocol::IterationLog;
use super::schedule::{CellSpec, EMPTY};
use crate::record::study::{Estimate, StudyPlan, StudyReport};
use crate::stats;

/// What a study's processes saw.
pub(super) struct Observations<'a> {
    pub(super) plan: &'a StudyPlan,
    pub(super) cases: &'a [Case],
    pub(super) cells: &'a [CellSpec],
    /// For each process, its visits in the order in which they were made.
    pub(super) forks: &'a [Vec<IterationLog>],
    /// What two readings of the clock can be off.
    pub(super) error_ns: f64,
    /// What a batch takes beside its operations.
    pub(super) batch_ns: f64,
}

/// Estimates everything, into `report`.
pub(super) fn estimate(seen: &Observations<'_>, report: &mut StudyReport) {
    let (disturbed, canary) = quiet::judge(seen);
    let visits = visit::values(seen, &disturbed);
    report.canary = canary;
    report.empty_loop_ns = tokens::empty_loop(seen, &visits);
    report.tokens = tokens::cost(seen, &visits);
    let users = seen.cells.iter().enumerate().filter(|(_, spec)| spec.is_of_user());
    let of_cell = |(at, _)| cell::estimate(seen, &visits, at, report.empty_loop_ns.as_ref());
    report.cells = users.flat_map(of_cell).collect();
    (report.comparisons, report.control) = comparison::estimate(seen, &visits, report.tokens.as_ref());
}

impl Observations<'_> {
    /// What batches of so many operations leave open of one operation's time.
    fn floor_ns(&self, operations: f64) -> f64 {
        2.0 * self.batch_ns / operations.max(1.0)
    }

    fn is_oversubscribed(&self, spec: &CellSpec) -> bool {
        spec.threads as usize > self.plan.cpus.len().max(1)
    }

    fn case(&self, spec: &CellSpec) -> Option<&Case> {
        self.cases.iter().find(|case| case.name == spec.case)
    }

    /// The cells of the calibration with their places.
    fn calibration(&self) -> impl Iterator<Item = (usize, &CellSpec)> {
        self.cells.iter().enumerate().filter(|(_, spec)| spec.case == EMPTY)
    }
}

/// `interval`, no narrower than `floor` on each side of its estimate.
fn at_least(interval: Estimate, floor: f64) -> Estimate {
    let Estimate { estimate, low, high, .. } = interval;
    Estimate { low: low.min(estimate - floor), high: high.max(estimate + floor), ..interval }
}

/// The middle of those of `values` that are finite, or the mean of the middle two. None for none.
fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    stats::median(values.into_iter().filter(|value| value.is_finite()).collect())
}
