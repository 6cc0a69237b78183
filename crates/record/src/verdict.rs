use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What can be timed on the machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// Whether no clock that must not step back did so on one thread; null if none was observed.
    pub monotonic: Option<bool>,
    /// Whether no read that must be causal went backwards between CPUs; null if it could not be tested.
    pub causal: Option<bool>,
    /// The largest skew between CPUs that the observations do not exclude.
    pub skew_not_excluded_ns: Option<f64>,
    /// Whether `CLOCK_MONOTONIC` is read without entering the kernel.
    pub os_clock_on_fast_path: Option<bool>,
    /// Each clock that can be read.
    pub clocks: Vec<ClockVerdict>,
    /// Intervals that the user asked about.
    pub questions: Vec<Question>,
}

/// What one clock can time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClockVerdict {
    /// The clock.
    pub name: String,
    /// Whether the tool advises to time intervals with it.
    pub recommended: bool,
    /// Why not, or for what it is the right one.
    pub why: String,
    /// The shortest interval that two reads of it time rightly: confirmed by the trials where there are any, else claimed.
    pub direct_interval_ns: DirectInterval,
    /// The same as claimed before the trials: from latency, granularity and the spread of empty intervals.
    pub claimed_interval_ns: DirectInterval,
    /// Whether trials were made and `direct_interval_ns` rests on them.
    pub validated: bool,
    /// Why no trials were made, or why they confirm no interval.
    pub reason_unvalidated: Option<String>,
    /// Known work timed directly, beside its truth.
    pub trials: Vec<IntervalTrial>,
}

impl ClockVerdict {
    /// A verdict that rests on a claim alone, and recommends nothing yet.
    pub fn claimed(name: impl Into<String>, interval_ns: DirectInterval) -> Self {
        Self {
            name: name.into(),
            recommended: false,
            why: String::new(),
            direct_interval_ns: interval_ns,
            claimed_interval_ns: interval_ns,
            validated: false,
            reason_unvalidated: None,
            trials: Vec::new(),
        }
    }
}

/// The shortest interval that a single pair of reads times within an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DirectInterval {
    /// Within 1 % in at least 95 of 100 readings.
    pub within_1pct: Option<f64>,
    /// Within 10 % in at least 95 of 100 readings.
    pub within_10pct: Option<f64>,
}

/// Known work, timed once per reading, compared with what it takes in batches.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IntervalTrial {
    /// The tolerance on trial, in percent.
    pub tolerance_pct: f64,
    /// The work's true duration, timed in batches from outside.
    pub truth_ns: f64,
    /// Single readings made.
    pub readings_made: u64,
    /// Those that count: made while the core was not shared and the work took its usual time.
    pub readings: u64,
    /// Median error of a reading in percent of the truth; positive reads too long.
    pub error_pct_p50: f64,
    /// 95th percentile of the error's magnitude in percent of the truth.
    pub error_pct_abs_p95: f64,
    /// Share of readings within the tolerance.
    pub share_within: f64,
    /// Whether at least 95 % were.
    pub holds: bool,
}

/// An interval that the user asked about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    /// The interval.
    pub interval_ns: f64,
    /// Clocks that time it directly within 1 %.
    pub within_1pct: Vec<String>,
    /// Clocks that time it directly within 10 %, but not within 1 %.
    pub within_10pct: Vec<String>,
}
