//! What systems other than Linux call their clocks, and what is different about them.
//!
//! A document thus says which function was read, and one from another system is never taken for this one's clock.

use core::time::Duration;

use super::id::SourceId;
use super::source_facts::SourceFacts;
use crate::os::OsClock;

/// A clock by the name that its system gives it.
#[derive(Clone, Copy, Debug)]
struct OwnName {
    clock: OsClock,
    name: &'static str,
    /// None for that of Linux's clock.
    advice: Option<&'static str>,
    /// Where values of two threads have no order if they are this close.
    step_back_below: Option<Duration>,
}

const fn named(clock: OsClock, name: &'static str, advice: &'static str) -> OwnName {
    OwnName { clock, name, advice: Some(advice), step_back_below: None }
}

const fn renamed(clock: OsClock, name: &'static str) -> OwnName {
    OwnName { clock, name, advice: None, step_back_below: None }
}

/// # Sources
/// Microsoft, "Acquiring high-resolution time stamps": values of two threads that differ by one tick have no order; a tick is
/// 100 ns on Windows 10 and later.
const WINDOWS: &[OwnName] = &[
    OwnName {
        clock: OsClock::Monotonic,
        name: "QueryPerformanceCounter",
        advice: Some("nanoseconds, {causal}, never slewed; on two threads, values one tick apart have no order"),
        step_back_below: Some(Duration::from_nanos(100)),
    },
    named(OsClock::MonotonicCoarse, "GetTickCount64", "milliseconds at the last clock interrupt, every 0.5–15.6 ms"),
    renamed(OsClock::Realtime, "GetSystemTimePreciseAsFileTime"),
    named(
        OsClock::RealtimeCoarse,
        "GetSystemTimeAsFileTime",
        "the wall clock at the last clock interrupt, every 0.5–15.6 ms: for timestamps that need no more",
    ),
    named(
        OsClock::Boottime,
        "QueryInterruptTimePrecise",
        "as QueryPerformanceCounter, in units of 100 ns: for timeouts, not for timing",
    ),
    renamed(OsClock::ProcessCpuTime, "GetProcessTimes"),
    renamed(OsClock::ThreadCpuTime, "GetThreadTimes"),
];

/// # Sources
/// clock_gettime(3) of macOS; XNU, osfmk/mach/mach_time.h.
const MACOS: &[OwnName] = &[
    named(OsClock::Monotonic, "mach_absolute_time", "nanoseconds, {causal}, never slewed; stops in sleep"),
    named(
        OsClock::MonotonicRaw,
        "CLOCK_MONOTONIC_RAW",
        "as mach_absolute_time, and it counts sleep: for timeouts, not for timing",
    ),
    named(OsClock::MonotonicCoarse, "CLOCK_UPTIME_RAW_APPROX", "mach_absolute_time at the last context switch"),
    named(
        OsClock::Boottime,
        "mach_continuous_time",
        "as mach_absolute_time, and it counts sleep: for timeouts, not for timing",
    ),
];

const HERE: &[OwnName] = if cfg!(windows) {
    WINDOWS
} else if cfg!(target_os = "macos") {
    MACOS
} else {
    &[]
};

/// `row`, written for Linux, as it is on the system of this build.
pub(super) const fn here(row: SourceFacts) -> SourceFacts {
    on(HERE, row)
}

const fn on(names: &[OwnName], mut row: SourceFacts) -> SourceFacts {
    let SourceId::Os(clock) = row.id else { return row };
    let mut at = 0;
    while at < names.len() {
        let own = names[at];
        if own.clock as usize == clock as usize {
            row.name = own.name;
            if let Some(advice) = own.advice {
                row.advice = advice;
            }
            row.is_causal = own.step_back_below.is_none();
            row.step_back_below = own.step_back_below;
        }
        at += 1;
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_system_names_a_clock_once() {
        for names in [WINDOWS, MACOS] {
            for own in names {
                let same = |other: &&OwnName| other.name == own.name || other.clock == own.clock;
                assert_eq!(names.iter().filter(same).count(), 1, "{own:?}");
            }
        }
    }

    #[test]
    fn a_row_gets_the_name_and_advice_of_the_system() {
        let row = *SourceId::Os(OsClock::Monotonic).facts();
        let windows = on(WINDOWS, row);
        assert_eq!((windows.name, windows.is_causal), ("QueryPerformanceCounter", false));
        assert_eq!(windows.step_back_below, Some(Duration::from_nanos(100)));
        assert!(windows.is_ordered && windows.times_intervals && !windows.advice.contains("NTP"));
        let macos = on(MACOS, row);
        assert_eq!((macos.name, macos.is_causal), ("mach_absolute_time", true));
        assert_eq!(on(&[], row), row);
    }
}
