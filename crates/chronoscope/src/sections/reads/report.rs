use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock_id::ClockId;
use chronoscope_harness::record::{Disturbance, Histogram, Peak};

/// The distribution of the differences between consecutive reads of one clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reads {
    /// The clock.
    pub clock: ClockId,
    /// Differences taken.
    pub count: u64,
    /// The sum of the pieces' spans: each from its first read to its last.
    pub span_ns: f64,
    /// Share of zero differences.
    pub zero_share: f64,
    /// Negative differences.
    pub backward_steps: u64,
    /// Smallest positive difference; null if none.
    pub minimum_ns: Option<f64>,
    /// Median difference.
    pub p50_ns: f64,
    /// 99th percentile.
    pub p99_ns: f64,
    /// 99.9th percentile.
    pub p999_ns: f64,
    /// Largest difference.
    pub maximum_ns: f64,
    /// Values around which differences cluster, most frequent first.
    pub modes: Vec<Peak>,
    /// Share of time lost in long gaps; thresholds hidden by the clock's steps are left out.
    pub gaps: Vec<Gaps>,
    /// Start-stop pairs with nothing between them.
    pub empty_intervals: u64,
    /// The largest of them.
    pub largest_empty_interval_ns: f64,
    /// All positive differences.
    pub histogram: Histogram,
    /// What disturbed the measurement.
    pub disturbance: Disturbance,
}

impl Reads {
    /// A clock moves in steps longer than a read if at least this share of differences is zero.
    const EQUAL_SHARE_OF_STEPS: f64 = 0.1;
    /// A gap is visible only if this many times as long as a step.
    pub const STEPS_PER_GAP: f64 = 10.0;

    /// The step in which the clock moved, if longer than a read; else 0. Infinite if it never moved.
    ///
    /// A shorter pause of the reader is invisible in the differences, and a difference of one step is not a pause.
    pub fn step_ns(&self) -> f64 {
        if self.zero_share >= Self::EQUAL_SHARE_OF_STEPS { self.minimum_ns.unwrap_or(f64::INFINITY) } else { 0.0 }
    }

    /// Whether gaps longer than `above_ns` are visible in the differences of this clock.
    pub fn shows_gaps_above(&self, above_ns: f64) -> bool {
        above_ns >= Self::STEPS_PER_GAP * self.step_ns()
    }

    /// The gaps that are due to the reader rather than the clock's own steps.
    pub fn shown_gaps(&self) -> impl Iterator<Item = &Gaps> {
        self.gaps.iter().filter(|gaps| self.shows_gaps_above(gaps.above_ns))
    }

    /// The longest possible pause of the reader between two reads: the largest difference plus one step, since each
    /// reading of a clock that moves in steps may be up to a step old.
    #[cfg(test)]
    pub fn longest_gap_below_ns(&self) -> f64 {
        self.maximum_ns + self.step_ns()
    }
}

/// Gaps above a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Gaps {
    /// The threshold.
    pub above_ns: f64,
    /// How many differences were larger.
    pub count: u64,
    /// Their share of the whole span.
    pub share_of_time: f64,
}
