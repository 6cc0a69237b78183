use core::sync::atomic::AtomicU32;
use core::time::Duration;

pub(super) use super::no_scheduling::{Scheduling, set_timer_slack_ns, timer_slack_ns};

// <mach/mach_time.h>; part of libSystem, to which every program is linked.
unsafe extern "C" {
    // SAFETY: the first takes nothing, the second a number; both return a number.
    safe fn mach_absolute_time() -> u64;
    safe fn mach_wait_until(deadline: u64) -> libc::c_int;
}

#[derive(Debug)]
pub(super) struct Sleeper;

impl Sleeper {
    pub(super) fn new() -> Self {
        Self
    }

    /// `mach_wait_until` takes ticks of a clock that stands still in sleep, which CLOCK_MONOTONIC of macOS does not: the
    /// deadline is handed over as what is left.
    pub(super) fn sleep_until(&self, _deadline_ns: u64, left: Duration) {
        sleep(left);
    }

    pub(super) fn sleep_until_or(&self, word: &AtomicU32, _deadline_ns: u64, left: Duration) {
        super::polled::sleep_or(word, left, sleep);
    }
}

fn sleep(left: Duration) {
    let ns = u64::try_from(left.as_nanos()).unwrap_or(u64::MAX);
    let ticks = crate::os::imp::ticks_of_ns(ns);
    mach_wait_until(mach_absolute_time().saturating_add(ticks));
}

pub(super) fn wake(_word: &AtomicU32) {}
