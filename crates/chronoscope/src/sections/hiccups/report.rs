//! The section's report: plain data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use chronoscope_harness::estimators::reads::READINGS_PER_GAP;
use chronoscope_harness::record::Times;

/// Stalls of threads that only compute, and of threads that sleep.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HiccupsReport {
    /// How long threads looked out, in milliseconds.
    pub observed_ms: f64,
    /// Per way and CPU.
    pub cpus: Vec<Hiccups>,
    /// Per way, on all CPUs together.
    pub all: Vec<Hiccups>,
    /// Why threads could not be pinned, so that none of this is per CPU.
    pub reason_unpinned: Option<String>,
    /// CPUs that could not be watched.
    pub unavailable: Vec<CpuUnavailable>,
    /// The interval log, if one was written.
    pub log: Option<LogReport>,
    /// The program that ran meanwhile.
    pub program: Option<ProgramReport>,
    /// The longest stalls over time; null in records of earlier versions, and where nothing was late.
    #[serde(default)]
    pub over_time: Option<StallsOverTime>,
}

/// The longest stall of each way in each of equally long intervals.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StallsOverTime {
    /// How long an interval is, in milliseconds.
    pub interval_ms: f64,
    /// By way, then by time; at most 200 of each way. An interval in which nothing looked out that way has none.
    pub longest: Vec<LongestStall>,
}

/// The longest stall of an interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LongestStall {
    /// When the interval began, since the run did.
    pub from_ms: f64,
    /// How the thread looked out.
    pub way: HiccupWay,
    /// The CPU; null for a thread that could not be pinned.
    pub cpu: Option<u32>,
    /// How late the latest look was.
    pub late_ns: f64,
    /// What explains at least half of it.
    pub cause: StallCause,
}

/// What a stall is due to, as far as the kernel counted it at the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StallCause {
    /// A CPU quota stopped the process for at least that long.
    Quota,
    /// The thread was runnable and waited for its CPU, whatever else its looks were late by.
    OtherThreads,
    /// The hypervisor took at least that much time from the CPU.
    OtherGuests,
    /// Nothing that the kernel counts by thread or CPU: interrupts, idle states, timers, firmware, or a host that tells nothing.
    Unexplained,
}

impl StallCause {
    /// In the order in which they are told.
    pub const ALL: [Self; 4] = [Self::OtherThreads, Self::OtherGuests, Self::Quota, Self::Unexplained];

    /// What it is called.
    pub const fn words(self) -> &'static str {
        match self {
            Self::OtherThreads => "other threads",
            Self::OtherGuests => "the hypervisor",
            Self::Quota => "a CPU quota",
            Self::Unexplained => "unexplained",
        }
    }
}

/// How a thread watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HiccupWay {
    /// It only computes: it reads the clock without pause, and looks every 10 µs.
    Spin,
    /// It sleeps, and is woken every millisecond.
    Sleep,
}

impl HiccupWay {
    /// In the order of reports.
    pub const ALL: [Self; 2] = [Self::Spin, Self::Sleep];

    /// The name used in reports and logs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Spin => "spin",
            Self::Sleep => "sleep",
        }
    }
}

/// One way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Hiccups {
    /// The CPU; null for all of them together, and for a thread that could not be pinned.
    pub cpu: Option<u32>,
    /// How the thread looked out.
    pub way: HiccupWay,
    /// What it saw.
    #[serde(flatten)]
    pub figures: HiccupFigures,
}

/// How late looks at the clock were. Looks that a hiccup prevented count, each as late as it was.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HiccupFigures {
    /// How long was observed, in milliseconds.
    pub observed_ms: f64,
    /// Looks that were due.
    pub looks: u64,
    /// Lateness of all looks.
    pub late_ns: Times,
    /// Share of moments, 0 to 1, at which work would have waited longer than 10 µs; means nothing where a read of the clock takes
    /// over 1 µs.
    pub share_over_10_us: f64,
    /// Share of moments at which work would have waited longer than 100 µs.
    pub share_over_100_us: f64,
    /// Share of moments at which work would have waited longer than 1 ms.
    pub share_over_1_ms: f64,
}

impl Hiccups {
    /// Whether moments at which work would have waited for `longer_than_ns` can be told. A look ends with a read of the clock, so
    /// none is earlier than a read takes; where even the earliest is late by more than a tenth of that, as with an HPET that a
    /// hypervisor emulates, the clock's reads would be told as stalls. What a sleeping thread waits for is not the clock.
    pub fn tells(&self, longer_than_ns: f64) -> bool {
        let earliest = self.figures.late_ns.histogram.bins.iter().map(|bin| bin.from_ns).reduce(f64::min);
        self.way == HiccupWay::Sleep || earliest.is_none_or(|ns| ns * READINGS_PER_GAP <= longer_than_ns)
    }
}

/// A CPU that could not be watched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CpuUnavailable {
    pub cpu: u32,
    /// Why.
    pub reason: String,
}

/// An interval log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogReport {
    pub file: String,
    /// Intervals written.
    pub intervals: u64,
    /// Why no more were written, before the end of the run.
    pub reason_ended: Option<String>,
}

/// How a program ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProgramReport {
    /// Its exit code; null if a signal ended it.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Whether it was asked to end, since the time was over or the run was interrupted.
    pub stopped: bool,
    /// Whether it did not, and was killed.
    pub killed: bool,
}
