//! For the crate `chronoscope-sources` alone, which shows these to who studies clocks: no promise of stability.

use crate::Instant;
pub use crate::arch::Counter;
pub use crate::lattice::longest_period;
pub use crate::os::{
    CounterAccess, OsClock, counter_access, declared_resolution_ns, id, read_by_system_call_ns, read_ns,
    set_counter_access, try_read_by_system_call_ns, try_read_ns,
};
use crate::pause::{self, Cancel, Waited};

/// As [`pause::sleep_until`] under the caller's [`TimerSlack`](pause::TimerSlack); `cancel` ends it early.
pub fn sleep_until_or(deadline: Instant, cancel: &Cancel) -> Waited {
    pause::sleep_until_or(deadline, cancel)
}

/// As [`pause::spin_until`]; `cancel` ends it early.
pub fn spin_until_or(deadline: Instant, cancel: &Cancel) -> Waited {
    pause::spin_until_or(deadline, cancel)
}
