use serde::{Deserialize, Serialize};

use super::{Estimate, Parameters};
use crate::record::{Peak, Times};

/// One combination of case, parameters, backoff and threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cell {
    /// The case.
    pub case: String,
    /// The role within a group of threads with different tasks; null where all threads do the same.
    pub role: Option<String>,
    /// The parameters by name.
    pub parameters: Parameters,
    /// Tokens of backoff before each operation.
    pub backoff_tokens: u64,
    /// Threads that ran concurrently, including those of other roles.
    pub threads: u32,
    /// Whether there were more threads than CPUs.
    pub oversubscribed: bool,
    /// Operations per batch and thread, the median over processes.
    pub operations_per_batch: u64,
    /// Time per operation and thread, backoff included; null where it is indistinguishable from an empty loop.
    ///
    /// The median over processes of each one's mean: the time of all operations that count over their number, on any number of
    /// threads while all of them ran. The interval is that of the median's order statistics.
    pub time_ns: Option<Estimate>,
    /// Upper bound for an operation too short for a `time_ns`.
    pub below_ns: Option<f64>,
    /// Why there is no estimate, if for another reason.
    pub reason_no_time: Option<String>,
    /// The typical value: the median over processes of each one's median batch. Far below `time_ns` where a few calls take much
    /// of the time. Null in the mode that times single operations.
    pub median_ns: Option<Estimate>,
    /// The fastest iteration; null for several threads, where the fastest runs while others do not.
    pub minimum_ns: Option<f64>,
    /// Operations per second of all threads of the role: their number over `time_ns`. Null if the time may be zero.
    pub throughput_per_s: Option<Estimate>,
    /// The clock's share of a batch, in percent: twice the error of two readings. The interval includes it.
    pub clock_share_pct: f64,
    /// Whether the time becomes independent of the iteration index.
    pub steadiness: Option<Steadiness>,
    /// Lag-1 autocorrelation of batches, the median over processes.
    pub autocorrelation: Option<f64>,
    /// Batches outside Tukey's fences: marked, not removed.
    pub outliers: Outliers,
    /// The values around which batches cluster, most frequent first.
    pub modes: Vec<Peak>,
    /// The share of an iteration during which all threads measured, the median over iterations that count; null for one thread.
    /// Estimates use only that share.
    pub overlap_share: Option<f64>,
    /// Whether the operation uses threads of its own. Its measuring threads are then not bound to CPUs, so that those threads can
    /// use all of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_threads: bool,
    /// If the operation slows its core (as wide vectors lower the frequency of some): how many times as long the interference
    /// probe takes around it as around others. Its iterations are compared with each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slows_core: Option<f64>,
    /// Whether the operation gives up its CPU by itself: it loses it far more often than others in the same rounds. Its iterations
    /// count all the same.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub switches_by_itself: bool,
    /// Iterations altogether.
    pub iterations: u64,
    /// Iterations with undisturbed interference probes and no preempted thread.
    pub iterations_quiet: u64,
    /// Single operations, in the mode that times them.
    pub latencies: Option<Latencies>,
    /// The result claimed by timestamps around part of the loop, if the case takes them.
    pub part: Option<OperationPart>,
    /// By process.
    pub processes: Vec<CellProcess>,
}

impl Cell {
    /// Whether it has no time for a reason other than a too short operation.
    pub fn is_without_time(&self) -> bool {
        self.time_ns.is_none() && self.below_ns.is_none()
    }

    /// Whether its series reached no steady state in some process.
    pub fn is_unsteady(&self) -> bool {
        self.steadiness.is_some_and(|steadiness| steadiness.never() > 0)
    }
}

/// One process's data for a cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CellProcess {
    /// Which process.
    pub process: u32,
    /// Its estimate; null without an iteration that counts.
    pub time_ns: Option<f64>,
    /// Its iterations in chronological order.
    pub iterations: Vec<StudyIteration>,
}

/// One iteration of a cell: a few batches without a pause.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StudyIteration {
    /// Whether the interference probes before and after were undisturbed and no thread was preempted.
    pub quiet: bool,
    /// Nanoseconds per operation of each batch, thread by thread.
    pub batches_ns: Vec<f64>,
}

/// Batches outside Tukey's fences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Outliers {
    /// Outside the inner fences: 1.5 interquartile ranges.
    pub mild: u64,
    /// Outside the outer fences: 3.
    pub severe: u64,
}

/// Whether the time becomes independent of the iteration index. Counts are of processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Steadiness {
    /// Steady from the first batch.
    pub flat: u32,
    /// Slower at first.
    pub warm_up: u32,
    /// Faster at first.
    pub slow_down: u32,
    /// Never steady.
    pub no_steady_state: u32,
    /// Rising or falling throughout.
    pub trend: u32,
    /// Too few batches to classify.
    pub too_short: u32,
    /// The median change per batch over processes with a trend, in nanoseconds per operation.
    pub trend_ns_per_batch: Option<f64>,
    /// By how much the time rose from the first process to the last, in percent of it; null unless it is known to have risen or
    /// fallen throughout the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift_over_run_pct: Option<f64>,
}

impl Steadiness {
    /// With fewer processes, no statement about all of them.
    const FEWEST_JUDGED: u64 = 3;

    /// Processes that reached no steady state.
    pub fn never(&self) -> u64 {
        u64::from(self.no_steady_state) + u64::from(self.trend)
    }

    /// Processes whose series were long enough to classify.
    pub fn judged(&self) -> u64 {
        self.never() + [self.flat, self.warm_up, self.slow_down].map(u64::from).iter().sum::<u64>()
    }

    /// Whether most processes reached no steady state, out of enough to judge.
    pub fn is_mostly_never(&self) -> bool {
        self.judged() >= Self::FEWEST_JUDGED && self.never() * 2 > self.judged()
    }
}

/// Single operations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Latencies {
    /// Operations that were timed.
    pub samples: u64,
    /// Operations between two timed ones.
    pub untimed_between: u64,
    /// The clock's share of the thread's time, in percent.
    pub clock_share_pct: f64,
    /// Shorter operations cannot be distinguished from an empty loop.
    pub resolved_from_ns: f64,
    /// Their times.
    pub ns: Times,
    /// Iterations whose operations are left out of all this, because something else disturbed them.
    pub iterations_left_out: u64,
    /// The largest of those that are left out.
    pub maximum_ns_left_out: Option<f64>,
}

impl Latencies {
    /// Whether an operation of `ns` nanoseconds can be distinguished from an empty loop.
    pub fn is_resolved(&self, ns: f64) -> bool {
        ns >= self.resolved_from_ns
    }
}

/// The result claimed by timestamps around part of the loop, compared with the loop timed as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OperationPart {
    /// Mean time between the stamps, per operation.
    pub part_ns: Estimate,
    /// The rate of all threads implied by that, operations per second.
    pub claimed_per_s: Estimate,
    /// The actual rate: operations of all threads per second of wall time.
    pub external_per_s: Estimate,
    /// Claimed over actual rate.
    pub inflation: Estimate,
    /// The timed share of each thread's CPU time: the part that preemption inflates.
    pub timed_share: f64,
    /// Preemptions of threads, per iteration.
    pub preemptions_per_iteration: f64,
}

impl OperationPart {
    /// Whether the claim is known to exceed the actual rate.
    pub fn is_inflated(&self) -> bool {
        self.inflation.low > 1.0
    }
}
