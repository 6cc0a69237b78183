//! From what worker processes of a study said to its record: pure functions.

mod cell;
mod comparison;
mod quiet;
mod tokens;
mod visit;

use super::case::Case;
use super::protocol::VisitLog;
use super::schedule::{CellSpec, EMPTY};
use crate::record::study::{Cell, Comparison, Control, Estimate, StudyCanary, StudyPlan, TokenCost};
use crate::stats;

/// What a study's processes saw.
pub(super) struct Seen<'a> {
    pub(super) plan: &'a StudyPlan,
    pub(super) cases: &'a [Case],
    pub(super) cells: &'a [CellSpec],
    /// For each process, its visits in the order in which they were made.
    pub(super) forks: &'a [Vec<VisitLog>],
    /// What two readings of the clock can be off.
    pub(super) error_ns: f64,
    /// What a batch takes beside its operations.
    pub(super) batch_ns: f64,
}

/// What follows from it.
pub(super) struct Found {
    pub(super) empty_loop_ns: Option<Estimate>,
    pub(super) tokens: Option<TokenCost>,
    pub(super) canary: Option<StudyCanary>,
    pub(super) cells: Vec<Cell>,
    pub(super) comparisons: Vec<Comparison>,
    pub(super) control: Option<Control>,
}

/// Estimates everything.
pub(super) fn estimate(seen: &Seen<'_>) -> Found {
    let (disturbed, canary) = quiet::judge(seen);
    let visits = visit::values(seen, &disturbed);
    let empty_loop_ns = tokens::empty_loop(seen, &visits);
    let tokens = tokens::cost(seen, &visits);
    let users = seen.cells.iter().enumerate().filter(|(_, spec)| spec.is_of_user());
    let cells = users.flat_map(|(at, _)| cell::estimate(seen, &visits, at, empty_loop_ns.as_ref())).collect();
    let (comparisons, control) = comparison::estimate(seen, &visits, tokens.as_ref());
    Found { empty_loop_ns, tokens, canary, cells, comparisons, control }
}

impl Seen<'_> {
    /// What batches of so many operations leave open of one operation's time.
    fn floor_ns(&self, operations: f64) -> f64 {
        2.0 * self.batch_ns / operations.max(1.0)
    }

    fn is_crowded(&self, spec: &CellSpec) -> bool {
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
