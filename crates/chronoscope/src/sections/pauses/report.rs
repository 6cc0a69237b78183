use chronoscope_harness::estimators::pauses::{PauseFigures, Pauses};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A way to wait that keeps its CPU busy for less than this share leaves it to others for most of the time.
const MOSTLY_IDLE: f64 = 0.5;

/// Of the ways to wait for so long that leave the CPU to others for most of it, the one whose median ends least late. One whose CPU
/// time is not known is none of them.
pub fn least_late(seen: &Pauses, length_ns: u64) -> Option<&PauseFigures> {
    let is_mostly_idle = |method: &&PauseFigures| method.cpu_ns().is_some() && method.cpu_share < MOSTLY_IDLE;
    let of_length = seen.methods.iter().filter(|method| method.requested_ns == length_ns);
    of_length.filter(is_mostly_idle).min_by(|a, b| a.late_p50_ns().total_cmp(&b.late_p50_ns()))
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

    /// The method of this name, if it is one of ours.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|way| way.name() == name)
    }

    /// The name of the same way among published figures, where there are some of it.
    pub const fn published_as(self) -> Option<&'static str> {
        match self {
            Self::Spin => Some("busy wait"),
            _ => None,
        }
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
