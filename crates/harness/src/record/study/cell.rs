use serde::{Deserialize, Serialize};

use super::{Estimate, Parameters};
use crate::record::Times;

/// One combination of case, parameters, backoff and threads.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
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
    /// Which of the two numbers is `time_ns`.
    pub leads: Leading,
    /// Time per operation and thread, backoff included: `typical_ns` or `mean_ns`, whichever leads. Null where it is
    /// indistinguishable from an empty loop.
    pub time_ns: Option<Estimate>,
    /// Upper bound for an operation too short for a `time_ns`.
    pub below_ns: Option<f64>,
    /// Why there is no estimate, if for another reason.
    pub reason_no_time: Option<String>,
    /// What an operation typically takes: the median over processes of each one's median batch, with the interval of its order
    /// statistics, which reaches at least the clock's error to each side. Interruptions and rare long calls are not in it. Null in the mode that times single operations, and where a
    /// batch takes less than the clock's step.
    pub typical_ns: Option<Estimate>,
    /// What an operation takes on average: the median over processes of each one's mean, which is the time of all its operations
    /// over their number, on any number of threads while all of them ran. Rare long calls are in it, and so are interruptions. The
    /// interval is that of the order statistics, and holds the mean over all processes as well.
    pub mean_ns: Option<Estimate>,
    /// The rare long calls that part the mean from the typical value; null where it does not lead for that reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rare_calls: Option<RareCalls>,
    /// If the processes fall into groups that each agree on another time: the groups, fastest first. Empty where one number
    /// describes them all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<State>,
    /// Operations per second of all threads of the role: their number over `time_ns`. Null if the time may be zero.
    pub throughput_per_s: Option<Estimate>,
    /// What an operation handles, if the case says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handles: Option<Handled>,
    /// What an operation allocates, if the program counts that: the mean of all operations. Nothing counted is 0, and not
    /// null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allocates: Option<Allocated>,
    /// The clock's share of a batch, in percent: twice the error of two readings. The interval includes it.
    pub clock_share_pct: f64,
    /// Whether the time depends on how often the operation has run.
    pub steadiness: Option<Steadiness>,
    /// The share of an iteration during which all threads measured, the median over iterations; null for one thread.
    /// Estimates use only that share.
    pub overlap_share: Option<f64>,
    /// Whether the operation uses threads of its own. Its measuring threads are then not bound to CPUs, so that those threads can
    /// use all of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_threads: bool,
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

    /// Whether its time is known to depend on how often it has run.
    pub fn is_unsteady(&self) -> bool {
        self.steadiness.is_some_and(|steadiness| steadiness.is_unsteady())
    }

    /// Whether no single number describes its processes.
    pub fn has_states(&self) -> bool {
        self.states.len() > 1
    }

    /// One of its two numbers; none where it is indistinguishable from an empty loop.
    pub fn number(&self, which: Leading) -> Option<Estimate> {
        let number = if which == Leading::Mean { self.mean_ns } else { self.typical_ns };
        number.filter(|_| self.below_ns.is_none())
    }

    /// The number that does not lead.
    pub fn other_ns(&self) -> Option<Estimate> {
        self.number(self.leads.other())
    }
}

/// One of the two numbers of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Leading {
    /// What a typical operation takes.
    #[default]
    Typical,
    /// What operations take on average: on several threads, for throughput, for single operations, and where rare long calls
    /// make it longer than interruptions alone do.
    Mean,
}

impl Leading {
    /// The other number.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Typical => Self::Mean,
            Self::Mean => Self::Typical,
        }
    }

    /// `typical` or `mean`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Typical => "typical",
            Self::Mean => "mean",
        }
    }
}

/// What one operation handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Handled {
    /// So many bytes.
    Bytes(u64),
    /// So many items.
    Items(u64),
}

/// What one operation allocates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Allocated {
    /// Blocks of memory.
    pub blocks: f64,
    /// Their bytes.
    pub bytes: f64,
}

/// Calls that are far longer than the typical one, and that make the mean what it is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RareCalls {
    /// One call in so many.
    pub one_in: f64,
    /// What such a call takes, in nanoseconds.
    pub ns: f64,
    /// What the others take: the median batch without such a call, in nanoseconds per operation.
    pub others_ns: f64,
}

/// A group of processes that agree on a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct State {
    /// The median of the group.
    pub value: f64,
    /// Processes in the group.
    pub processes: u32,
}

/// One process's data for a cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CellProcess {
    /// Which process.
    pub process: u32,
    /// Its median batch, per operation; null without one.
    pub typical_ns: Option<f64>,
    /// Its mean; null without an operation that took time.
    pub mean_ns: Option<f64>,
    /// What a link of the interference probe's chain typically took around its iterations: the pace of its core. Null without a probe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_ns: Option<f64>,
    /// Its iterations in chronological order.
    pub iterations: Vec<StudyIteration>,
}

impl CellProcess {
    /// A process where every operation took `ns`.
    pub fn alike(process: u32, ns: f64) -> Self {
        Self { process, typical_ns: Some(ns), mean_ns: Some(ns), ..Self::default() }
    }

    /// One of its two numbers.
    pub fn number(&self, which: Leading) -> Option<f64> {
        match which {
            Leading::Typical => self.typical_ns,
            Leading::Mean => self.mean_ns,
        }
    }
}

/// One iteration of a cell: a few batches without a pause.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StudyIteration {
    /// Whether the interference probes before and after were undisturbed and no thread was preempted.
    pub quiet: bool,
    /// Nanoseconds per operation of each batch, thread by thread.
    pub batches_ns: Vec<f64>,
}

/// Whether the time depends on how often the operation has run, or on when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Steadiness {
    /// By how much the time changes from the middle third of an iteration to its last, where all is set up once, in percent: the
    /// median over processes. Null for iterations of few batches.
    pub within_iteration_pct: Option<Estimate>,
    /// The same from the middle third of a process's iterations to its last. What an iteration sets up anew is another each
    /// time, so that a time that depends on an address does not count as a change.
    pub within_process_pct: Option<Estimate>,
    /// By how much the time rose from the first process to the last, in percent of it; null unless it is known to have risen or
    /// fallen throughout the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift_over_run_pct: Option<f64>,
}

impl Steadiness {
    /// Smaller changes do not matter, in percent.
    const MARGIN_PCT: f64 = 2.0;

    /// The larger of the two changes that is known to exceed 2 %, in percent.
    pub fn change_pct(&self) -> Option<Estimate> {
        let matters = |of: &Estimate| of.has_confidence() && (of.low > Self::MARGIN_PCT || of.high < -Self::MARGIN_PCT);
        let known = [self.within_iteration_pct, self.within_process_pct].into_iter().flatten().filter(matters);
        known.max_by(|a, b| a.estimate.abs().total_cmp(&b.estimate.abs()))
    }

    /// Whether either change is known to exceed 2 %.
    pub fn is_unsteady(&self) -> bool {
        self.change_pct().is_some()
    }
}

/// Single operations.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
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
}

impl Latencies {
    /// Whether an operation of `ns` nanoseconds can be distinguished from an empty loop.
    pub fn is_resolved(&self, ns: f64) -> bool {
        ns >= self.resolved_from_ns
    }
}

/// The result claimed by timestamps around part of the loop, compared with the loop timed as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
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
    /// A claim may exceed the rate by this factor for the loop around the operation alone.
    const LOOP: f64 = 1.1;

    /// Whether the claim is known to exceed the actual rate, beyond what the loop around an operation explains.
    pub fn is_inflated(&self) -> bool {
        self.inflation.has_confidence() && self.inflation.low > Self::LOOP
    }
}
