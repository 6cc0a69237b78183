use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A median over rounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Spread {
    /// Its value.
    pub median: f64,
    /// Lower end of the interval for the median.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// Confidence of the interval: the exact coverage of its order statistics.
    pub confidence: f64,
}
