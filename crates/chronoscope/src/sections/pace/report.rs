use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use chronoscope_harness::record::Bin;

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
    /// The program that received a line per event; null for none.
    pub command: Option<String>,
    /// A stall injected into the handling of one event, in milliseconds.
    pub stall_ms: Option<f64>,
    /// Events that started.
    pub events: u64,
    /// Events skipped.
    pub missed: u64,
    /// The schedule's total shift.
    pub slipped_ms: f64,
    /// Why it ended early, other than at the user's request.
    pub reason_ended: Option<String>,
    /// Achieved rate, events per second; null for fewer than two. For a steady rate, fitted to all events, or,
    /// where over a quarter of the run was late by more than a period, from its first events to its last; for random times,
    /// from the intended start of the first to the actual start of the last.
    pub achieved_per_s: Option<f64>,
    /// Deviation from the requested rate, including skipped events and the schedule's shift; null for random times.
    pub rate_error_ppm: Option<f64>,
    /// Worst-case error of that deviation if each clock reading is off by its error; null if unknown.
    #[serde(default)]
    pub rate_error_bound_ppm: Option<f64>,
    /// From the intended to the actual start.
    pub lateness_ns: PaceTimes,
    /// From the intended start to the end: the latency that the event's user experiences. For events handed to
    /// `command`, only until the line was in the pipe: the program's own time is in no figure, so this is not its
    /// response.
    pub response_ns: PaceTimes,
    /// From the actual start to the end: all that a tool measures if it ignores waiting. For events handed to
    /// `command`, the hand-over; see `handover_ns`.
    pub service_ns: PaceTimes,
    /// From the actual start until the event's line was in the pipe to `command`; null without one. It is not a
    /// response: the pipe accepts lines until it is full, whether or not the program reads them.
    #[serde(default)]
    pub handover_ns: Option<PaceTimes>,
    /// Capacity, in bytes, of the pipe to `command`, beyond which handing over waits for the program; null if unknown.
    #[serde(default)]
    pub pipe_bytes: Option<u64>,
    /// Lines that `command` had not completely read when the last was handed over; null if unknown.
    #[serde(default)]
    pub unread_lines: Option<u64>,
    /// Lines per second that `command` took from the pipe, from the schedule's zero until the last was handed over;
    /// null if unknown.
    #[serde(default)]
    pub lines_taken_per_s: Option<f64>,
    /// Whether `command` was killed because it did not exit within two seconds after its last line; it may not have
    /// read them all. Null without one.
    #[serde(default)]
    pub command_killed: Option<bool>,
    /// How `command` failed once it had been given all lines: its exit status, or the signal that ended it; null if it did not.
    #[serde(default)]
    pub command_failure: Option<String>,
    /// The answers of `command`; null unless it was asked for them. With answers an event ends when its answer is read:
    /// `response_ns` and `service_ns` include the program's own time, and `handover_ns` is apart.
    #[serde(default)]
    pub acks: Option<Acks>,
    /// The objectives, and whether they were met.
    #[serde(default)]
    pub slos: Vec<Slo>,
    /// Share of all lateness caused by the handling of earlier events, 0 to 1: handing lines to `command`, including
    /// interruptions of that, and the stall. 0 if there was neither. A backlog counts towards its first cause.
    pub late_share_caller: f64,
    /// Share caused by the machine taking away the CPU.
    pub late_share_machine: f64,
    /// Share caused by the pacer's own waits: late wake-ups from sleep, and its own steps.
    pub late_share_pacer: f64,
    /// The pacing thread's share of a CPU; null if unknown.
    pub cpu_share: Option<f64>,
}

impl Pace {
    /// By how much the schedule moved in milliseconds, where it did.
    pub fn moved_ms(&self) -> Option<f64> {
        Some(self.slipped_ms).filter(|slipped| *slipped > 0.0)
    }
}

/// The answers of a program that was asked for a line per event.
///
/// All lines that one read returns get the time of that read: an end is never too early, and late by no more than the
/// reading thread needed to get to run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Acks {
    /// Events that were answered.
    pub answered: u64,
    /// Events that were not answered by the end. They count with the time that they have waited, so that every percentile
    /// of `response_ns` and `service_ns` is a lower bound if there are any.
    pub unanswered: u64,
    /// Lines with the number of an event that had been answered already, or was dropped.
    pub repeated: u64,
    /// Lines with a number that no event had yet.
    pub unknown: u64,
    /// Lines that do not begin with a number.
    pub unreadable: u64,
    /// Reads that returned answers.
    pub reads: u64,
    /// Most answers that one read returned.
    pub most_per_read: u64,
}

impl Acks {
    /// Lines that answered no event.
    pub fn useless(&self) -> u64 {
        self.repeated.saturating_add(self.unknown).saturating_add(self.unreadable)
    }
}

/// An objective, and whether the run met it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Slo {
    /// The quantile, such as `p99` or `max`.
    pub objective: String,
    /// The longest time that it may have.
    pub limit_ns: u64,
    /// What was judged: `response` or `lateness`.
    pub of: String,
    /// The quantile of the run's own events; null if it is beyond all of them.
    pub observed_ns: Option<u64>,
    /// The lower end of an interval that holds the true quantile, from order statistics; null if it is beyond all events,
    /// and for `max`. Assumes that events are independent; a backlog makes neighbours alike, and the interval too narrow.
    pub low_ns: Option<u64>,
    /// The upper end; null if there are too few events for one, or too many without an answer.
    pub high_ns: Option<u64>,
    /// The confidence of the interval; null for `max`, which is that of this run alone.
    pub confidence: Option<f64>,
    /// Whether events without an answer make `observed_ns` and `low_ns` lower bounds.
    pub is_least: bool,
    /// Whether it was met.
    pub outcome: SloOutcome,
    /// Why it could not be told, or which events were missing.
    pub reason: Option<String>,
    /// About how many events would tell; null if it was told, or if that is not known.
    pub events_needed: Option<u64>,
}

/// Whether an objective was met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SloOutcome {
    /// The whole interval is within the limit.
    Met,
    /// The whole interval is above it.
    Missed,
    /// The events cannot tell; not met as far as an exit code goes.
    #[default]
    Unresolved,
}

/// A distribution of times, each accurate to a thousandth of itself.
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
    /// Counts by octave: from `low` up to but excluding `high`.
    pub histogram: Vec<Bin>,
}
