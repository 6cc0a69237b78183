//! The record of a study: the cost of operations as a function of backoff and threads, and their comparisons.

mod against;
mod cell;
mod comparison;
mod find;
mod plan;
mod process;
mod tokens;

pub use against::{Against, AgainstCell};
pub use cell::{
    Allocated, Cell, CellProcess, Handled, Latencies, Leading, OperationPart, RareCalls, State, Steadiness,
    StudyIteration,
};
pub use comparison::{Comparison, ComparisonPoint, Control, CostModel, CostShape, Difference};
pub use plan::{Mode, Parameter, Parameters, StudyPlan};
pub use process::{CaseFailure, InterferenceProbe, StudyProcess};
pub use tokens::TokenCost;

use serde::{Deserialize, Serialize};

use super::Document;
pub use super::Estimate;
use crate::finding::Finding;

/// One study on one machine: the document that a benchmark program writes.
pub type StudyRecord = Document<StudyContent>;

/// The content of a study document.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StudyContent {
    /// The study.
    pub study: StudyReport,
    /// The comparison with another build in the same run; absent unless requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<Against>,
}

/// A study's plan and measurements.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StudyReport {
    /// Its name.
    pub name: String,
    /// Wall time of its processes in milliseconds.
    pub measured_ms: u64,
    /// The plan.
    pub plan: StudyPlan,
    /// The clock that timed batches, as it describes itself; null if no process started.
    pub clock: Option<StudyClock>,
    /// Time per turn of an empty loop, in the slowest code layout: reported, never subtracted. Operations no longer
    /// than this cannot be distinguished from it.
    pub empty_loop_ns: Option<Estimate>,
    /// The cost of a token of backoff; null if not measured.
    pub tokens: Option<TokenCost>,
    /// What the interference probes measured.
    pub interference_probe: Option<InterferenceProbe>,
    /// Each combination of case, parameters, backoff and threads.
    pub cells: Vec<Cell>,
    /// Direct comparisons of operations.
    pub comparisons: Vec<Comparison>,
    /// Comparisons of operations with themselves; null if nothing was compared.
    pub control: Option<Control>,
    /// Cases that failed, and why.
    pub failures: Vec<CaseFailure>,
    /// The processes.
    pub processes: Vec<StudyProcess>,
    /// Conclusions in reading order: comparisons, then single cases.
    pub conclusions: Vec<Finding>,
}

impl StudyRecord {
    /// The study.
    pub fn study(&self) -> &StudyReport {
        &self.content.study
    }

    /// Whether the run finished, no case failed, and something was measured.
    pub fn is_whole(&self) -> bool {
        !self.interrupted
            && self.content.study.failures.is_empty()
            && self.content.study.cells.iter().any(|cell| cell.iterations > 0)
    }
}

impl StudyReport {
    /// A report before anything has been measured.
    pub fn planned(name: impl Into<String>, plan: StudyPlan) -> Self {
        Self {
            name: name.into(),
            measured_ms: 0,
            plan,
            clock: None,
            empty_loop_ns: None,
            tokens: None,
            interference_probe: None,
            cells: Vec::new(),
            comparisons: Vec::new(),
            control: None,
            failures: Vec::new(),
            processes: Vec::new(),
            conclusions: Vec::new(),
        }
    }

    /// The confidence with which the interval of every cell holds: the least, where some have too few processes for the plan's.
    pub fn confidence(&self) -> f64 {
        self.least_confidence(self.cells.iter().filter_map(|cell| cell.time_ns))
    }

    /// The same of comparisons.
    pub fn confidence_of_comparisons(&self) -> f64 {
        let points = self.comparisons.iter().flat_map(|comparison| &comparison.points);
        self.least_confidence(points.map(|point| point.difference_ns))
    }

    fn least_confidence(&self, of: impl Iterator<Item = Estimate>) -> f64 {
        let of = of.filter(Estimate::has_interval).map(|estimate| estimate.confidence);
        of.fold(self.plan.confidence, f64::min)
    }

    /// The cell of one of the two cases of a comparison, at this backoff.
    pub fn compared_cell(&self, comparison: &Comparison, case: &str, tokens: u64) -> Option<&Cell> {
        self.cells.iter().find(|cell| {
            cell.case == case
                && cell.backoff_tokens == tokens
                && cell.threads == comparison.threads
                && cell.parameters == comparison.parameters
        })
    }

    /// Whether both operations can be distinguished from an empty loop, so that their ratio is meaningful.
    pub fn has_ratio(&self, comparison: &Comparison, point: &ComparisonPoint) -> bool {
        [&comparison.case, &comparison.baseline].iter().all(|case| {
            let cell = self.compared_cell(comparison, case, point.backoff_tokens);
            cell.is_none_or(|cell| cell.time_ns.is_some_and(|time| time.low > 0.0))
        })
    }
}

/// The clock that timed batches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StudyClock {
    /// Its name and state, e.g. `ordered, verified`.
    pub name: String,
    /// The error in timing a single operation, in nanoseconds: the clock's latency, its step, or the time of a batch of
    /// one empty operation, whichever is longest.
    pub error_ns: f64,
    /// The overhead of a batch with cold caches, in nanoseconds. Intervals are no narrower than twice this per batch on each
    /// side.
    pub batch_ns: f64,
}
