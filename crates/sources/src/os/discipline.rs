use chronoscope_clock::Unavailable;

/// How the kernel's wall clock is disciplined: the result of a read-only `adjtimex`.
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
/// use chronoscope_sources::os::kernel_discipline;
///
/// match kernel_discipline() {
///     Ok(kernel) => println!("frequency correction {:+.3} ppm", kernel.frequency_ppm()),
///     Err(unavailable) => println!("unknown: {unavailable}"),
/// }
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
    /// let mut kernel = chronoscope_sources::os::KernelDiscipline::default();
    /// kernel.frequency_scaled_ppm = -65_536;
    /// assert_eq!(kernel.frequency_ppm(), -1.0);
    /// ```
    #[must_use]
    pub fn frequency_ppm(&self) -> f64 {
        self.frequency_scaled_ppm as f64 / 65_536.0
    }
}

/// How the kernel's wall clock is disciplined now. One or two system calls, which change nothing.
///
/// # Platform
/// Linux. A seccomp filter may forbid it; Docker's default allows it.
///
/// # Errors
/// [`Unavailable`] on other systems, and if a sandbox forbids the call.
///
/// # Examples
/// ```
/// if let Ok(kernel) = chronoscope_sources::os::kernel_discipline() {
///     assert!((-500.0..=500.0).contains(&kernel.frequency_ppm()));
/// }
/// ```
pub fn kernel_discipline() -> Result<KernelDiscipline, Unavailable> {
    imp::kernel_discipline()
}

#[cfg(not(target_os = "linux"))]
mod imp {
    use super::{KernelDiscipline, Unavailable};

    pub(super) fn kernel_discipline() -> Result<KernelDiscipline, Unavailable> {
        Err(Unavailable::because("only Linux reports how its clock is disciplined"))
    }
}

#[cfg(target_os = "linux")]
mod imp {
    use super::{KernelDiscipline, Unavailable};

    #[allow(clippy::unnecessary_cast, clippy::useless_conversion)] // the fields' widths differ between targets
    pub(super) fn kernel_discipline() -> Result<KernelDiscipline, Unavailable> {
        let (told, state) = ask(0)?;
        let unit_ns = if told.status & libc::STA_NANO != 0 { 1 } else { 1_000 };
        let in_ns = |value: i64| value.saturating_mul(unit_ns);
        Ok(KernelDiscipline {
            status: told.status,
            state,
            frequency_scaled_ppm: told.freq.into(),
            tick_us: told.tick.into(),
            offset_ns: in_ns(told.offset.into()),
            adjtime_us: ask(libc::ADJ_OFFSET_SS_READ).ok().map(|(told, _)| told.offset.into()),
            max_error_us: told.maxerror.into(),
            est_error_us: told.esterror.into(),
            time_constant: told.constant.into(),
            tai_offset_s: told.tai,
            pps_frequency_scaled_ppm: told.ppsfreq.into(),
            pps_stability_scaled_ppm: told.stabil.into(),
            pps_jitter_ns: in_ns(told.jitter.into()),
        })
    }

    /// `modes` must be one of the two that only read: 0, and `ADJ_OFFSET_SS_READ`, the remainder of `adjtime`.
    fn ask(modes: libc::c_uint) -> Result<(libc::timex, i32), Unavailable> {
        debug_assert!(modes == 0 || modes == libc::ADJ_OFFSET_SS_READ);
        // SAFETY: a structure of numbers, for which all zeroes is a value.
        let mut told: libc::timex = unsafe { core::mem::zeroed() };
        told.modes = modes;
        // SAFETY: `told` is a valid timex for the call to read and fill.
        let state = unsafe { libc::adjtimex(&mut told) };
        if state < 0 {
            return Err(Unavailable::because("the kernel or a sandbox refuses adjtimex, even to read"));
        }
        Ok((told, state))
    }
}

#[cfg(all(test, target_os = "linux", not(miri)))]
mod tests {
    use super::kernel_discipline;

    /// `CLOCK_MONOTONIC` and the flags are the kernel's: what must hold whoever disciplines it.
    #[test]
    fn what_the_kernel_says_is_within_its_own_limits() {
        let Ok(kernel) = kernel_discipline() else { return };
        assert!(kernel.frequency_ppm().abs() <= 500.0, "MAXFREQ: {kernel:?}");
        assert!((9_000..=11_000).contains(&kernel.tick_us), "{kernel:?}");
        assert!(kernel.max_error_us >= 0 && (0..=5).contains(&kernel.state), "{kernel:?}");

        let is_unsynchronised = kernel.status & libc::STA_UNSYNC != 0;
        assert!(!is_unsynchronised || kernel.state == 5, "STA_UNSYNC is TIME_ERROR: {kernel:?}");
        assert!(
            !is_unsynchronised || chronoscope_clock::utc().is_err(),
            "who disciplines and how well is one answer: {kernel:?}"
        );
    }
}
