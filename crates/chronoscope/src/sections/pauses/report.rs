use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

    /// The method of this name, if it is one of ours.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|way| way.name() == name)
    }

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
