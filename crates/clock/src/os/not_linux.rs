//! What Linux alone does, or only some systems: the answers of the others.

use super::{CounterAccess, KernelTime, Located, OsClock};
use crate::exact::{Effort, NotLocated};
use crate::{Reason, Unavailable};

pub(crate) fn locate(_effort: Effort) -> Result<Located, NotLocated> {
    Err(Reason::SystemNotSupported.into())
}

pub(crate) fn clocksource_is_counter() -> Option<bool> {
    None
}

pub(crate) const fn id(clock: OsClock) -> i32 {
    clock as i32
}

pub(crate) fn read_by_system_call_ns<const CLOCK: i32>() -> u64 {
    unreachable!("a source is only built for a clock that `try_read_by_system_call_ns` could read")
}

pub(crate) fn try_read_by_system_call_ns(_clock: OsClock) -> Result<u64, Unavailable> {
    Err(Unavailable::because("only Linux has a stable system-call interface"))
}

pub(crate) fn counter_access() -> CounterAccess {
    CounterAccess::Allowed
}

pub(crate) fn set_counter_access(_access: CounterAccess) -> Result<(), Unavailable> {
    Err(Unavailable::because("only Linux can deny a thread the counter"))
}

pub(crate) fn time_namespace() -> Result<u64, Unavailable> {
    Ok(0)
}

pub(crate) fn kernel_time() -> Result<KernelTime, Unavailable> {
    Err(Unavailable::because("only Linux and macOS tell how far their clock may be from UTC"))
}

pub(crate) fn boot_uuid() -> Result<u128, Unavailable> {
    Err(Unavailable::because("only Linux and macOS identify the boot"))
}

#[cfg(feature = "std")]
pub(crate) fn zero_of_std() -> Option<std::time::Instant> {
    None
}
