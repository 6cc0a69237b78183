//! The kernel's state of its wall clock: `adjtimex`, read-only.

use chronoscope_sources::os::{KernelDiscipline, kernel_discipline};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use chronoscope_harness::record::Known;

/// The tick length that leaves the rate unchanged, at 100 ticks per second as Linux reports to programs.
const NOMINAL_TICK_US: f64 = 10_000.0;
/// `SHIFT_PLL` of kernel/time/ntp.c: each second the loop slews away one part in 2^(this + time constant).
const SHIFT_PLL: i64 = 2;
/// The largest time constant (`MAXTC`).
const LARGEST_TIME_CONSTANT: i64 = 10;
/// Maximum slew of `adjtime` (`MAX_TICKADJ`).
const ADJTIME_PPM: f64 = 500.0;

/// The kernel's state of its wall clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "KernelDiscipline")]
pub struct Kernel {
    /// The flags that are set.
    pub flags: Vec<StatusFlag>,
    /// Pending leap seconds.
    pub state: ClockState,
    /// The frequency correction, excluding the part made by the tick length.
    pub frequency_ppm: f64,
    /// The part of the correction made by the tick length.
    pub tick_ppm: f64,
    /// The remaining offset that the kernel's loop will slew away.
    pub offset_ns: i64,
    /// The remaining offset that `adjtime` will slew away; null if the kernel does not report it.
    pub adjtime_ns: Option<i64>,
    /// The bound on the clock's error stated by a daemon, as raised by the kernel since.
    pub max_error_ns: i64,
    /// The error estimated by a daemon.
    pub est_error_ns: i64,
    /// The time constant of the kernel's loop, as a power of two.
    pub time_constant: i64,
    /// TAI − UTC; null if the kernel was not told.
    pub tai_offset_s: Option<i32>,
    /// A pulse per second; null if none is connected.
    pub pps: Option<Pps>,
    /// `max_error_ns` plus everything that can be added to it: half the width of the interval that contains UTC.
    pub error_bound_ns: Known<u64>,
}

/// A pulse per second that disciplines the clock.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pps {
    pub frequency_ppm: f64,
    /// The wander of that frequency.
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
    /// An inserted second is in progress.
    InLeapSecond,
    /// A leap second has passed, but its flag is not cleared yet.
    LeapSecondOver,
    /// The clock is not synchronised.
    Unsynchronised,
    /// A value unknown to this program.
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

    /// How much faster `CLOCK_MONOTONIC` currently runs than `CLOCK_MONOTONIC_RAW`, according to the kernel.
    pub fn slew_ppm(&self) -> f64 {
        self.correction_ppm() + self.offset_slew_ppm()
    }

    /// Whether a daemon has recently told the kernel that the clock is synchronised.
    pub fn is_synchronised(&self) -> bool {
        let is_out = self.has(StatusFlag::Unsynchronised) || self.has(StatusFlag::HardwareFault);
        !is_out && !matches!(self.state, ClockState::Unsynchronised | ClockState::Unknown)
    }

    /// Current speed-up of the clock to slew its offset away, by the kernel's loop and by `adjtime`.
    pub fn offset_slew_ppm(&self) -> f64 {
        self.loop_ppm() + adjtime_ppm(self.adjtime_ns.unwrap_or(0) / 1_000)
    }

    /// Speed-up of the clock by the kernel's loop in this second: of the offset at the start of the second it took one part
    /// in 2^k, and `offset_ns` is the rest. With a pulse per second it takes everything at once, and nothing remains.
    fn loop_ppm(&self) -> f64 {
        if self.has(StatusFlag::PpsTime) && self.has(StatusFlag::PpsSignal) {
            return 0.0;
        }
        let shift = SHIFT_PLL + self.time_constant.clamp(0, LARGEST_TIME_CONSTANT);
        self.offset_ns as f64 / ((1_i64 << shift) - 1) as f64 / 1_000.0
    }

    pub fn has(&self, flag: StatusFlag) -> bool {
        self.flags.contains(&flag)
    }

    /// The remaining offset to slew away, by the kernel's loop and by `adjtime`.
    pub fn to_slew_ns(&self) -> i64 {
        self.offset_ns.saturating_add(self.adjtime_ns.unwrap_or(0))
    }
}

/// Asks the kernel.
pub fn read() -> Known<Kernel> {
    let bound = chronoscope_clock::utc().map(|utc| u64::try_from(utc.width().as_nanos() / 2).unwrap_or(u64::MAX));
    kernel_discipline().map(|told| kernel(&told, bound.into())).into()
}

/// Decodes the kernel's numbers.
pub fn kernel(told: &KernelDiscipline, error_bound_ns: Known<u64>) -> Kernel {
    let flags: Vec<StatusFlag> =
        FLAGS.iter().filter(|(bit, ..)| told.status & bit != 0).map(|(_, flag, _)| *flag).collect();
    let pps = flags.contains(&StatusFlag::PpsSignal).then(|| Pps {
        frequency_ppm: scaled_ppm(told.pps_frequency_scaled_ppm),
        stability_ppm: scaled_ppm(told.pps_stability_scaled_ppm),
        jitter_ns: told.pps_jitter_ns,
    });
    Kernel {
        state: ClockState::of(told.state),
        frequency_ppm: told.frequency_ppm(),
        tick_ppm: (told.tick_us as f64 / NOMINAL_TICK_US - 1.0) * 1e6,
        offset_ns: told.offset_ns,
        adjtime_ns: told.adjtime_us.map(|us| us.saturating_mul(1_000)),
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

/// Speed-up by `adjtime`: 500 µs per second until less is left, which is done in one second.
fn adjtime_ppm(left_us: i64) -> f64 {
    (left_us as f64).clamp(-ADJTIME_PPM, ADJTIME_PPM)
}
