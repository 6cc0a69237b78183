use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Difference, Estimate, Parameters};
use crate::finding::Finding;

/// A study compared with an earlier record of itself.
///
/// # Guarantees
/// Weaker than a [`Comparison`](super::Comparison) within one run: any change in the machine between the runs counts as
/// a difference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StudyCompared {
    /// The study.
    pub study: String,
    /// The file that holds the earlier record.
    pub earlier: String,
    /// When the earlier run began: RFC 3339, UTC.
    pub earlier_started_at: String,
    /// Differences within this many percent are ignored.
    pub margin_pct: f64,
    /// Confidence of every interval.
    pub confidence: f64,
    /// Other differences between the two runs: machine, kernel, clock, conventions.
    pub warnings: Vec<String>,
    /// Cells present in both records.
    pub cells: Vec<ComparedCell>,
    /// Cells present only in the earlier record, in words.
    pub only_earlier: Vec<String>,
    /// Cells present only in the new record, in words.
    pub only_now: Vec<String>,
    /// The overall conclusion. Absent in older records, where it is derived from the other fields, and where the
    /// records have no cell in common.
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
    /// Threads that ran concurrently.
    pub threads: u32,
    /// The earlier time per operation, the geometric mean over its processes; null without an estimate.
    pub earlier_ns: Option<f64>,
    /// The new one.
    pub now_ns: Option<f64>,
    /// Processes that count, earlier and now.
    pub forks: (u32, u32),
    /// The new time over the earlier one; null if either has no estimate.
    pub ratio: Option<Estimate>,
    /// The verdict.
    pub verdict: Difference,
    /// Probability of a ratio this large if there were no difference.
    pub p_value: f64,
    /// Whether it stays significant among all cells of the comparison (Holm).
    pub significant_in_family: bool,
}

impl ComparedCell {
    /// Whether the operation got slower by more than `margin_pct`: its interval excludes zero difference, it stays
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
