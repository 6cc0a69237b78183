//! For the crate `chronoscope-sources` alone, which shows these to who studies clocks: no promise of stability.

pub use crate::arch::Counter;
use crate::exact::as_if;
pub use crate::lattice::longest_period;
pub use crate::os::{
    CounterAccess, OsClock, counter_access, declared_resolution_ns, id, read_by_system_call_ns, read_ns,
    set_counter_access, try_read_by_system_call_ns, try_read_ns,
};
use crate::pause::{self, Cancel, Waited};
use crate::{Instant, Reason};

/// As [`pause::sleep_until`] under the caller's [`TimerSlack`](pause::TimerSlack); `cancel` ends it early.
pub fn sleep_until_or(deadline: Instant, cancel: &Cancel) -> Waited {
    pause::sleep_until_or(deadline, cancel)
}

/// As [`pause::spin_until`]; `cancel` ends it early.
pub fn spin_until_or(deadline: Instant, cancel: &Cancel) -> Waited {
    pause::spin_until_or(deadline, cancel)
}

/// Makes ready what [`read_as_if`] reads, for a second.
///
/// # Errors
/// The reason why it cannot be timed here.
pub fn arrange_as_if<const HYPER_V: bool>() -> Result<(), Reason> {
    as_if::arrange::<HYPER_V>()
}

/// A read of the clock as if the kernel kept time by Hyper-V's page or kvm-clock's: what it costs is real, its time is not.
#[inline(always)]
pub fn read_as_if<const HYPER_V: bool, const ORDERED: bool>() -> u64 {
    as_if::read::<HYPER_V, ORDERED>()
}
