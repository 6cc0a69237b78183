use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Estimate;

/// What tokens of backoff take: a straight line through the times of calls in a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TokenCost {
    /// Nanoseconds per token.
    pub ns_per_token: Estimate,
    /// Nanoseconds of a call beside its tokens.
    pub call_ns: Estimate,
    /// The share of the times' variance that the line explains, 0 to 1.
    pub r_squared: f64,
    /// The farthest that any point lies from the line, in percent of its time.
    pub largest_deviation_pct: f64,
    /// What the line was fitted to.
    pub points: Vec<TokenPoint>,
}

impl TokenCost {
    /// What a call with so many tokens takes, in nanoseconds.
    pub fn ns(&self, tokens: f64) -> f64 {
        if tokens > 0.0 { self.call_ns.estimate + self.ns_per_token.estimate * tokens } else { 0.0 }
    }
}

/// One number of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TokenPoint {
    /// Tokens.
    pub tokens: u64,
    /// Nanoseconds per call, the median over processes; of each process the lower quartile of its visits.
    pub ns: f64,
}
