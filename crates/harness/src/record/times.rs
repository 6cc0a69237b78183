#[cfg(feature = "read")]
use serde::Deserialize;
use serde::Serialize;

use super::Histogram;

/// A distribution of times, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Times {
    /// The mean; absent where nothing but the tail is of interest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// The median.
    pub p50: f64,
    /// The 90th percentile.
    pub p90: f64,
    /// The 99th percentile.
    pub p99: f64,
    /// The 99.9th percentile.
    pub p999: f64,
    /// The largest.
    pub max: f64,
    /// All of them.
    pub histogram: Histogram,
}

impl Times {
    /// Without a mean; None unless `quantile` knows all that is asked: 0.5, 0.9, 0.99, 0.999 and, the largest, 1.
    pub fn of(quantile: impl Fn(f64) -> Option<f64>, histogram: Histogram) -> Option<Self> {
        let [p50, p90, p99, p999, max] = [0.5, 0.9, 0.99, 0.999, 1.0].map(quantile);
        Some(Self { mean: None, p50: p50?, p90: p90?, p99: p99?, p999: p999?, max: max?, histogram })
    }
}
