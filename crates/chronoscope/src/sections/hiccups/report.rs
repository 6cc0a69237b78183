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
