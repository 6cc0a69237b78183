use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::record::Disturbance;

/// One worker process.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StudyProcess {
    /// Its number.
    pub fork: u32,
    /// Wall time that it took in milliseconds.
    pub elapsed_ms: u64,
    /// Bytes that its environment was padded with, which moves its stack.
    pub environment_padding: u32,
    /// Why it did not come to its end; what it had measured until then counts.
    pub reason_incomplete: Option<String>,
    /// What disturbed it.
    pub disturbance: Disturbance,
}

/// A case that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CaseFailure {
    /// The case.
    pub case: String,
    /// Tokens of backoff, threads and parameters at which it failed, in words.
    pub at: String,
    /// What happened.
    pub reason: String,
}

/// What two loops of known work around every visit told: a chain that waits for itself, and a loop that takes what the
/// core's width allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InterferenceProbe {
    /// Visits altogether.
    pub visits: u64,
    /// Those with undisturbed loops and no involuntary switch.
    pub visits_quiet: u64,
    /// Visits in which a neighbour took a part of the core: the loop ran slow, the chain did not.
    pub visits_shared: u64,
    /// Visits in which the chain ran slow too: another frequency, or time stolen.
    pub visits_slow: u64,
    /// Visits in which a thread was taken off its CPU.
    pub visits_preempted: u64,
    /// Nanoseconds per turn of the loop in the quietest visits.
    pub quiet_turn_ns: f64,
    /// Nanoseconds per link of the chain in the quietest visits.
    pub quiet_link_ns: f64,
}

impl InterferenceProbe {
    /// Whether fewer than half of the visits were quiet: the core was hardly ever the program's own.
    pub fn is_noisy(&self) -> bool {
        self.visits_quiet < self.visits.div_ceil(2)
    }
}
