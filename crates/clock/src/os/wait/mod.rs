//! Giving the CPU away until a moment, and what decides how late the kernel gives it back.
//!
//! The file of each system defines the same items:
//!
//! - `Sleeper`, and `wake`, which wakes every thread that sleeps by a word;
//! - `timer_slack_ns` and `set_timer_slack_ns`: by how much the kernel may delay this thread's timers, where 0 sets the thread's
//!   default. 0 for real-time threads since Linux 6.13, and to set it is without effect for them;
//! - `scheduling` and `set_scheduling`: how this thread is scheduled;
//! - `nice`, this thread's nice value, under a real-time policy too, which does not report it, and `is_real_time`. None where
//!   the system does not say;
//! - `preemptions`: the involuntary context switches of this thread: another thread took its CPU, or a quota did. None where the system
//!   counts none.
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

pub(crate) use imp::{
    is_real_time, nice, preemptions, scheduling, set_scheduling, set_timer_slack_ns, timer_slack_ns, wake,
};
#[cfg(not(target_os = "linux"))]
use polled::SleepFor;
pub(crate) use scheduling::Scheduling;

use crate::Instant;
use crate::Unavailable;

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
    pub(crate) fn sleep_until(&self, deadline: Instant, now: Instant) -> Result<(), Unavailable> {
        self.0.sleep_until(since_zero_ns(deadline), deadline.saturating_duration_since(now))
    }

    /// The same; comes back at once when `word` is not 0, or is made so and [`wake`] is called.
    pub(crate) fn sleep_until_or(&self, word: &AtomicU32, deadline: Instant, now: Instant) -> Result<(), Unavailable> {
        self.0.sleep_until_or(word, since_zero_ns(deadline), deadline.saturating_duration_since(now))
    }
}

/// No timer of a system has times before the zero; they have passed.
fn since_zero_ns(deadline: Instant) -> u64 {
    u64::try_from(deadline.as_nanos()).unwrap_or(0)
}
