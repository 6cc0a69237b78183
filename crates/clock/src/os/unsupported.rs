//! Every other system: what the standard library reads, and nothing without it.

// The list is of systems that have a standard library whose `Instant::now` or `SystemTime::now` panics, from its
// sys/time/mod.rs.
#[cfg_attr(
    all(
        any(test, feature = "std"),
        not(any(
            all(target_family = "wasm", target_os = "unknown"),
            target_os = "trusty",
            target_os = "vexos",
            target_os = "zkvm"
        ))
    ),
    path = "by_std.rs"
)]
#[cfg_attr(
    not(all(
        any(test, feature = "std"),
        not(any(
            all(target_family = "wasm", target_os = "unknown"),
            target_os = "trusty",
            target_os = "vexos",
            target_os = "zkvm"
        ))
    )),
    path = "no_clock.rs"
)]
mod clocks;

use super::OsClock;
pub(crate) use super::not_linux::{
    boot_uuid, clocksource_is_counter, counter_access, id, kernel_time, locate, read_by_system_call_ns,
    set_counter_access, time_namespace, try_read_by_system_call_ns,
};
use crate::Unavailable;

const TWO_CLOCKS: Unavailable = Unavailable::because(
    "this system's clocks are read through Rust's standard library, which has only a monotonic and a wall clock",
);
const NO_RESOLUTION: Unavailable = Unavailable::because("Rust's standard library declares no resolution");

pub(crate) fn read_ns<const CLOCK: i32>() -> u64 {
    match const { OsClock::ALL[CLOCK as usize] } {
        OsClock::Monotonic => clocks::monotonic_ns(),
        OsClock::Realtime => clocks::try_realtime_ns().unwrap_or(0),
        _ => unreachable!("a source is only built for a clock that `try_read_ns` could read"),
    }
}

/// A wall clock that cannot be told is at its zero.
///
/// # Panics
/// Where the standard library has no clock.
pub(crate) fn system_ns<const CLOCK: i32>() -> u64 {
    let monotonic_ns = clocks::monotonic_ns();
    match const { OsClock::ALL[CLOCK as usize] } {
        OsClock::Realtime => clocks::try_realtime_ns().unwrap_or(0),
        _ => monotonic_ns,
    }
}

#[cfg(feature = "std")]
pub(crate) fn zero_of_std() -> Option<std::time::Instant> {
    clocks::zero_of_std()
}

pub(crate) fn try_read_ns(clock: OsClock) -> Result<u64, Unavailable> {
    match clock {
        OsClock::Monotonic => clocks::try_monotonic_ns(),
        OsClock::Realtime => clocks::try_realtime_ns(),
        _ => clocks::try_monotonic_ns().and(Err(TWO_CLOCKS)),
    }
}

pub(crate) fn declared_resolution_ns(clock: OsClock) -> Result<u64, Unavailable> {
    try_read_ns(clock).and(Err(NO_RESOLUTION))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn two_clocks_are_read_and_the_others_give_a_reason() {
        for clock in OsClock::ALL {
            let is_read = matches!(clock, OsClock::Monotonic | OsClock::Realtime);
            match try_read_ns(clock) {
                Ok(_) => assert!(is_read, "{clock:?}"),
                Err(unavailable) => assert!(!is_read && !unavailable.reason().is_empty(), "{clock:?}"),
            }
            assert!(declared_resolution_ns(clock).is_err(), "{clock:?}");
            assert!(try_read_by_system_call_ns(clock).is_err(), "{clock:?}");
        }
    }

    #[test]
    fn both_reads_are_of_one_clock() {
        for _ in 0..if cfg!(miri) { 50 } else { 1_000 } {
            let before = try_read_ns(OsClock::Monotonic).unwrap();
            let read = read_ns::<{ id(OsClock::Monotonic) }>();
            assert!(before <= read && read <= try_read_ns(OsClock::Monotonic).unwrap());
        }
        assert!(read_ns::<{ id(OsClock::Realtime) }>() > 0);
    }
}
