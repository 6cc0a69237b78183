/// How the kernel's wall clock is disciplined: the result of a read-only `adjtimex`. Needs the feature `sources`.
///
/// # Units
/// In the names. `frequency_scaled_ppm` and the two PPS rates count in 2⁻¹⁶ ppm, as the kernel does;
/// [`frequency_ppm`](Self::frequency_ppm) divides.
///
/// # Guarantees
/// All of one moment, filled under the timekeeping lock, except `adjtime_us`, which takes a second call. Reading changes
/// nothing and needs no privilege.
///
/// # Sources
/// adjtimex(2); Linux include/uapi/linux/timex.h and kernel/time/ntp.c (`__do_adjtimex`); RFC 1589.
///
/// # Examples
/// ```
/// # #[cfg(feature = "sources")]
/// # {
/// use chronoscope_clock::os::kernel_discipline;
///
/// match kernel_discipline() {
///     Ok(kernel) => println!("frequency correction {:+.3} ppm", kernel.frequency_ppm()),
///     Err(unavailable) => println!("unknown: {unavailable}"),
/// }
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelDiscipline {
    /// The flags, `STA_PLL` and on.
    pub status: i32,
    /// What the call returned: `TIME_OK` (0) to `TIME_ERROR` (5).
    pub state: i32,
    /// By how much a daemon's frequency correction speeds up the clock.
    pub frequency_scaled_ppm: i64,
    /// The length of a tick: 10 000 µs at the usual 100 ticks per second, unless somebody corrects the rate by it.
    pub tick_us: i64,
    /// The remaining offset that the kernel's loop will slew away.
    pub offset_ns: i64,
    /// The remaining offset that `adjtime` will slew away; None if the kernel does not report it.
    pub adjtime_us: Option<i64>,
    /// The bound that a daemon stated for the clock's error, raised by 500 µs per second since.
    pub max_error_us: i64,
    /// The error estimated by a daemon.
    pub est_error_us: i64,
    /// The time constant of the kernel's loop, as a power of two.
    pub time_constant: i64,
    /// TAI − UTC; 0 if the kernel was not told.
    pub tai_offset_s: i32,
    /// The frequency by a pulse per second, where one is connected (`STA_PPSSIGNAL`).
    pub pps_frequency_scaled_ppm: i64,
    /// The wander of that frequency.
    pub pps_stability_scaled_ppm: i64,
    /// The jitter of the pulses.
    pub pps_jitter_ns: i64,
}

impl KernelDiscipline {
    /// By how much a daemon's frequency correction speeds up the clock, without the part made by the length of the tick.
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "sources")]
    /// # {
    /// let mut kernel = chronoscope_clock::os::KernelDiscipline::default();
    /// kernel.frequency_scaled_ppm = -65_536;
    /// assert_eq!(kernel.frequency_ppm(), -1.0);
    /// # }
    /// ```
    #[must_use]
    pub fn frequency_ppm(&self) -> f64 {
        self.frequency_scaled_ppm as f64 / 65_536.0
    }
}

/// The kernel's state of its wall clock. The numbers mean the same on every system with Mills's interface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KernelTime {
    /// Since 1970.
    pub(crate) seconds: i64,
    /// In nanoseconds with [`STA_NANO`], else in microseconds.
    pub(crate) fraction: i64,
    /// The remaining offset to slew away, in the same unit.
    pub(crate) offset: i64,
    pub(crate) max_error_us: i64,
    /// Flags.
    pub(crate) status: i32,
    /// `TIME_OK` (0) to `TIME_ERROR` (5), as the call returns it.
    pub(crate) state: i32,
}

/// Times are in nanoseconds.
pub(crate) const STA_NANO: i32 = 0x2000;

#[cfg(all(test, target_os = "linux", not(miri)))]
mod tests {
    use super::super::imp::kernel_discipline;

    /// `CLOCK_MONOTONIC` and the flags are the kernel's: what must hold whoever disciplines it.
    #[test]
    fn what_the_kernel_says_is_within_its_own_limits() {
        let Ok(kernel) = kernel_discipline() else { return };
        assert!(kernel.frequency_ppm().abs() <= 500.0, "MAXFREQ: {kernel:?}");
        assert!((9_000..=11_000).contains(&kernel.tick_us), "{kernel:?}");
        assert!(kernel.max_error_us >= 0 && (0..=5).contains(&kernel.state), "{kernel:?}");

        let is_unsynchronised = kernel.status & libc::STA_UNSYNC != 0;
        assert!(!is_unsynchronised || kernel.state == 5, "STA_UNSYNC is TIME_ERROR: {kernel:?}");
        assert!(!is_unsynchronised || crate::utc().is_err(), "who disciplines and how well is one answer: {kernel:?}");
    }
}
