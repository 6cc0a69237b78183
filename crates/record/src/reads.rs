use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Disturbance, Histogram};

/// The distribution of the differences between consecutive reads of one clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reads {
    /// The clock.
    pub clock: String,
    /// Differences taken.
    pub count: u64,
    /// From the first read to the last.
    pub span_ns: f64,
    /// Share of differences that were zero.
    pub zero_share: f64,
    /// Differences below zero.
    pub backward_steps: u64,
    /// Smallest difference above zero; null where none was.
    pub minimum_ns: Option<f64>,
    /// Median difference.
    pub p50_ns: f64,
    /// 99th percentile.
    pub p99_ns: f64,
    /// 99.9th percentile.
    pub p999_ns: f64,
    /// Largest difference.
    pub maximum_ns: f64,
    /// Values around which differences gather, most frequent first.
    pub modes: Vec<Mode>,
    /// How much of the time long gaps took away.
    pub gaps: Vec<Gaps>,
    /// Start-stop pairs with nothing between them.
    pub empty_intervals: u64,
    /// The largest of them.
    pub largest_empty_interval_ns: f64,
    /// All differences above zero.
    pub histogram: Histogram,
    /// What disturbed the measurement.
    pub disturbance: Disturbance,
}

/// A value around which differences gather.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Mode {
    /// The middle of the most frequent bin.
    pub at_ns: f64,
    /// Share of all differences that belong to it.
    pub share: f64,
}

/// Gaps above a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Gaps {
    /// The threshold.
    pub above_ns: f64,
    /// How many differences were larger.
    pub count: u64,
    /// The share of the whole span that they make up.
    pub share_of_time: f64,
}
