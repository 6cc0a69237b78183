//! The record of a study: what operations cost as a function of backoff and threads, compared with each other.

mod cell;
mod compared;
mod comparison;
mod estimate;
mod find;
mod fork;
mod plan;
mod tokens;

pub use cell::{Cell, CellFork, Latencies, OperationPart, Outliers, Steadiness, StudyVisit, Variance};
pub use compared::{ComparedCell, StudyCompared};
pub use comparison::{Comparison, ComparisonPoint, Control, CostModel, CostShape, Difference};
pub use estimate::Estimate;
pub use fork::{CaseFailure, StudyCanary, StudyFork};
pub use plan::{Mode, Parameter, StudyPlan};
pub use tokens::{TokenCost, TokenPoint};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::{Finding, Severity};
use crate::record::{Machine, Tool};

/// The version of the study's shape that this build writes and reads.
pub const STUDY_SCHEMA_VERSION: u32 = 1;

/// The JSON schema of [`StudyRecord`], with a newline at its end.
///
/// # Examples
/// ```
/// assert!(chronoscope_harness::record::study::study_schema().contains("\"cells\""));
/// ```
pub fn study_schema() -> String {
    let schema = schemars::schema_for!(StudyRecord);
    // A schema is a JSON value, which can always be written.
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

/// One study on one machine.
///
/// # Guarantees
/// `null` means "not measured", with a reason beside it, at its case or among the findings
/// where something could not be had; fields are only ever added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StudyRecord {
    /// The shape of this document; 1.
    pub study_schema_version: u32,
    /// The study's name.
    pub study: String,
    /// The command that drew the study up, such as `scaling` or `experiment backoff`: what is concluded from its numbers
    /// beyond what follows for any study. Absent for a user's own study, and in records from before this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The program that wrote it.
    pub tool: Tool,
    /// When the run began: RFC 3339, UTC.
    pub started_at: String,
    /// Wall time of the run in milliseconds.
    pub elapsed_ms: u64,
    /// Whether the user stopped the run before its end.
    pub interrupted: bool,
    /// The machine and the surroundings that the process found.
    pub machine: Machine,
    /// What was to be done.
    pub plan: StudyPlan,
    /// The clock that timed batches, as it describes itself; null if no fork came to work.
    pub clock: Option<StudyClock>,
    /// What a loop with nothing in it takes per turn, the slowest of the code layouts: shown, never subtracted. What takes
    /// no longer cannot be told from nothing.
    pub empty_loop_ns: Option<Estimate>,
    /// What a token of backoff takes here; null where it was not measured.
    pub tokens: Option<TokenCost>,
    /// What the two loops of known work told about the core.
    pub canary: Option<StudyCanary>,
    /// Each combination of case, parameters, backoff and threads.
    pub cells: Vec<Cell>,
    /// Operations compared directly.
    pub comparisons: Vec<Comparison>,
    /// What the same comparisons say of an operation and itself; null where nothing was compared.
    pub control: Option<Control>,
    /// Cases that failed, and how.
    pub failures: Vec<CaseFailure>,
    /// The processes.
    pub forks: Vec<StudyFork>,
    /// Conclusions, gravest first.
    pub findings: Vec<Finding>,
}

impl StudyRecord {
    /// Whether the run came to its end, no case failed, and something was measured.
    pub fn is_whole(&self) -> bool {
        !self.interrupted && self.failures.is_empty() && self.cells.iter().any(|cell| cell.visits > 0)
    }

    /// Whether a finding of severity warning or worse stands.
    pub fn has_warning(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity >= Severity::Warning)
    }
}

/// The clock that timed batches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StudyClock {
    /// Its name and state, e.g. `ordered, verified`.
    pub name: String,
    /// What a single operation's time can be off by, in nanoseconds: the least difference that two readings show (latency, or
    /// step where that is longer), or what a batch of one empty operation takes, where that is more.
    pub error_ns: f64,
    /// What a batch takes beside its operations when the caches have long held other things, in nanoseconds. Intervals are no
    /// narrower than twice this per batch on each side.
    pub batch_ns: f64,
}
