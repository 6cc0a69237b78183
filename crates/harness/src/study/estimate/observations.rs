//! What a study's processes saw, and what all estimates ask of it.

use super::super::case::Case;
use super::super::protocol::IterationLog;
use super::super::schedule::{CellSpec, EMPTY};
use crate::record::study::{Estimate, StudyPlan};
use crate::stats;

/// What a study's processes saw.
pub(in crate::study) struct Observations<'a> {
    pub(in crate::study) plan: &'a StudyPlan,
    pub(in crate::study) cases: &'a [Case],
    pub(in crate::study) cells: &'a [CellSpec],
    /// For each process, its visits in the order in which they were made.
    pub(in crate::study) forks: &'a [Vec<IterationLog>],
    /// What two readings of the clock can be off.
    pub(in crate::study) error_ns: f64,
    /// A batch's overhead.
    pub(in crate::study) batch_ns: f64,
}

impl Observations<'_> {
    /// What batches of so many operations leave open of one operation's time.
    pub(super) fn floor_ns(&self, operations: f64) -> f64 {
        2.0 * self.batch_ns / operations.max(1.0)
    }

    pub(super) fn is_oversubscribed(&self, spec: &CellSpec) -> bool {
        spec.threads as usize > self.plan.cpus.len().max(1)
    }

    pub(super) fn case(&self, spec: &CellSpec) -> Option<&Case> {
        self.cases.iter().find(|case| case.name == spec.case)
    }

    /// The cells of the calibration with their places.
    pub(super) fn calibration(&self) -> impl Iterator<Item = (usize, &CellSpec)> {
        self.cells.iter().enumerate().filter(|(_, spec)| spec.case == EMPTY)
    }
}

/// `interval`, no narrower than `floor` on each side of its estimate.
pub(super) fn at_least(interval: Estimate, floor: f64) -> Estimate {
    let Estimate { estimate, low, high, .. } = interval;
    Estimate { low: low.min(estimate - floor), high: high.max(estimate + floor), ..interval }
}

/// The middle of those of `values` that are finite, or the mean of the middle two. None for none.
pub(super) fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    stats::median(values.into_iter().filter(|value| value.is_finite()).collect())
}
