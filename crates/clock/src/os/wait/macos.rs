use core::time::Duration;

pub(crate) use super::no_scheduling::{
    is_real_time, nice, preemptions, scheduling, set_scheduling, set_timer_slack_ns, timer_slack_ns,
};
use super::polled::SleepFor;
pub(crate) use super::polled::wake;
use crate::Unavailable;

// <mach/mach_time.h>; part of libSystem, to which every program is linked.
unsafe extern "C" {
    // SAFETY: the first takes nothing, the second a number; both return a number.
    safe fn mach_absolute_time() -> u64;
    safe fn mach_wait_until(deadline: u64) -> libc::c_int;
}

const KERN_SUCCESS: libc::c_int = 0;
/// It was interrupted (<mach/kern_return.h>).
const KERN_ABORTED: libc::c_int = 14;

#[derive(Debug)]
pub(super) struct Sleeper;

impl Sleeper {
    pub(super) fn new() -> Self {
        Self
    }
}

impl SleepFor for Sleeper {
    /// `mach_wait_until` takes ticks of a clock that stops during sleep, which CLOCK_MONOTONIC of macOS does not: the
    /// deadline is handed over as what is left.
    fn sleep(&self, left: Duration) -> Result<(), Unavailable> {
        let ticks = crate::os::imp::ticks_of_ns(crate::nanos::saturating(left));
        match mach_wait_until(mach_absolute_time().saturating_add(ticks)) {
            KERN_SUCCESS | KERN_ABORTED => Ok(()),
            _ => Err(Unavailable::because("mach_wait_until failed")),
        }
    }
}
