use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the clock of the library `chronoscope-clock` says of itself here, in a process that has read it for a while.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LibraryClock {
    /// How far it can be trusted.
    pub state: LibraryClockState,
    /// Where its rate and offset come from, by name: `kernel_data`, `brackets`, `system_clock` …
    pub rate_source: String,
    /// The same in words.
    pub rate_source_said: String,
    /// Why the state is not better, and what else should be known.
    pub reasons: Vec<LibraryClockReason>,
    /// How far an ordered read may lie from `CLOCK_MONOTONIC`, either way.
    pub error_bound_ns: u64,
    /// How far its rate may be from that of `CLOCK_MONOTONIC`, in parts per billion.
    pub rate_error_ppb: u64,
    /// The time between two looks at its reference while it is read.
    pub refresh_interval_ns: u64,
    /// The counter's frequency as the clock converts it; null in fallback.
    pub counter_hz: Option<f64>,
    /// How often it looked at its reference.
    pub looks: u64,
    /// How often counter and system clock jumped against each other.
    pub jumps: u64,
    /// The furthest that it was found from its reference.
    pub worst_lag_ns: u64,
}

/// How far the library's clock can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LibraryClockState {
    /// The kernel itself keeps time by the counter, and the clock follows it within its bound.
    Verified,
    /// It runs by the counter, and something is less sure than it should be.
    Degraded,
    /// The counter cannot be trusted: its times are the system's.
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
