/// A clock of the operating system.
///
/// # Platform
/// Linux. `Boottime` counts time spent in suspend, the other monotonic ones do not; the CPU-time clocks count only
/// while the process or thread runs; `Realtime` is set by people and by NTP, so it may step either way.
///
/// # Sources
/// clock_gettime(2), clock_getres(2).
///
/// # Examples
/// ```
/// use chronoscope_clock::os::OsClock;
///
/// assert_eq!(OsClock::Monotonic.name(), "CLOCK_MONOTONIC");
/// ```
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
    /// `CLOCK_BOOTTIME`: `Monotonic` plus the time spent in suspend.
    Boottime,
    /// `CLOCK_PROCESS_CPUTIME_ID`: CPU time of all threads of the process.
    ProcessCpuTime,
    /// `CLOCK_THREAD_CPUTIME_ID`: CPU time of the calling thread.
    ThreadCpuTime,
}

impl OsClock {
    /// Every clock, in the order in which reports list them.
    pub const ALL: [Self; 7] = [
        Self::Monotonic,
        Self::MonotonicRaw,
        Self::MonotonicCoarse,
        Self::Realtime,
        Self::Boottime,
        Self::ProcessCpuTime,
        Self::ThreadCpuTime,
    ];

    /// The name of the clock in `<time.h>`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Monotonic => "CLOCK_MONOTONIC",
            Self::MonotonicRaw => "CLOCK_MONOTONIC_RAW",
            Self::MonotonicCoarse => "CLOCK_MONOTONIC_COARSE",
            Self::Realtime => "CLOCK_REALTIME",
            Self::Boottime => "CLOCK_BOOTTIME",
            Self::ProcessCpuTime => "CLOCK_PROCESS_CPUTIME_ID",
            Self::ThreadCpuTime => "CLOCK_THREAD_CPUTIME_ID",
        }
    }

    /// Whether values read on different threads belong to one timeline.
    ///
    /// False for the CPU-time clocks, whose values on two threads cannot be compared.
    pub const fn is_shared_timeline(self) -> bool {
        !matches!(self, Self::ProcessCpuTime | Self::ThreadCpuTime)
    }
}
