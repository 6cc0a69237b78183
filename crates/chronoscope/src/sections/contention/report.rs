use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock_id::ClockId;
use chronoscope_harness::record::{Disturbance, Estimate};

/// The cost of causal times when many threads read them: the combined rate of reads, by clock and granularity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContentionReport {
    /// Rounds, each in its own process; each reads every clock with every number of threads once.
    pub rounds: u64,
    /// Clock by clock, each by ascending thread count.
    pub rows: Vec<ContentionRow>,
    /// The smallest granularity that scales about like the bare source; null with one thread only.
    pub knee: Option<Knee>,
    /// What disturbed the measurement.
    pub disturbance: Disturbance,
}

impl ContentionReport {
    /// Whether a returned value was ahead of the reader's own source.
    pub fn is_ahead_of_source(&self) -> bool {
        self.rows.iter().filter_map(|row| row.staleness).any(|stale| stale.p50_ns < 0.0 || stale.p99_ns < 0.0)
    }

    /// Whether there were rows with more threads than `cpus`.
    pub fn is_oversubscribed(&self, cpus: u64) -> bool {
        self.rows.iter().any(|row| u64::from(row.threads) > cpus)
    }
}

/// One clock, read by this many threads concurrently.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContentionRow {
    /// The clock: `Unordered` (the bare source), `Clock::now`, `Granular 100 ns` ….
    pub clock: ClockId,
    /// The granularity of the causal clock; null for the others.
    pub granularity_ns: Option<u64>,
    /// Threads that read.
    pub threads: u32,
    /// Combined reads of all threads, per second.
    pub reads_per_s: Estimate,
    /// The same relative to one thread reading the same clock in the same round.
    pub scaling: Option<Estimate>,
    /// The staleness of returned values, from separate windows; null if not sampled.
    pub staleness: Option<Staleness>,
    /// The published figure for the same granularity and number of threads, on another machine.
    pub published: Option<PublishedContention>,
}

impl ContentionRow {
    /// Whether this clock scales as well as the `bare` source, up to `tolerance_pct` worse. None if the intervals allow
    /// both, or if one has a confidence below 95 %, as with fewer than six rounds.
    pub fn scales_like(&self, bare: &Estimate, tolerance_pct: f64) -> Option<bool> {
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

/// The source, read right after a call, minus the value the call returned: it includes about the time of one read,
/// shown in the row of the bare source. Negative where another core's value was ahead of this core's reading.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Staleness {
    /// Sampled calls.
    pub samples: u64,
    /// Median.
    pub p50_ns: f64,
    /// 99th percentile.
    pub p99_ns: f64,
    /// Maximum; an interrupt between the two reads counts in full.
    pub maximum_ns: f64,
}

/// A published throughput.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedContention {
    /// Combined reads of all threads, per second.
    pub reads_per_s: f64,
    /// The same relative to one thread.
    pub scaling: f64,
    /// The machine.
    pub machine: String,
    /// The publication.
    pub source: String,
}

/// Where the cost of causality ends.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Knee {
    /// The number of threads used: the highest with a CPU for each.
    pub threads: u32,
    /// The bare source's scaling at that number.
    pub bare_scaling: f64,
    /// The smallest granularity whose scaling is known to be within `tolerance_pct` of the bare source's, by the
    /// intervals of both; null if there is none.
    pub granularity_ns: Option<u64>,
    /// Its scaling.
    pub scaling: Option<f64>,
    /// The largest granularity known to scale worse than that: together with `granularity_ns` it brackets the knee.
    /// Null if there is none.
    #[serde(default)]
    pub worse_at_ns: Option<u64>,
    /// The tolerance for counting as the same, in percent.
    pub tolerance_pct: f64,
}
