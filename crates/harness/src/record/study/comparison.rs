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
    /// The operation's time less that of what it is compared with, from pairs in the same round, in nanoseconds.
    pub difference_ns: Estimate,
    /// The operation's time over that of what it is compared with.
    pub ratio: Estimate,
    /// What follows.
    pub verdict: Difference,
    /// Probability of so large a ratio if there were no difference.
    pub p_value: f64,
    /// Whether that stays significant beside all other comparisons of the study (Holm).
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
    /// What is left at large backoff, in nanoseconds.
    pub residual_ns: Estimate,
    /// From so many tokens on it has fallen to what is left.
    pub hidden_past_tokens: Option<Estimate>,
    /// The same in nanoseconds of independent work.
    pub hidden_past_ns: Option<Estimate>,
    /// Tokens from which on the difference stays within the margin or below what this run could resolve; null if never.
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
    /// It grows, so that work does not hide it. On more threads than one that may be contention.
    Growing,
    /// It cannot be told.
    Unresolved,
}

/// Comparisons of an operation with itself, run along with the others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Control {
    /// Comparisons made.
    pub comparisons: u32,
    /// Those whose interval excludes no difference: false alarms.
    pub alarms: u32,
    /// Those that would be called faster or slower by more than the margin.
    pub verdicts_wrong: u32,
    /// The half-width of the interval of the middle one, in percent of what it compares.
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
