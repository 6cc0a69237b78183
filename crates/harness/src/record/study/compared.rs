use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Difference, Estimate, Parameters};
use crate::finding::Finding;

/// A study compared with an earlier record of itself.
///
/// # Guarantees
/// Weaker than a [`Comparison`](super::Comparison) within one run: whatever the machine did differently that day counts as a
/// difference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StudyCompared {
    /// The study.
    pub study: String,
    /// The file that holds the earlier record.
    pub earlier: String,
    /// When the earlier run began: RFC 3339, UTC.
    pub earlier_started_at: String,
    /// Differences within this many percent count as none.
    pub margin_pct: f64,
    /// Confidence of every interval.
    pub confidence: f64,
    /// What else differs between the two runs: machine, kernel, clock, conventions.
    pub warnings: Vec<String>,
    /// The cells of both records.
    pub cells: Vec<ComparedCell>,
    /// In words, the cells of the earlier record alone.
    pub only_earlier: Vec<String>,
    /// In words, the cells of the new record alone.
    pub only_now: Vec<String>,
    /// What follows from all cells together. Absent in records from before this field, where it follows from the rest, and
    /// where the records have no cell in common.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conclusion: Option<Finding>,
}

/// One combination of case, parameters, backoff and threads in two records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedCell {
    /// The case.
    pub case: String,
    /// The role within a group of unlike threads.
    pub role: Option<String>,
    /// The parameters by name.
    pub parameters: Parameters,
    /// Tokens of backoff before each operation.
    pub backoff_tokens: u64,
    /// Threads that ran at once.
    pub threads: u32,
    /// The earlier time per operation, the geometric mean over its processes; null where it has none.
    pub earlier_ns: Option<f64>,
    /// The new one.
    pub now_ns: Option<f64>,
    /// Processes that count, earlier and now.
    pub forks: (u32, u32),
    /// The new time over the earlier one; null where one of them has no estimate.
    pub ratio: Option<Estimate>,
    /// What follows.
    pub verdict: Difference,
    /// Probability of so large a ratio if there were no difference.
    pub p_value: f64,
    /// Whether that stays significant among all cells of the comparison (Holm).
    pub significant_in_family: bool,
}

impl ComparedCell {
    /// Whether the operation got slower by more than `margin_pct`: its interval leaves out no difference, it stays
    /// significant in its family, and the estimate is beyond the margin.
    pub fn is_regression(&self, margin_pct: f64) -> bool {
        self.verdict == Difference::Slower
            && self.significant_in_family
            && self.ratio.is_some_and(|ratio| ratio.estimate > 1.0 + margin_pct / 100.0)
    }
}

impl StudyCompared {
    /// Whether any operation got slower beyond the margin.
    pub fn has_regression(&self) -> bool {
        self.cells.iter().any(|cell| cell.is_regression(self.margin_pct))
    }
}
