use serde::{Deserialize, Serialize};

/// What disturbed a measurement while it ran, counted by the kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Disturbance {
    /// The CPUs that the measuring threads were pinned to; empty if they could not be pinned.
    pub cpus: Vec<u32>,
    /// Why the threads could not be pinned.
    pub reason_unpinned: Option<String>,
    /// CPU time stolen by the hypervisor on these CPUs, in milliseconds, at kernel tick resolution.
    pub steal_ms: Option<f64>,
    /// How often the kernel preempted a measuring thread.
    pub involuntary_switches: Option<u64>,
    /// How often a measuring thread was moved to another CPU.
    pub migrations: Option<u64>,
    /// How long measuring threads were runnable but waited for a CPU, in milliseconds; null where the kernel does not
    /// count it.
    pub waited_ms: Option<f64>,
}

impl Disturbance {
    /// The combined disturbance of two measurements. A count present in only one is kept.
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
