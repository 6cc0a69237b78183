//! The kernel's word on its wall clock: `adjtimex`, asked to change nothing.

use chronoscope_clock::os::{KernelDiscipline, kernel_discipline};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::known::Known;

/// The length of a tick that changes no rate, at 100 ticks per second as every Linux tells programs.
const NOMINAL_TICK_US: f64 = 10_000.0;
/// `SHIFT_PLL` of kernel/time/ntp.c: each second the loop slews away one part in 2^(this + time constant).
const SHIFT_PLL: i64 = 2;
/// The largest time constant (`MAXTC`).
const LARGEST_TIME_CONSTANT: i64 = 10;
/// What `adjtime` slews by at most (`MAX_TICKADJ`).
const ADJTIME_PPM: f64 = 500.0;

/// What the kernel says about its wall clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "KernelDiscipline")]
pub struct Kernel {
    /// Whether a daemon has told the kernel that the clock is synchronised, and not long ago.
    pub is_synchronised: bool,
    /// The flags that are set.
    pub flags: Vec<StatusFlag>,
    /// What is to come of leap seconds.
    pub state: ClockState,
    /// The frequency correction, without the part made by the length of the tick.
    pub frequency_ppm: f64,
    /// The part of the correction made by the length of the tick.
    pub tick_ppm: f64,
    /// What the kernel's loop has yet to slew away.
    pub offset_ns: i64,
    /// What `adjtime` has yet to slew away; null where the kernel does not say.
    pub adjtime_ns: Option<i64>,
    /// By how much the clock is sped up now to slew those two away.
    pub offset_slew_ppm: f64,
    /// The bound on the clock's error that a daemon stated, as the kernel has raised it since.
    pub max_error_ns: i64,
    /// The error that a daemon expects.
    pub est_error_ns: i64,
    /// The time constant of the kernel's loop, as a power of two.
    pub time_constant: i64,
    /// TAI − UTC; null where nobody has told the kernel.
    pub tai_offset_s: Option<i32>,
    /// A pulse per second; null where none is connected.
    pub pps: Option<Pps>,
    /// `max_error_ns` with all that can be added to it: half the width of the interval that contains UTC.
    pub error_bound_ns: Known<u64>,
}

/// A pulse per second that disciplines the clock.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pps {
    /// The frequency by it.
    pub frequency_ppm: f64,
    /// How far that wanders.
    pub stability_ppm: f64,
    /// The jitter of the pulses.
    pub jitter_ns: i64,
}

/// A flag of the kernel's status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatusFlag {
    Pll,
    PpsFrequency,
    PpsTime,
    Fll,
    InsertLeap,
    DeleteLeap,
    Unsynchronised,
    FrequencyHeld,
    PpsSignal,
    PpsJitter,
    PpsWander,
    PpsError,
    HardwareFault,
    Nanoseconds,
    FllMode,
    ClockB,
}

/// Bit, flag and the name in `<sys/timex.h>`. Source: Linux include/uapi/linux/timex.h.
const FLAGS: [(i32, StatusFlag, &str); 16] = [
    (0x0001, StatusFlag::Pll, "PLL"),
    (0x0002, StatusFlag::PpsFrequency, "PPSFREQ"),
    (0x0004, StatusFlag::PpsTime, "PPSTIME"),
    (0x0008, StatusFlag::Fll, "FLL"),
    (0x0010, StatusFlag::InsertLeap, "INS"),
    (0x0020, StatusFlag::DeleteLeap, "DEL"),
    (0x0040, StatusFlag::Unsynchronised, "UNSYNC"),
    (0x0080, StatusFlag::FrequencyHeld, "FREQHOLD"),
    (0x0100, StatusFlag::PpsSignal, "PPSSIGNAL"),
    (0x0200, StatusFlag::PpsJitter, "PPSJITTER"),
    (0x0400, StatusFlag::PpsWander, "PPSWANDER"),
    (0x0800, StatusFlag::PpsError, "PPSERROR"),
    (0x1000, StatusFlag::HardwareFault, "CLOCKERR"),
    (0x2000, StatusFlag::Nanoseconds, "NANO"),
    (0x4000, StatusFlag::FllMode, "MODE"),
    (0x8000, StatusFlag::ClockB, "CLK"),
];

impl StatusFlag {
    /// The name in `<sys/timex.h>`, without `STA_`.
    pub fn name(self) -> &'static str {
        FLAGS.iter().find(|(_, flag, _)| *flag == self).map_or("", |(.., name)| name)
    }
}

/// What `adjtimex` returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClockState {
    /// No leap second is near.
    Ok,
    /// A second will be inserted at the end of this UTC day.
    Insert,
    /// A second will be left out at the end of this UTC day.
    Delete,
    /// An inserted second is under way.
    InLeapSecond,
    /// A leap second is over, and its flag not cleared yet.
    LeapSecondOver,
    /// The clock is not synchronised.
    Unsynchronised,
    /// A number that this program does not know.
    Unknown,
}

impl ClockState {
    fn of(number: i32) -> Self {
        match number {
            0 => Self::Ok,
            1 => Self::Insert,
            2 => Self::Delete,
            3 => Self::InLeapSecond,
            4 => Self::LeapSecondOver,
            5 => Self::Unsynchronised,
            _ => Self::Unknown,
        }
    }
}

impl Kernel {
    /// The whole frequency correction.
    pub fn correction_ppm(&self) -> f64 {
        self.frequency_ppm + self.tick_ppm
    }

    /// By how much `CLOCK_MONOTONIC` runs faster than `CLOCK_MONOTONIC_RAW` now, as far as the kernel says.
    pub fn slew_ppm(&self) -> f64 {
        self.correction_ppm() + self.offset_slew_ppm
    }

    pub fn has(&self, flag: StatusFlag) -> bool {
        self.flags.contains(&flag)
    }

    /// What is still to be slewed away, by the kernel's loop and by `adjtime`.
    pub fn to_slew_ns(&self) -> i64 {
        self.offset_ns.saturating_add(self.adjtime_ns.unwrap_or(0))
    }
}

/// Asks the kernel.
pub fn read() -> Known<Kernel> {
    let bound = chronoscope_clock::utc().map(|utc| u64::try_from(utc.width().as_nanos() / 2).unwrap_or(u64::MAX));
    kernel_discipline().map(|told| kernel(&told, bound.into())).into()
}

/// What the kernel's numbers mean.
pub fn kernel(told: &KernelDiscipline, error_bound_ns: Known<u64>) -> Kernel {
    let flags: Vec<StatusFlag> =
        FLAGS.iter().filter(|(bit, ..)| told.status & bit != 0).map(|(_, flag, _)| *flag).collect();
    let state = ClockState::of(told.state);
    let is_out = flags.contains(&StatusFlag::Unsynchronised) || flags.contains(&StatusFlag::HardwareFault);
    let pps = flags.contains(&StatusFlag::PpsSignal).then(|| Pps {
        frequency_ppm: scaled_ppm(told.pps_frequency_scaled_ppm),
        stability_ppm: scaled_ppm(told.pps_stability_scaled_ppm),
        jitter_ns: told.pps_jitter_ns,
    });
    let adjtime_ns = told.adjtime_us.map(|us| us.saturating_mul(1_000));
    Kernel {
        is_synchronised: !is_out && !matches!(state, ClockState::Unsynchronised | ClockState::Unknown),
        state,
        frequency_ppm: told.frequency_ppm(),
        tick_ppm: (told.tick_us as f64 / NOMINAL_TICK_US - 1.0) * 1e6,
        offset_ns: told.offset_ns,
        adjtime_ns,
        offset_slew_ppm: loop_ppm(told, &flags) + adjtime_ppm(told.adjtime_us.unwrap_or(0)),
        max_error_ns: told.max_error_us.saturating_mul(1_000),
        est_error_ns: told.est_error_us.saturating_mul(1_000),
        time_constant: told.time_constant,
        tai_offset_s: (told.tai_offset_s != 0).then_some(told.tai_offset_s),
        flags,
        pps,
        error_bound_ns,
    }
}

fn scaled_ppm(scaled: i64) -> f64 {
    scaled as f64 / 65_536.0
}

/// By how much the kernel's loop speeds the clock up in this second: of what it had to slew away at the second's start it
/// took one part in 2^k, and `offset_ns` is the rest. With a pulse per second it takes all at once, and nothing is left.
fn loop_ppm(told: &KernelDiscipline, flags: &[StatusFlag]) -> f64 {
    if flags.contains(&StatusFlag::PpsTime) && flags.contains(&StatusFlag::PpsSignal) {
        return 0.0;
    }
    let shift = SHIFT_PLL + told.time_constant.clamp(0, LARGEST_TIME_CONSTANT);
    told.offset_ns as f64 / ((1_i64 << shift) - 1) as f64 / 1_000.0
}

/// The same of `adjtime`: 500 µs per second until less is left, which goes in one second.
fn adjtime_ppm(left_us: i64) -> f64 {
    (left_us as f64).clamp(-ADJTIME_PPM, ADJTIME_PPM)
}
