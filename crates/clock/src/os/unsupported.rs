use core::ffi::CStr;

use super::{CounterAccess, OsClock};
use crate::Unavailable;

const UNSUPPORTED: Unavailable = Unavailable::because("operating-system clocks are read on Linux only");

pub(super) const fn id(clock: OsClock) -> i32 {
    clock as i32
}

pub(super) fn read_ns<const CLOCK: i32>() -> u64 {
    unreachable!("a source is only built for a clock that `try_read_ns` could read")
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
