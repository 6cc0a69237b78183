//! The observations of a study's processes, as all estimates use them.

use std::collections::BTreeSet;

use super::super::case::Case;
use super::super::protocol::IterationLog;
use super::super::schedule::{CellSpec, EMPTY};
use crate::record::study::StudyPlan;

/// The observations of a study's processes.
pub(in crate::study) struct Observations<'a> {
    pub(in crate::study) plan: &'a StudyPlan,
    pub(in crate::study) cases: &'a [Case],
    pub(in crate::study) cells: &'a [CellSpec],
    /// For each process, its iterations in chronological order.
    pub(in crate::study) processes: &'a [Vec<IterationLog>],
    /// Cells whose operation uses threads of its own.
    pub(in crate::study) own_threads: &'a BTreeSet<usize>,
    /// The error of two clock readings.
    pub(in crate::study) error_ns: f64,
    /// A batch's overhead.
    pub(in crate::study) batch_ns: f64,
}

impl Observations<'_> {
    /// The uncertainty per operation over batches of `operations`.
    pub(super) fn floor_ns(&self, operations: f64) -> f64 {
        2.0 * self.batch_ns / operations.max(1.0)
    }

    pub(super) fn case(&self, spec: &CellSpec) -> Option<&Case> {
        self.cases.iter().find(|case| case.name == spec.case)
    }

    /// The calibration cells with their indices.
    pub(super) fn calibration(&self) -> impl Iterator<Item = (usize, &CellSpec)> {
        self.cells.iter().enumerate().filter(|(_, spec)| spec.case == EMPTY)
    }
}
