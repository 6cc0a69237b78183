#[cfg(feature = "read")]
use serde::Deserialize;
use serde::Serialize;

use crate::record::Disturbance;

/// One worker process.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StudyProcess {
    /// Its number.
    pub process: u32,
    /// Its wall time in milliseconds.
    pub elapsed_ms: u64,
    /// Bytes of padding in its environment, which shift its stack.
    pub environment_padding: u32,
    /// Why it did not finish; its results so far count.
    pub reason_incomplete: Option<String>,
    /// What disturbed it.
    pub disturbance: Disturbance,
}

/// A case that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CaseFailure {
    /// The case.
    pub case: String,
    /// Parameters, backoff and threads at which it failed, in words; empty where there is nothing to tell apart.
    pub at: String,
    /// Why it failed.
    pub reason: String,
}

impl CaseFailure {
    /// The case, and at what it failed in brackets: `lookup (size 64, 2 threads)`.
    pub fn name(&self) -> String {
        if self.at.is_empty() { self.case.clone() } else { format!("{} ({})", self.case, self.at) }
    }
}

/// Results of the interference probes around every iteration: a chain of dependent multiplications, and a loop limited only
/// by the core's width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InterferenceProbe {
    /// Total iterations.
    pub iterations: u64,
    /// Those with undisturbed probes and no involuntary context switch.
    pub iterations_quiet: u64,
    /// Iterations with a busy SMT sibling: the loop ran slow, the chain did not.
    pub iterations_shared: u64,
    /// Iterations in which the chain ran slow too: another frequency, or stolen time.
    pub iterations_slow: u64,
    /// Iterations in which a thread was preempted.
    pub iterations_preempted: u64,
    /// Nanoseconds per turn of the loop in the quietest iterations.
    pub quiet_turn_ns: f64,
    /// Nanoseconds per link of the chain in the quietest iterations.
    pub quiet_link_ns: f64,
}

impl InterferenceProbe {
    /// An undisturbed loop or chain takes at most this many times as long as in the quietest iterations.
    pub const QUIET_FACTOR: f64 = 1.15;
    /// The quietest iterations: this share of all.
    pub const QUIETEST_SHARE: f64 = 0.05;

    /// A turn of the loop takes at most so long in an undisturbed iteration, in nanoseconds.
    pub fn slowest_quiet_turn_ns(&self) -> f64 {
        self.quiet_turn_ns * Self::QUIET_FACTOR
    }

    /// Whether fewer than half of the iterations were quiet: the program rarely had the core to itself.
    pub fn is_noisy(&self) -> bool {
        self.iterations_quiet < self.iterations.div_ceil(2)
    }
}
