use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the clock of the library `chronoscope-clock` reports about itself, in a process that has been reading it for a
/// while.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LibraryClock {
    /// How reliable it is.
    pub state: LibraryClockState,
    /// The source of its rate, by name: `kernel_data`, `kvm_clock`, `hyper_v`, `system_clock`.
    pub rate_source: String,
    /// Why the state is not better, and other remarks, by name: `hypervisor`, `counter_forbidden` …
    pub reasons: Vec<String>,
    /// Maximum difference of an ordered read from `CLOCK_MONOTONIC`, in either direction.
    pub error_bound_ns: u64,
    /// The counter frequency used for conversion; null in fallback.
    pub counter_hz: Option<f64>,
    /// Readings compared with two of `CLOCK_MONOTONIC`, one before and one after.
    #[serde(default)]
    pub checks: u64,
    /// Readings outside that interval.
    #[serde(default)]
    pub checks_outside: u64,
    /// The largest distance from that interval.
    #[serde(default)]
    pub worst_outside_ns: u64,
}

/// How reliable the library's clock is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LibraryClockState {
    /// The kernel itself keeps time with the counter, and the clock performs the kernel's computation.
    Verified,
    /// It reads the system clock.
    Fallback,
}

impl LibraryClockState {
    /// The word used in reports.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Fallback => "fallback",
        }
    }
}
