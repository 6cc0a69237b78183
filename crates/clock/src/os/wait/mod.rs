//! Giving the CPU away until a moment, and what decides how late the kernel gives it back.
//!
//! The file of each system defines the same items.
// Guards need thread-locals: without the standard library nobody sets what is set here.
#![cfg_attr(not(feature = "std"), allow(dead_code, unused_imports))]

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(not(any(target_os = "linux", target_os = "macos", windows)), path = "unsupported.rs")]
mod imp;

#[cfg(not(target_os = "linux"))]
mod no_scheduling;
#[cfg(not(target_os = "linux"))]
mod polled;
pub(crate) mod scheduling;

use core::sync::atomic::AtomicU32;

pub(crate) use scheduling::Scheduling;

use crate::pause::SleepFailed;
use crate::{Instant, Unavailable};

/// What a thread sleeps by: on Windows a timer, elsewhere nothing.
#[derive(Debug)]
pub(crate) struct Sleeper(imp::Sleeper);

impl Sleeper {
    /// Where the system has no timer to give, one that makes do with less.
    pub(crate) fn new() -> Self {
        Self(imp::Sleeper::new())
    }

    /// Gives the CPU away until `deadline` on the timescale of the monotonic clock, on which it is now `now`. Comes back
    /// later, or earlier if a signal arrives.
    pub(crate) fn sleep_until(&self, deadline: Instant, now: Instant) -> Result<(), SleepFailed> {
        self.0.sleep_until(deadline.as_nanos(), deadline.saturating_duration_since(now))
    }

    /// The same; comes back at once when `word` is not 0, or is made so and [`wake`] is called.
    pub(crate) fn sleep_until_or(&self, word: &AtomicU32, deadline: Instant, now: Instant) -> Result<(), SleepFailed> {
        self.0.sleep_until_or(word, deadline.as_nanos(), deadline.saturating_duration_since(now))
    }
}

/// Wakes every thread that sleeps by `word`.
pub(crate) fn wake(word: &AtomicU32) {
    imp::wake(word);
}

/// By how much the kernel may delay this thread's timers, in nanoseconds. 0 for real-time threads since Linux 6.13, whose
/// timers it does not delay.
pub(crate) fn timer_slack_ns() -> Result<u64, Unavailable> {
    imp::timer_slack_ns()
}

/// Sets it; 0 is the thread's default. For real-time threads without effect since Linux 6.13.
pub(crate) fn set_timer_slack_ns(ns: u64) -> Result<(), Unavailable> {
    imp::set_timer_slack_ns(ns)
}

/// How this thread is scheduled.
pub(crate) fn scheduling() -> Result<Scheduling, Unavailable> {
    imp::scheduling()
}

/// Sets it.
pub(crate) fn set_scheduling(to: &Scheduling) -> Result<(), Unavailable> {
    imp::set_scheduling(to)
}

/// This thread's nice value, under a real-time policy too, which does not report it. None where the system does not say.
pub(crate) fn nice() -> Option<i32> {
    imp::nice()
}

/// Whether this thread runs under a real-time policy. None where the system does not say.
pub(crate) fn is_real_time() -> Option<bool> {
    imp::is_real_time()
}
