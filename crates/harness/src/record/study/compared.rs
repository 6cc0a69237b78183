use serde::{Deserialize, Serialize};

use super::{Difference, Estimate, Parameters};
use crate::finding::Finding;

/// A study compared with earlier records of itself.
///
/// # Guarantees
/// Weaker than a [`Comparison`](super::Comparison) within one run: any change in the machine between the runs counts as
/// a difference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StudyCompared {
    /// The study.
    pub study: String,
    /// The file that holds the earlier record; of several, the latest.
    pub earlier: String,
    /// When that run began: RFC 3339, UTC.
    pub earlier_started_at: String,
    /// The other earlier runs, if there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more_earlier: Vec<SavedRun>,
    /// Differences within this many percent are ignored.
    pub margin_pct: f64,
    /// By how many percent more than its interval a ratio must differ from 1 for a verdict of faster or slower, as long as the
    /// interval holds with less than 95 % confidence. Absent in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowance_pct: Option<f64>,
    /// Confidence of every interval; 0 with a single earlier run, which says nothing of the variation between runs.
    pub confidence: f64,
    /// How weak the comparison is, and other differences between the runs: machine, kernel, clock, conventions.
    pub warnings: Vec<String>,
    /// Cells present in the new record and an earlier one.
    pub cells: Vec<ComparedCell>,
    /// Cells present only in earlier records, in words.
    pub only_earlier: Vec<String>,
    /// Cells present only in the new record, in words.
    pub only_now: Vec<String>,
    /// The overall conclusion. Absent in older records, where it is derived from the other fields, and where the
    /// records have no cell in common.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conclusion: Option<Finding>,
}

/// An earlier run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SavedRun {
    /// The file that holds its record.
    pub file: String,
    /// When it began: RFC 3339, UTC.
    pub started_at: String,
}

/// One combination of case, parameters, backoff and threads in a record and earlier ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// The earlier time per operation, the median over runs; null without an estimate. In older records of one run, the geometric
    /// mean over its processes.
    pub earlier_ns: Option<f64>,
    /// The new one.
    pub now_ns: Option<f64>,
    /// Processes that count, earlier and now.
    pub forks: (u32, u32),
    /// The new time over the earlier one; null if either has no estimate. The interval takes that of the new time over the range of
    /// the earlier ones.
    pub ratio: Option<Estimate>,
    /// The verdict.
    pub verdict: Difference,
    /// In older records only: the probability of a ratio this large if there were no difference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p_value: Option<f64>,
    /// In older records only: whether the verdict stays significant among all cells of the comparison.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub significant_in_family: Option<bool>,
}

impl ComparedCell {
    /// Whether a difference stays significant among all cells, as far as the record says.
    pub fn is_significant(&self) -> bool {
        self.significant_in_family.unwrap_or(true)
    }

    /// Whether the operation got slower by more than `margin_pct`: its interval excludes zero difference, it stays
    /// significant in its family, and the estimate is beyond the margin.
    pub fn is_regression(&self, margin_pct: f64) -> bool {
        self.verdict == Difference::Slower
            && self.is_significant()
            && self.ratio.is_some_and(|ratio| ratio.estimate > 1.0 + margin_pct / 100.0)
    }
}

impl StudyCompared {
    /// Whether any operation got slower beyond the margin.
    pub fn has_regression(&self) -> bool {
        self.cells.iter().any(|cell| cell.is_regression(self.margin_pct))
    }
    /// Whether the comparison of a cell is inconclusive.
    pub fn has_unresolved(&self) -> bool {
        self.cells.iter().any(|cell| cell.verdict == Difference::Unresolved)
    }
}
