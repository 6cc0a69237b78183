use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use chronoscope_harness::estimators::pauses::{PauseFigures, PauseUnavailable, PublishedPause};
use chronoscope_harness::record::Disturbance;

/// The actual length of pauses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pause {
    /// Every method tried, at every length.
    pub methods: Vec<PauseMethod>,
    /// Methods that could not be tried.
    pub unavailable: Vec<PauseUnavailable>,
    /// Rounds, each in its own process, in which methods and lengths take turns.
    pub rounds: u64,
    /// Whether a thread that never sleeps ran on the same CPU throughout.
    pub loaded: bool,
    /// Published figures, from other machines and for other methods.
    pub published: Vec<PublishedPause>,
    /// What disturbed it.
    pub disturbance: Disturbance,
}

impl Pause {
    /// The lengths tried, ascending.
    pub fn lengths_ns(&self) -> Vec<u64> {
        let mut lengths: Vec<u64> = self.methods.iter().map(|method| method.figures.requested_ns).collect();
        lengths.sort_unstable();
        lengths.dedup();
        lengths
    }

    /// Every method at this length.
    pub fn of_length(&self, length_ns: u64) -> impl Iterator<Item = &PauseMethod> {
        self.methods.iter().filter(move |method| method.figures.requested_ns == length_ns)
    }
}

/// One method of pausing, at one length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PauseMethod {
    /// The method.
    pub way: PauseWay,
    /// Its durations.
    #[serde(flatten)]
    pub figures: PauseFigures,
    /// Involuntary context switches of the thread: to one preferred by the kernel, or one that a yield gave way to.
    /// Null where the system does not count them.
    pub preempted: Option<u64>,
}

/// A method of pausing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PauseWay {
    /// `std::thread::sleep`.
    StdSleep,
    /// `chronoscope_clock::pause::sleep`: an absolute deadline, minimal timer slack.
    Sleep,
    /// `chronoscope_clock::pause::hybrid` with a margin of 50 µs.
    Hybrid,
    /// `chronoscope_clock::pause::Pauser`, which learns.
    Pauser,
    /// The same with time slices of 100 µs.
    PauserSlice,
    /// The same under the real-time policy.
    PauserRealTime,
    /// Alternately reading a clock and yielding.
    Yield,
    /// `chronoscope_clock::pause::spin`.
    Spin,
}

impl PauseWay {
    /// Every method.
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

    /// The name used in reports.
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
