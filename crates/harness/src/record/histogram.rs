#[cfg(feature = "read")]
use serde::Deserialize;
use serde::Serialize;

/// Counts of values in nanoseconds, in bins that are 3 to 7 % wide.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Histogram {
    /// Bins in ascending order; empty ones are left out.
    pub bins: Vec<Bin>,
}

/// One bin of a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Bin {
    /// Smallest value in the bin.
    pub from_ns: f64,
    /// Exclusive upper end of the bin.
    pub to_ns: f64,
    /// How many values fall into it.
    pub count: u64,
}

impl Histogram {
    /// How many values the histogram holds.
    pub fn count(&self) -> u64 {
        self.bins.iter().fold(0, |sum, bin| sum.saturating_add(bin.count))
    }
}
