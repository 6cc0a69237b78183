use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use chronoscope_harness::record::Bin;

/// A schedule of events, and when they really came.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pace {
    /// Events per second that were requested.
    pub rate_per_s: f64,
    /// For how long.
    pub for_ms: u64,
    /// Whether events come at random times of that rate.
    pub poisson: bool,
    /// What becomes of late events: `catch_up`, `catch_up_within`, `skip`, `slip`.
    pub behind: String,
    /// Later than this, in milliseconds, and an event is left out; null but for `catch_up_within`.
    #[serde(default)]
    pub most_late_ms: Option<f64>,
    /// Whether it ran under the real-time policy.
    pub real_time: bool,
    /// Why it did not, where that was requested.
    pub reason_no_real_time: Option<String>,
    /// The program that was given an event's line each; null for none.
    pub command: Option<String>,
    /// A stall that was put into the handling of one event, in milliseconds.
    pub stall_ms: Option<f64>,
    /// Events that started.
    pub events: u64,
    /// Events that were left out.
    pub missed: u64,
    /// By how much the schedule moved in all.
    pub slipped_ms: f64,
    /// Why it ended before its time, other than by the user's wish.
    pub reason_ended: Option<String>,
    /// Events per second; null for fewer than two. Of a steady rate, fitted to all events; of random times, from when
    /// the first should start to when the last did.
    pub achieved_per_s: Option<f64>,
    /// By how much that differs from what was requested, with what was left out and how far the schedule moved; null
    /// for random
    /// times.
    pub rate_error_ppm: Option<f64>,
    /// How far that may be off where each reading of the clock is off by its error, at worst; null where that is not told.
    #[serde(default)]
    pub rate_error_bound_ppm: Option<f64>,
    /// From the intended to the actual start.
    pub lateness_ns: PaceTimes,
    /// From the intended start to the end: what the event's user sees. Of events that are handed to `command`, only until
    /// the line was in the pipe: what the program takes then is in no figure, so that this is not its response.
    pub response_ns: PaceTimes,
    /// From the actual start to the end: all that a tool sees that forgets what waited. Of events that are handed to
    /// `command`, the hand-over; see `handover_ns`.
    pub service_ns: PaceTimes,
    /// From the actual start until the event's line was in the pipe to `command`; null without one. It is no response: the
    /// pipe takes lines whether or not the program reads them, until it is full.
    #[serde(default)]
    pub handover_ns: Option<PaceTimes>,
    /// Bytes that the pipe to `command` holds before handing over waits for the program; null where that is not told.
    #[serde(default)]
    pub pipe_bytes: Option<u64>,
    /// Lines that `command` had not read to their end when the last was handed over; null where that is not told.
    #[serde(default)]
    pub unread_lines: Option<u64>,
    /// Lines per second that `command` took out of the pipe, from the schedule's zero until the last was handed over; null where
    /// that is not told.
    #[serde(default)]
    pub lines_taken_per_s: Option<f64>,
    /// Whether `command` was ended by force, since it did not end by itself within two seconds after its last line; it
    /// may not have read them all. Null without one.
    #[serde(default)]
    pub command_killed: Option<bool>,
    /// Of all lateness, what the handling of earlier events caused, 0 to 1: handing lines to `command`, interruptions of that
    /// included, and the stall. 0 where there was neither. A backlog counts as its first cause's.
    pub late_share_caller: f64,
    /// What the machine caused that took the CPU while it was kept.
    pub late_share_machine: f64,
    /// What the pacer's own waits caused: sleeps that ended late, and its own steps.
    pub late_share_pacer: f64,
    /// The share of a CPU that the pacing thread took; null where it is not told.
    pub cpu_share: Option<f64>,
}

/// A distribution of times, each kept to a thousandth of itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PaceTimes {
    /// The mean.
    pub mean: f64,
    /// The median.
    pub p50: u64,
    /// The 90th percentile.
    pub p90: u64,
    /// The 99th percentile.
    pub p99: u64,
    /// The 99.9th percentile.
    pub p999: u64,
    /// The largest.
    pub max: u64,
    /// Counts by octave: from `low` up to, and without, `high`.
    pub histogram: Vec<Bin>,
}
