use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use chronoscope_harness::record::{Disturbance, Spread};

/// How long pauses really take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pause {
    /// Every way to pause that was tried, at every length.
    pub methods: Vec<PauseMethod>,
    /// Ways that could not be tried.
    pub unavailable: Vec<PauseUnavailable>,
    /// Rounds, each in a process of its own, in which ways and lengths take turns.
    pub rounds: u64,
    /// Whether a thread that never sleeps ran on the same CPU all the while.
    pub loaded: bool,
    /// What was published, on other machines and for other ways.
    pub published: Vec<PublishedPause>,
    /// What disturbed it.
    pub disturbance: Disturbance,
}

impl Pause {
    /// The lengths that were tried, rising.
    pub fn lengths_ns(&self) -> Vec<u64> {
        let mut lengths: Vec<u64> = self.methods.iter().map(|method| method.figures.requested_ns).collect();
        lengths.sort_unstable();
        lengths.dedup();
        lengths
    }

    /// Every way at this length.
    pub fn of_length(&self, length_ns: u64) -> impl Iterator<Item = &PauseMethod> {
        self.methods.iter().filter(move |method| method.figures.requested_ns == length_ns)
    }
}

/// One way to pause, for one length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PauseMethod {
    /// The way.
    pub way: PauseWay,
    /// What it took.
    #[serde(flatten)]
    pub figures: PauseFigures,
    /// Involuntary switches of the thread: to another that the kernel preferred, or that a yield gave way to.
    pub preempted: u64,
}

/// What pauses of one way and length took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PauseFigures {
    /// The way's name.
    pub name: String,
    /// How long the pause was to take.
    pub requested_ns: u64,
    /// Pauses.
    pub samples: u64,
    /// The mean of all.
    pub mean_ns: f64,
    /// The median: over rounds the median of each round's.
    pub p50_ns: Spread,
    /// The 99th percentile of all.
    pub p99_ns: f64,
    /// The 99.9th percentile of all; null with fewer than a thousand.
    pub p999_ns: Option<f64>,
    /// The longest less what was requested.
    pub max_over_ns: f64,
    /// The share of a CPU that the thread took, pauses in a row; 0 where it is not told.
    pub cpu_share: f64,
    /// Pauses that ended before their time by the clock that they were asked of; must be none.
    pub early: u64,
}

impl PauseFigures {
    /// By how much more than was requested the median pause took.
    pub fn late_p50_ns(&self) -> f64 {
        self.p50_ns.median - self.requested_ns as f64
    }

    /// The CPU time of one pause; None where it is not told.
    pub fn cpu_ns(&self) -> Option<f64> {
        let ns = self.cpu_share * self.mean_ns;
        (ns > 0.0).then_some(ns)
    }
}

/// A way that could not be tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PauseUnavailable {
    /// The way's name.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// A way to pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PauseWay {
    /// `std::thread::sleep`.
    StdSleep,
    /// `chronoscope_clock::pause::sleep`: an absolute deadline, the least timer slack.
    Sleep,
    /// `chronoscope_clock::pause::hybrid` with a margin of 50 µs.
    Hybrid,
    /// `chronoscope_clock::pause::Pauser`, which learns.
    Pauser,
    /// The same with time slices of 100 µs.
    PauserSlice,
    /// The same under the real-time policy.
    PauserRealTime,
    /// Reading a clock and yielding in turn.
    Yield,
    /// `chronoscope_clock::pause::spin`.
    Spin,
}

impl PauseWay {
    /// Every way.
    pub const ALL: [Self; 8] = [
        Self::StdSleep,
        Self::Sleep,
        Self::Hybrid,
        Self::Pauser,
        Self::PauserSlice,
        Self::PauserRealTime,
        Self::Yield,
        Self::Spin,
    ];

    /// The name that reports use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::StdSleep => "std::thread::sleep",
            Self::Sleep => "pause::sleep",
            Self::Hybrid => "pause::hybrid, 50 µs",
            Self::Pauser => "Pauser",
            Self::PauserSlice => "Pauser, slice 100 µs",
            Self::PauserRealTime => "Pauser, real time",
            Self::Yield => "read and yield",
            Self::Spin => "pause::spin",
        }
    }
}

/// Published figures of one way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedPause {
    /// The way.
    pub name: String,
    /// What was requested and what it took, both in nanoseconds.
    pub mean_ns: Vec<(u64, f64)>,
    /// Who published it.
    pub source: String,
}
