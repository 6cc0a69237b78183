use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock_id::ClockId;
use chronoscope_harness::record::{Disturbance, Spread};

/// What causal times cost when many threads ask for them: reads of all threads together, by clock and granularity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContentionReport {
    /// Rounds made, each in a process of its own; in each, every clock was read by every number of threads once.
    pub rounds: u64,
    /// Clock by clock, each with rising numbers of threads.
    pub rows: Vec<ContentionRow>,
    /// The smallest granularity that scales about as the bare source does; null where one thread alone read.
    pub knee: Option<Knee>,
    /// What disturbed the measurement.
    pub disturbance: Disturbance,
}

/// One clock, read by so many threads at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContentionRow {
    /// The clock: `Unordered` (the bare source), `Clock::now`, `Granular 100 ns` …, `Adaptive`.
    pub clock: ClockId,
    /// The granularity of the causal clock; null for the others.
    pub granularity_ns: Option<u64>,
    /// Threads that read.
    pub threads: u32,
    /// Reads of all threads together, per second.
    pub reads_per_s: Spread,
    /// The same over what one thread read of the same clock in the same round.
    pub scaling: Option<Spread>,
    /// How stale returned values were, from windows of their own; null where none was sampled.
    pub staleness: Option<Staleness>,
    /// What was published for as many threads and the same granularity, on another machine.
    pub published: Option<PublishedContention>,
}

impl ContentionRow {
    /// Whether this clock scales as a bare source that scales so, up to `tolerance_pct` worse. None where the intervals
    /// allow both, or where one has a confidence below 95 %, as of fewer than six rounds.
    pub fn scales_like(&self, bare: &Spread, tolerance_pct: f64) -> Option<bool> {
        const LEAST_CONFIDENCE: f64 = 0.95;
        let scaling = self.scaling.filter(|scaling| scaling.confidence.min(bare.confidence) >= LEAST_CONFIDENCE)?;
        let enough = |bare: f64| bare * (1.0 - tolerance_pct / 100.0);
        if scaling.low >= enough(bare.high) {
            Some(true)
        } else if scaling.high < enough(bare.low) {
            Some(false)
        } else {
            None
        }
    }
}

/// The source, read right after a call, less what the call returned: it holds the time of about one read, and the row of
/// the bare source shows how much that is. Negative where another core's value was ahead of this core's read.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Staleness {
    /// Calls that were sampled.
    pub samples: u64,
    /// Median.
    pub p50_ns: f64,
    /// 99th percentile.
    pub p99_ns: f64,
    /// Largest; an interrupt between the two reads counts in full.
    pub maximum_ns: f64,
}

/// A published throughput.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedContention {
    /// Reads of all threads together, per second.
    pub reads_per_s: f64,
    /// The same over what one thread read.
    pub scaling: f64,
    /// The machine.
    pub machine: String,
    /// Who published it.
    pub source: String,
}

/// Where the cost of causality ends.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Knee {
    /// The number of threads at which that was judged: the most that have a CPU each.
    pub threads: u32,
    /// The bare source's scaling at that number.
    pub bare_scaling: f64,
    /// The smallest granularity whose scaling is known to be within `tolerance_pct` of the bare source's, by the intervals
    /// of both; null if none is.
    pub granularity_ns: Option<u64>,
    /// Its scaling.
    pub scaling: Option<f64>,
    /// The largest granularity that is known to scale worse than that: with `granularity_ns` the bracket of the knee. Null
    /// if none is.
    #[serde(default)]
    pub worse_at_ns: Option<u64>,
    /// How near counts as the same, in percent.
    pub tolerance_pct: f64,
}
