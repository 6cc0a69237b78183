#[cfg(feature = "read")]
use serde::Deserialize;
use serde::Serialize;

use super::{CaseFailure, Difference, Estimate, Leading, Parameters, StudyProcess};
use crate::finding::Finding;

/// A study's build compared with another one of the same program, whose processes took turns with its own within one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Against {
    /// The other build: its file or revision.
    pub other: String,
    /// Differences within this many percent are ignored.
    pub margin_pct: f64,
    /// What comparisons of an operation with itself resolved in this run, in percent, where that is more than the margin: a smaller
    /// difference is no regression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor_pct: Option<f64>,
    /// Confidence with which the intervals of all cells hold at once: the plan's, or less with too few pairs of processes.
    pub confidence: f64,
    /// What weakens the comparison: too few pairs, processes of the other build that did not finish.
    pub warnings: Vec<String>,
    /// Cells that both builds have.
    pub cells: Vec<AgainstCell>,
    /// Cells that only this build has, in words.
    pub only_this: Vec<String>,
    /// Cells and cases that only the other build has, in words.
    pub only_other: Vec<String>,
    /// Cases of the other build that failed, and why.
    pub failures: Vec<CaseFailure>,
    /// The processes of the other build. Those with even numbers ran after this build's of the same number, the others before.
    pub processes: Vec<StudyProcess>,
    /// The overall conclusion; null where the builds have no cell in common.
    pub conclusion: Option<Finding>,
}

/// One combination of case, parameters, backoff and threads in two builds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgainstCell {
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
    /// Which of the two numbers is compared: the mean if it leads in either build.
    pub leads: Leading,
    /// This build's time per operation; null where it is indistinguishable from an empty loop, or not measured.
    pub this_ns: Option<Estimate>,
    /// Upper bound for an operation too short for a `this_ns`.
    pub this_below_ns: Option<f64>,
    /// The other build's time, likewise.
    pub other_ns: Option<Estimate>,
    /// Likewise.
    pub other_below_ns: Option<f64>,
    /// This build's time minus the other's, in nanoseconds: the median over pairs of processes. No narrower than what the clock
    /// leaves open.
    pub difference_ns: Option<Estimate>,
    /// This build's time over the other's: the median over pairs of processes, with the interval of its order statistics. It is
    /// wide enough for all cells to hold at once; its confidence is that of this one. Null without a pair.
    pub ratio: Option<Estimate>,
    /// The verdict on this build; unresolved where there are too few pairs for the confidence.
    pub verdict: Difference,
    /// Whether pairs of processes fall into groups that disagree about the ratio, so that there is no verdict.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_states: bool,
    /// Pairs of processes in which both measured it.
    pub pairs: u64,
}

impl AgainstCell {
    /// Whether this build is slower, by an estimate beyond `least_pct`.
    pub fn is_regression(&self, least_pct: f64) -> bool {
        self.verdict == Difference::Slower && self.ratio.is_some_and(|ratio| ratio.estimate > 1.0 + least_pct / 100.0)
    }

    /// Whether both times can be told from an empty loop, so that their ratio is meaningful.
    pub fn has_ratio(&self) -> bool {
        [self.this_ns, self.other_ns].iter().all(|time| time.is_some_and(|time| time.low > 0.0))
    }
}

impl Against {
    /// Whether the ratio of a cell has an interval: a single pair of processes gives none.
    pub fn has_intervals(&self) -> bool {
        self.confidence > 0.0
    }

    /// What is slower by an estimate beyond this is a regression, in percent: the margin, or what the run resolved if that is more.
    pub fn least_regression_pct(&self) -> f64 {
        self.floor_pct.map_or(self.margin_pct, |floor| floor.max(self.margin_pct))
    }

    /// Whether a cell is slower in this build, beyond the margin and what the run resolved.
    pub fn is_regression(&self, cell: &AgainstCell) -> bool {
        cell.is_regression(self.least_regression_pct())
    }

    /// Whether anything is slower in this build, beyond the margin and what the run resolved.
    pub fn has_regression(&self) -> bool {
        self.cells.iter().any(|cell| self.is_regression(cell))
    }

    /// Whether the comparison of a cell is inconclusive.
    pub fn has_unresolved(&self) -> bool {
        self.cells.iter().any(|cell| cell.verdict == Difference::Unresolved)
    }
}
