#[cfg(feature = "read")]
use serde::Deserialize;
use serde::Serialize;

/// A distribution of times by two of its quantiles, in nanoseconds: as little as a list of many things has room for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Quantiles {
    /// The median.
    pub p50: f64,
    /// The 99th percentile.
    pub p99: f64,
}
