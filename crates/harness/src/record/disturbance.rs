use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What disturbed a measurement while it ran, counted by the kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Disturbance {
    /// The CPUs that the measuring threads were bound to; empty if they could not be bound.
    pub cpus: Vec<u32>,
    /// Why the threads could not be bound to a CPU.
    pub reason_unpinned: Option<String>,
    /// Time the hypervisor gave to others on these CPUs, in milliseconds, to the kernel's tick.
    pub steal_ms: Option<f64>,
    /// How often the kernel took a measuring thread off its CPU.
    pub involuntary_switches: Option<u64>,
    /// How often a measuring thread was moved to another CPU.
    pub migrations: Option<u64>,
    /// How long measuring threads were ready to run and waited for a CPU that others had, in milliseconds; null where the
    /// kernel does not count it, and in records of builds that did not ask.
    #[serde(default)]
    pub waited_ms: Option<f64>,
}

impl Disturbance {
    /// What two measurements suffered together. A count that only one of them has is kept.
    pub fn merge(&mut self, other: &Self) {
        for cpu in &other.cpus {
            if !self.cpus.contains(cpu) {
                self.cpus.push(*cpu);
            }
        }
        self.cpus.sort_unstable();
        if self.reason_unpinned.is_none() {
            self.reason_unpinned.clone_from(&other.reason_unpinned);
        }
        self.steal_ms = sum(self.steal_ms, other.steal_ms, |a, b| a + b);
        self.involuntary_switches = sum(self.involuntary_switches, other.involuntary_switches, u64::saturating_add);
        self.migrations = sum(self.migrations, other.migrations, u64::saturating_add);
        self.waited_ms = sum(self.waited_ms, other.waited_ms, |a, b| a + b);
    }
}

fn sum<T>(a: Option<T>, b: Option<T>, add: impl Fn(T, T) -> T) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(add(a, b)),
        (a, b) => a.or(b),
    }
}
