use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the clock of the library `chronoscope-clock` says of itself here, in a process that has read it for a while.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LibraryClock {
    /// How far it can be trusted.
    pub state: LibraryClockState,
    /// Where its readings come from, by name: `kernel_data`, `kvm_clock`, `hyper_v`, `system_clock`.
    pub rate_source: String,
    /// The same in words.
    pub rate_source_said: String,
    /// Why the state is not better, and what else should be known.
    pub reasons: Vec<LibraryClockReason>,
    /// How far an ordered read may lie from `CLOCK_MONOTONIC`, either way.
    pub error_bound_ns: u64,
    /// The counter's frequency as the clock converts it; null in fallback.
    pub counter_hz: Option<f64>,
    /// Readings that were compared with two of `CLOCK_MONOTONIC`, one before and one after.
    #[serde(default)]
    pub checks: u64,
    /// Those of them that did not lie between the two.
    #[serde(default)]
    pub checks_outside: u64,
    /// How far beyond the two the furthest of them lay.
    #[serde(default)]
    pub worst_outside_ns: u64,
}

/// How far the library's clock can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LibraryClockState {
    /// The kernel itself keeps time by the counter, and the clock computes what the kernel computes.
    Verified,
    /// It reads the counter, and something is less sure than it should be.
    Degraded,
    /// Its times are the system's.
    Fallback,
}

impl LibraryClockState {
    /// The word that reports use.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Degraded => "degraded",
            Self::Fallback => "fallback",
        }
    }
}

/// Something to be known of the library's clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LibraryClockReason {
    /// Its name: `hypervisor`, `counter_forbidden` …
    pub name: String,
    /// The same as a clause.
    pub clause: String,
}
