use core::ffi::CStr;

use super::{CounterAccess, Located, OsClock};
use crate::{Reason, Unavailable};

pub(super) fn locate() -> Result<Located, Reason> {
    Err(Reason::SystemNotSupported)
}

pub(super) fn clocksource_is_counter() -> Option<bool> {
    None
}

const UNSUPPORTED: Unavailable = Unavailable::because("clocks are read on Linux, macOS and Windows only");

pub(super) const fn id(clock: OsClock) -> i32 {
    clock as i32
}

pub(super) fn read_ns<const CLOCK: i32>() -> u64 {
    // No source is built for a clock that `try_read_ns` cannot read, but this crate's own clock needs one.
    panic!("this system has no clock that can be read here: clocks are read on Linux, macOS and Windows only")
}

pub(super) fn read_by_system_call_ns<const CLOCK: i32>() -> u64 {
    unreachable!("a source is only built for a clock that `try_read_by_system_call_ns` could read")
}

pub(super) fn try_read_ns(_clock: OsClock) -> Result<u64, Unavailable> {
    Err(UNSUPPORTED)
}

pub(super) fn try_read_by_system_call_ns(_clock: OsClock) -> Result<u64, Unavailable> {
    Err(UNSUPPORTED)
}

pub(super) fn declared_resolution_ns(_clock: OsClock) -> Result<u64, Unavailable> {
    Err(UNSUPPORTED)
}

pub(super) fn counter_access() -> CounterAccess {
    CounterAccess::Allowed
}

pub(super) fn set_counter_access(_access: CounterAccess) -> Result<(), Unavailable> {
    Err(UNSUPPORTED)
}

pub(super) fn program_path() -> Option<&'static CStr> {
    None
}

#[cfg(feature = "std")]
pub(super) fn bind_thread(_cpu: u32) -> Result<(), Unavailable> {
    Err(Unavailable::because("threads are not bound to CPUs on this system"))
}
