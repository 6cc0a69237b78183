use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::record::Disturbance;

/// One worker process.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StudyProcess {
    /// Its number.
    pub fork: u32,
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CaseFailure {
    /// The case.
    pub case: String,
    /// Backoff, threads and parameters at which it failed, in words.
    pub at: String,
    /// Why it failed.
    pub reason: String,
}

/// Results of the interference probes around every visit: a chain of dependent multiplications, and a loop limited only
/// by the core's width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InterferenceProbe {
    /// Total visits.
    pub visits: u64,
    /// Those with undisturbed probes and no involuntary context switch.
    pub visits_quiet: u64,
    /// Visits with a busy SMT sibling: the loop ran slow, the chain did not.
    pub visits_shared: u64,
    /// Visits in which the chain ran slow too: another frequency, or stolen time.
    pub visits_slow: u64,
    /// Visits in which a thread was preempted.
    pub visits_preempted: u64,
    /// Nanoseconds per turn of the loop in the quietest visits.
    pub quiet_turn_ns: f64,
    /// Nanoseconds per link of the chain in the quietest visits.
    pub quiet_link_ns: f64,
}

impl InterferenceProbe {
    /// Whether fewer than half of the visits were quiet: the program rarely had the core to itself.
    pub fn is_noisy(&self) -> bool {
        self.visits_quiet < self.visits.div_ceil(2)
    }
}
