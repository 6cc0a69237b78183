use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Estimate, Parameters};
use crate::record::{Histogram, Peak};

/// One combination of case, parameters, backoff and threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// The case.
    pub case: String,
    /// The role within a group of unlike threads; null where all threads do the same.
    pub role: Option<String>,
    /// The parameters by name.
    pub parameters: Parameters,
    /// Tokens of backoff before each operation.
    pub backoff_tokens: u64,
    /// Threads that ran at once, those of other roles included.
    pub threads: u32,
    /// Whether there were more threads than CPUs.
    pub oversubscribed: bool,
    /// Operations per batch and thread, the median over processes.
    pub operations_per_batch: u64,
    /// Time per operation and thread, backoff included; null where it cannot be told from an empty loop.
    ///
    /// One thread: the mean over processes of each one's median visit, of which the median batch counts. Several: from what
    /// all threads did while all ran, visit by visit.
    pub time_ns: Option<Estimate>,
    /// If the operation is too short for a `time_ns`: it takes less than this.
    pub below_ns: Option<f64>,
    /// Why there is no estimate, if for another reason.
    pub reason_no_time: Option<String>,
    /// The median over all visits that count, with a hierarchical bootstrap interval.
    pub median_ns: Option<Estimate>,
    /// The fastest visit; null for several threads, of which the fastest runs while the others do not.
    pub minimum_ns: Option<f64>,
    /// Operations per second of all threads of the role.
    pub throughput_per_s: Option<Estimate>,
    /// The clock's share of a batch, in percent: twice the error of two readings. The interval includes it.
    pub clock_share_pct: f64,
    /// Where the spread comes from.
    pub variance: Option<Variance>,
    /// Whether the time stops depending on how often the operation has run.
    pub steadiness: Option<Steadiness>,
    /// Lag-1 autocorrelation of batches, the median over processes.
    pub autocorrelation: Option<f64>,
    /// Batches beyond Tukey's fences: marked, not removed.
    pub outliers: Outliers,
    /// The values around which batches gather, most frequent first.
    pub modes: Vec<Peak>,
    /// The share of a visit in which all threads measured, the median over visits that count; null for one thread. Estimates
    /// rest on that share alone.
    pub overlap_share: Option<f64>,
    /// Visits altogether.
    pub visits: u64,
    /// Visits with undisturbed interference probes, in which no thread lost its CPU.
    pub visits_quiet: u64,
    /// Single operations, in the mode that times them.
    pub latencies: Option<Latencies>,
    /// What timestamps around part of the loop claim, if the case takes them.
    pub part: Option<OperationPart>,
    /// By process.
    pub forks: Vec<CellProcess>,
    /// What to know of the cell besides its numbers, a word or two each. Absent in records from before this field; it
    /// follows from the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marks: Option<Vec<String>>,
}

impl Cell {
    /// Whether it has no time, and not for want of anything to time.
    pub fn is_without_time(&self) -> bool {
        self.time_ns.is_none() && self.below_ns.is_none()
    }

    /// Whether its time is that of a series that reached no steady state in some process.
    pub fn is_unsteady(&self) -> bool {
        self.steadiness.is_some_and(|steadiness| steadiness.never() > 0)
    }
}

/// One process's part in a cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellProcess {
    /// Which process.
    pub fork: u32,
    /// Its estimate; null where it has no visit that counts.
    pub time_ns: Option<f64>,
    /// Its visits in the order in which they were made.
    pub visits: Vec<StudyIteration>,
}

/// One visit to a cell: a few batches without a pause.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StudyIteration {
    /// Which round of the process. A round visits every cell at most once, and more rarely those of the calibration and those
    /// with more threads than CPUs.
    pub round: u32,
    /// Which copy of the loop ran; copies lie 16 bytes apart within a cache line.
    pub layout: u32,
    /// Whether the interference probes around it were undisturbed and no thread lost its CPU.
    pub quiet: bool,
    /// Nanoseconds per operation of each batch, threads one after another.
    pub batches_ns: Vec<f64>,
}

/// Batches beyond Tukey's fences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Outliers {
    /// Beyond the inner fences: 1.5 interquartile ranges.
    pub mild: u64,
    /// Beyond the outer ones: 3.
    pub severe: u64,
}

/// Where the spread of a cell comes from: standard deviations, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Variance {
    /// Between processes.
    pub between_forks_ns: f64,
    /// Between visits of one process.
    pub between_visits_ns: f64,
    /// Between batches of one visit.
    pub between_batches_ns: f64,
    /// The processes' share of the variance, 0 to 1.
    pub intraclass_correlation: f64,
    /// How many times too narrow an interval over pooled batches would be.
    pub pooled_interval_too_narrow: f64,
}

/// Whether the time stops depending on how often the operation has run. Counts are of processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Steadiness {
    /// Steady from the first batch on.
    pub flat: u32,
    /// Slower at first.
    pub warm_up: u32,
    /// Faster at first.
    pub slow_down: u32,
    /// Never steady.
    pub no_steady_state: u32,
    /// Rising or falling throughout.
    pub trend: u32,
    /// Too few batches to tell.
    pub too_short: u32,
    /// The median change per batch over processes with a trend, in nanoseconds per operation.
    pub trend_ns_per_batch: Option<f64>,
}

impl Steadiness {
    /// Of fewer processes nothing is said about all of them.
    const FEWEST_JUDGED: u64 = 3;

    /// Processes that reached no steady state.
    pub fn never(&self) -> u64 {
        u64::from(self.no_steady_state) + u64::from(self.trend)
    }

    /// Processes whose series were long enough to tell.
    pub fn judged(&self) -> u64 {
        self.never() + [self.flat, self.warm_up, self.slow_down].map(u64::from).iter().sum::<u64>()
    }

    /// Whether most of the processes reached no steady state, of enough to say so.
    pub fn is_mostly_never(&self) -> bool {
        self.judged() >= Self::FEWEST_JUDGED && self.never() * 2 > self.judged()
    }
}

/// Single operations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Latencies {
    /// Operations that were timed.
    pub samples: u64,
    /// Operations between two that were timed.
    pub untimed_between: u64,
    /// The clock's share of the thread's time, in percent.
    pub clock_share_pct: f64,
    /// Shorter operations cannot be told from nothing.
    pub resolved_from_ns: f64,
    /// Median.
    pub p50_ns: f64,
    /// 90th percentile.
    pub p90_ns: f64,
    /// 99th percentile.
    pub p99_ns: f64,
    /// 99.9th percentile.
    pub p999_ns: f64,
    /// Largest.
    pub maximum_ns: f64,
    /// All of them.
    pub histogram: Histogram,
}

impl Latencies {
    /// Whether an operation of so many nanoseconds can be told from nothing.
    pub fn is_resolved(&self, ns: f64) -> bool {
        ns >= self.resolved_from_ns
    }
}

/// What timestamps around part of the loop claim, and what the loop did, timed from outside.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperationPart {
    /// Mean time between the stamps, per operation.
    pub part_ns: Estimate,
    /// The rate of all threads that this claims, operations per second.
    pub claimed_per_s: Estimate,
    /// The rate they reached: operations of all threads per second of wall time.
    pub external_per_s: Estimate,
    /// The claim over that.
    pub inflation: Estimate,
    /// The timed share of each thread's time on its CPU: what preemption hits.
    pub timed_share: f64,
    /// Times that threads lost their CPU, per visit.
    pub preemptions_per_visit: f64,
}

impl OperationPart {
    /// Whether the claim is known to exceed what was done.
    pub fn is_inflated(&self) -> bool {
        self.inflation.low > 1.0
    }
}
