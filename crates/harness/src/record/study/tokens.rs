#[cfg(feature = "read")]
use serde::Deserialize;
use serde::Serialize;

use super::Estimate;

/// The cost of tokens of backoff: a straight line fitted to the times of back-to-back calls.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TokenCost {
    /// Nanoseconds per token.
    pub ns_per_token: Estimate,
    /// Nanoseconds per call, excluding its tokens.
    pub call_ns: Estimate,
    /// The share of the times' variance that the line explains, 0 to 1.
    pub r_squared: f64,
    /// The largest deviation of any point from the line, in percent of its time.
    pub largest_deviation_pct: f64,
}

impl TokenCost {
    /// The time of a call with this many tokens, in nanoseconds.
    pub fn ns(&self, tokens: f64) -> f64 {
        if tokens > 0.0 { self.call_ns.estimate + self.ns_per_token.estimate * tokens } else { 0.0 }
    }
}
