/// A clock of the operating system.
///
/// CPU-time clocks count only while the process or thread runs. `Realtime` and its kin are set by people and NTP,
/// so they may step either way.
///
/// # Platform
/// Names are Linux's; other systems read what comes nearest, and [`try_read_ns`](crate::raw::try_read_ns) gives the
/// reason if there is nothing. *s*: counts suspend.
///
/// | | Linux | macOS | Windows |
/// |---|---|---|---|
/// | `Monotonic` | `CLOCK_MONOTONIC` | `mach_absolute_time` | `QueryPerformanceCounter` *s* |
/// | `MonotonicRaw` | `CLOCK_MONOTONIC_RAW` | `CLOCK_MONOTONIC_RAW` *s* | none |
/// | `MonotonicCoarse` | `CLOCK_MONOTONIC_COARSE` | `CLOCK_UPTIME_RAW_APPROX` | `GetTickCount64` *s* |
/// | `Realtime` | `CLOCK_REALTIME` | `CLOCK_REALTIME` | `GetSystemTimePreciseAsFileTime` |
/// | `RealtimeCoarse` | `CLOCK_REALTIME_COARSE` | none | `GetSystemTimeAsFileTime` |
/// | `Tai` | `CLOCK_TAI` | none | none |
/// | `Boottime` | `CLOCK_BOOTTIME` *s* | `mach_continuous_time` *s* | `QueryInterruptTimePrecise` *s* |
/// | `ProcessCpuTime` | `CLOCK_PROCESS_CPUTIME_ID` | `CLOCK_PROCESS_CPUTIME_ID` | `GetProcessTimes` |
/// | `ThreadCpuTime` | `CLOCK_THREAD_CPUTIME_ID` | `CLOCK_THREAD_CPUTIME_ID` | `GetThreadTimes` |
///
/// Nothing slews `Monotonic` on macOS and Windows.
///
/// All other systems (Android, iOS and its kin, the BSDs, WASI) read through the standard library, with the
/// feature `std`: `Monotonic` is [`std::time::Instant`] since this process's first read, so values of two
/// processes cannot be compared, and counts suspend as that does; `Realtime` is [`std::time::SystemTime`] since
/// 1970; there are no others. Without `std`, and on wasm32-unknown-unknown, whose standard library has no clock,
/// there is none at all.
///
/// # Sources
/// clock_gettime(2), clock_getres(2); clock_gettime(3) of macOS; Microsoft, "Acquiring high-resolution time
/// stamps", "Windows Time" and realtimeapiset.h; the standard library's table of system calls at `Instant`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OsClock {
    /// `CLOCK_MONOTONIC`: never set, slewed by NTP, stops in suspend.
    Monotonic,
    /// `CLOCK_MONOTONIC_RAW`: as `Monotonic`, without NTP's slewing.
    MonotonicRaw,
    /// `CLOCK_MONOTONIC_COARSE`: `Monotonic` at the last timer tick.
    MonotonicCoarse,
    /// `CLOCK_REALTIME`: the wall clock.
    Realtime,
    /// `CLOCK_REALTIME_COARSE`: `Realtime` at the last timer tick.
    RealtimeCoarse,
    /// `CLOCK_TAI`: `Realtime` without leap seconds, if the kernel was told how many there were; else the same.
    Tai,
    /// `CLOCK_BOOTTIME`: `Monotonic` plus the time spent in suspend.
    Boottime,
    /// `CLOCK_PROCESS_CPUTIME_ID`: CPU time of all threads of the process.
    ProcessCpuTime,
    /// `CLOCK_THREAD_CPUTIME_ID`: CPU time of the calling thread.
    ThreadCpuTime,
}

impl OsClock {
    /// All clocks, in report order.
    pub const ALL: [Self; 9] = [
        Self::Monotonic,
        Self::MonotonicRaw,
        Self::MonotonicCoarse,
        Self::Realtime,
        Self::RealtimeCoarse,
        Self::Tai,
        Self::Boottime,
        Self::ProcessCpuTime,
        Self::ThreadCpuTime,
    ];
}
