use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Estimate, Parameters};

/// An operation compared with another over all backoffs, at one number of threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// The operation.
    pub case: String,
    /// What it is compared with.
    pub baseline: String,
    /// The parameters by name.
    pub parameters: Parameters,
    /// Threads that ran at once.
    pub threads: u32,
    /// With rising backoff.
    pub points: Vec<ComparisonPoint>,
    /// The difference as a function of backoff; null for fewer than three backoffs or processes.
    pub model: Option<CostModel>,
}

/// Two operations at one backoff.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparisonPoint {
    /// Tokens of backoff before each operation.
    pub backoff_tokens: u64,
    /// The operation's time minus the baseline's, from pairs of the same round, in nanoseconds.
    pub difference_ns: Estimate,
    /// The operation's time over the baseline's.
    pub ratio: Estimate,
    /// What follows.
    pub verdict: Difference,
    /// Probability of so large a ratio if there were no difference.
    pub p_value: f64,
    /// Whether that stays significant among all comparisons of the study (Holm).
    pub significant_in_family: bool,
    /// Pairs of visits that count.
    pub pairs: u64,
}

/// How an operation compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CostModel {
    /// What the difference does as backoff grows.
    pub shape: CostShape,
    /// At the smallest backoff, in nanoseconds: the difference of that point.
    pub exposed_ns: Estimate,
    /// The residual at large backoff, in nanoseconds.
    pub residual_ns: Estimate,
    /// The tokens at which it has fallen to the residual.
    pub hidden_past_tokens: Option<Estimate>,
    /// The same in nanoseconds of independent work.
    pub hidden_past_ns: Option<Estimate>,
    /// The tokens beyond which the difference stays within the margin or unresolved; null if never.
    pub negligible_from_tokens: Option<u64>,
}

/// What a difference does as backoff grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CostShape {
    /// It falls: independent work hides it.
    Hidden,
    /// It stays.
    Constant,
    /// It grows: work does not hide it. On several threads that may be contention.
    Growing,
    /// It cannot be told.
    Unresolved,
}

/// Comparisons of an operation with itself, run along with the others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Control {
    /// Comparisons made.
    pub comparisons: u32,
    /// False alarms: those whose interval excludes no difference.
    pub alarms: u32,
    /// Those called faster or slower.
    pub verdicts_wrong: u32,
    /// The half-width of the middle one's interval, in percent of the operation.
    pub resolvable_pct: f64,
    /// The half-width of the same interval in nanoseconds.
    pub resolvable_ns: f64,
}

impl Control {
    /// Of fewer comparisons the middle one stands for nothing.
    const FEWEST: u32 = 20;

    /// Whether there are enough comparisons for the middle one to say how well an operation is told from itself.
    pub fn is_telling(&self) -> bool {
        self.comparisons >= Self::FEWEST
    }
}
