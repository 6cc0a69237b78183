#[cfg(feature = "read")]
use serde::Deserialize;
use serde::Serialize;

use super::{Estimate, Leading, Parameters};

/// An operation compared with another over all backoffs, at one number of threads.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// The operation.
    pub case: String,
    /// What it is compared with.
    pub baseline: String,
    /// The parameters by name.
    pub parameters: Parameters,
    /// Threads that ran concurrently.
    pub threads: u32,
    /// By increasing backoff.
    pub points: Vec<ComparisonPoint>,
    /// The difference as a function of backoff; null for fewer than three backoffs or processes.
    pub model: Option<CostModel>,
}

/// Two operations at one backoff.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparisonPoint {
    /// Tokens of backoff before each operation.
    pub backoff_tokens: u64,
    /// Which of the two numbers is compared: the mean if it leads for either operation.
    pub leads: Leading,
    /// The operation's time minus the baseline's in the same process, in nanoseconds: the median over processes. The interval is
    /// wide enough for all comparisons of the study to hold at once; its confidence is that of this one.
    pub difference_ns: Estimate,
    /// The operation's time over the baseline's, likewise.
    pub ratio: Estimate,
    /// The same of the number that does not lead; null where it is not known.
    pub other_ratio: Option<Estimate>,
    /// The verdict.
    pub verdict: Difference,
    /// Whether the processes fall into groups that disagree about the ratio, so that there is no verdict.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_states: bool,
    /// Processes that measured both.
    pub pairs: u64,
}

impl ComparisonPoint {
    /// The ratio of the number that does not lead, where it is known to differ by more than the margin and the verdict on the leading
    /// one does not say so.
    pub fn disagreement(&self, margin_pct: f64) -> Option<Estimate> {
        let margin = 1.0 + margin_pct.max(0.0) / 100.0;
        let other = self.other_ratio.filter(Estimate::has_confidence)?;
        let (is_more, is_less) = (other.low > margin, other.high < 1.0 / margin);
        let is_said = match self.verdict {
            Difference::Slower => is_more,
            Difference::Faster => is_less,
            Difference::Same | Difference::Unresolved => false,
        };
        ((is_more || is_less) && !is_said).then_some(other)
    }
}

/// How an operation compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    /// It takes less time.
    Faster,
    /// It takes more time.
    Slower,
    /// Any difference is within the margin.
    Same,
    /// The interval allows more than one of these.
    Unresolved,
}

/// A difference as a function of backoff.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CostModel {
    /// How the difference changes as backoff grows.
    pub shape: CostShape,
    /// At the smallest backoff, in nanoseconds: the difference of that point.
    pub exposed_ns: Estimate,
    /// The remainder at large backoff, in nanoseconds.
    pub residual_ns: Estimate,
    /// The tokens at which it has fallen to the residual; null unless it is known to level off.
    pub hidden_past_tokens: Option<Estimate>,
    /// The same in nanoseconds of independent work.
    pub hidden_past_ns: Option<Estimate>,
}

/// How a difference changes as backoff grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CostShape {
    /// It falls: independent work hides it, or part of it. Past `hidden_past_tokens` it is level; without that it was still falling, or
    /// where it levels is unknown.
    Hidden,
    /// It does not change.
    Constant,
    /// It grows: work does not hide it. On several threads that may be contention.
    Growing,
    /// Inconclusive.
    Unresolved,
}

/// Comparisons of an operation with itself, interleaved with the others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Control {
    /// Comparisons that enough processes made for a verdict.
    pub comparisons: u32,
    /// False alarms: those whose interval excludes zero difference.
    pub alarms: u32,
    /// Those judged faster or slower.
    pub verdicts_wrong: u32,
    /// The half-width of the median comparison's interval, in percent of the operation.
    pub resolvable_pct: f64,
    /// The half-width of the same interval in nanoseconds.
    pub resolvable_ns: f64,
}

impl Control {
    /// With fewer comparisons the median one is not representative.
    const FEWEST: u32 = 20;

    /// Whether there are enough comparisons for the median one to show how small a difference can be resolved.
    pub fn is_telling(&self) -> bool {
        self.comparisons >= Self::FEWEST
    }
}
