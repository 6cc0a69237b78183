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

use super::{CounterAccess, KernelDiscipline, Located, OsClock};
use crate::utc::KernelTime;
use crate::{Reason, Unavailable};

const TWO_CLOCKS: Unavailable = Unavailable::because(
    "on this system clocks are read through Rust's standard library, which has a monotonic clock and a wall clock only",
);
const NO_RESOLUTION: Unavailable = Unavailable::because("Rust's standard library declares no resolution");
const NO_SYSTEM_CALL: Unavailable =
    Unavailable::because("on this system clocks are read through Rust's standard library alone");

pub(super) fn locate() -> Result<Located, Reason> {
    Err(Reason::SystemNotSupported)
}

pub(super) fn clocksource_is_counter() -> Option<bool> {
    None
}

pub(super) const fn id(clock: OsClock) -> i32 {
    clock as i32
}

pub(super) fn read_ns<const CLOCK: i32>() -> u64 {
    match const { OsClock::ALL[CLOCK as usize] } {
        OsClock::Monotonic => clocks::monotonic_ns(),
        OsClock::Realtime => clocks::try_realtime_ns().unwrap_or(0),
        _ => unreachable!("a source is only built for a clock that `try_read_ns` could read"),
    }
}

pub(super) fn read_by_system_call_ns<const CLOCK: i32>() -> u64 {
    unreachable!("a source is only built for a clock that `try_read_by_system_call_ns` could read")
}

#[cfg(feature = "std")]
pub(super) fn zero_of_std() -> Option<std::time::Instant> {
    clocks::zero_of_std()
}

pub(super) fn try_read_ns(clock: OsClock) -> Result<u64, Unavailable> {
    match clock {
        OsClock::Monotonic => clocks::try_monotonic_ns(),
        OsClock::Realtime => clocks::try_realtime_ns(),
        _ => clocks::try_monotonic_ns().and(Err(TWO_CLOCKS)),
    }
}

pub(super) fn try_read_by_system_call_ns(_clock: OsClock) -> Result<u64, Unavailable> {
    Err(NO_SYSTEM_CALL)
}

pub(super) fn declared_resolution_ns(clock: OsClock) -> Result<u64, Unavailable> {
    try_read_ns(clock).and(Err(NO_RESOLUTION))
}

pub(super) fn kernel_time() -> Result<KernelTime, Unavailable> {
    Err(Unavailable::because("the error of the system's clock is asked for on Linux and macOS only"))
}

pub(super) fn kernel_discipline() -> Result<KernelDiscipline, Unavailable> {
    Err(Unavailable::because("how the system disciplines its clock is read on Linux only"))
}

pub(super) fn counter_access() -> CounterAccess {
    CounterAccess::Allowed
}

pub(super) fn set_counter_access(_access: CounterAccess) -> Result<(), Unavailable> {
    Err(Unavailable::because("this crate knows no switch on this system that forbids a thread the counter"))
}

pub(super) fn boot_uuid() -> Result<u128, Unavailable> {
    Err(Unavailable::because("which boot this is, is not known to this library on this system"))
}

pub(super) fn time_namespace() -> Result<u64, Unavailable> {
    Ok(0)
}

#[cfg(feature = "std")]
pub(super) fn bind_thread(_cpu: u32) -> Result<(), Unavailable> {
    Err(Unavailable::because("threads are not bound to CPUs on this system"))
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
