use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use chronoscope_harness::record::Times;

/// A schedule of events, and when they actually occurred.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pace {
    /// Requested rate, events per second.
    pub rate_per_s: f64,
    /// Requested length.
    pub for_ms: u64,
    /// Whether arrivals are Poisson at this rate.
    pub poisson: bool,
    /// Policy for late events: `catch_up`, `catch_up_within`, `skip`, `slip`.
    pub behind: String,
    /// Events later than this, in milliseconds, are skipped; null except for `catch_up_within`.
    #[serde(default)]
    pub most_late_ms: Option<f64>,
    /// Whether it ran under the real-time policy.
    pub real_time: bool,
    /// Why it did not, where that was requested.
    pub reason_no_real_time: Option<String>,
    /// A stall injected into the handling of one event, in milliseconds.
    pub stall_ms: Option<f64>,
    /// Events that started.
    pub events: u64,
    /// Events skipped.
    pub missed: u64,
    /// The schedule's total shift.
    pub slipped_ms: f64,
    /// Achieved rate, events per second; null for fewer than two. For a steady rate, fitted to all events, or,
    /// where over a quarter of the run was late by more than a period, from its first events to its last; for random times,
    /// from the intended start of the first to the actual start of the last.
    pub achieved_per_s: Option<f64>,
    /// Deviation from the requested rate, including skipped events and the schedule's shift; null for random times.
    pub rate_error_ppm: Option<f64>,
    /// Worst-case error of that deviation if each clock reading is off by its error; null if unknown.
    #[serde(default)]
    pub rate_error_bound_ppm: Option<f64>,
    /// The step in which the pacing clock moves: these times are no finer, nor are the bins of their histograms; null if unknown.
    #[serde(default)]
    pub clock_step_ns: Option<f64>,
    /// From the intended to the actual start; like the next two accurate to a thousandth of itself, and to the clock's step.
    pub lateness_ns: Times,
    /// From the intended start to the end: the latency that the event's user experiences.
    pub response_ns: Times,
    /// From the actual start to the end: all that a tool measures if it ignores waiting.
    pub service_ns: Times,
    /// Share of all lateness caused by the handling of earlier events, 0 to 1: the stall. 0 if there was none. A backlog
    /// counts towards its first cause.
    pub late_share_caller: f64,
    /// Share caused by the machine taking away the CPU.
    pub late_share_machine: f64,
    /// Share caused by the pacer's own waits: late wake-ups from sleep, and its own steps.
    pub late_share_pacer: f64,
    /// The pacing thread's share of a CPU; null if unknown.
    pub cpu_share: Option<f64>,
    /// The latest events over time; null in records of earlier versions, and where no event was late.
    #[serde(default)]
    pub over_time: Option<LatestOverTime>,
}

/// The latest event of each of equally long intervals.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LatestOverTime {
    /// How long an interval is, in milliseconds.
    pub interval_ms: f64,
    /// By time, at most 200. An interval in which no event was late has none.
    pub latest: Vec<LatestEvent>,
}

/// The latest event of those due in an interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LatestEvent {
    /// When the interval began, since the schedule did.
    pub from_ms: f64,
    /// From its intended to its actual start.
    pub late_ns: f64,
    /// What made most of that.
    pub cause: LateCause,
}

/// What makes an event late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LateCause {
    /// The handling of earlier events.
    Caller,
    /// The machine took the CPU away.
    Machine,
    /// The pacer's own waits.
    Pacer,
}

impl LateCause {
    /// In the order in which they are told.
    pub const ALL: [Self; 3] = [Self::Caller, Self::Machine, Self::Pacer];
}

impl Pace {
    /// By how much the schedule moved in milliseconds, where it did.
    pub fn moved_ms(&self) -> Option<f64> {
        Some(self.slipped_ms).filter(|slipped| *slipped > 0.0)
    }
}
