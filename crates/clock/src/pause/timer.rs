use core::time::Duration;

use crate::os::wait::Sleeper;
use crate::os::{self, OsClock};
use crate::{Clock, Instant, Now};

use super::{Cancel, SleepFailed, sched_guards};

/// A clock, and a way to give the CPU away until a moment on it: what a [`Pauser`](super::Pauser) waits by.
///
/// [`SystemTimer`] is that of the machine; a [`FakeClock`](crate::FakeClock) is one for tests.
///
/// # Guarantees
/// None but to come back: a sleep may end early or late.
///
/// # Examples
/// ```
/// use chronoscope_clock::pause::{SystemTimer, Timer};
/// use chronoscope_clock::Now;
/// use std::time::Duration;
///
/// let timer = SystemTimer::new();
/// let deadline = timer.now() + Duration::from_micros(200);
/// timer.sleep_until(deadline, None)?;
/// println!("woken {:?} after it", timer.now().duration_since(deadline));
/// # Ok::<(), chronoscope_clock::pause::SleepFailed>(())
/// ```
pub trait Timer: Now {
    /// Gives the CPU away until `deadline`, or until `cancel` is.
    ///
    /// # Errors
    /// [`SleepFailed`] where the CPU could not be given away, and trying again is of little use. To be woken early, by a signal
    /// or a cancel, is none.
    fn sleep_until(&self, deadline: Instant, cancel: Option<&Cancel>) -> Result<(), SleepFailed>;

    /// The time now, for a loop that asks again and again: it may be read without keeping its place in program order.
    fn glance(&self) -> Instant {
        self.now()
    }

    /// How much CPU time this thread has taken, to tell what a sleep costs. None where that is not told.
    fn cpu_time(&self) -> Option<Duration> {
        None
    }

    /// Whether the calling thread runs under a real-time policy, where a [`Pauser`](super::Pauser) limits how much it spins.
    /// Unless a timer says otherwise the system is asked (Linux; false elsewhere).
    fn is_real_time(&self) -> bool {
        sched_guards::is_real_time()
    }
}

/// The clock of this crate, and the system's best sleep to an absolute time.
///
/// # Platform
/// Linux: `clock_nanosleep` with `TIMER_ABSTIME` on `CLOCK_MONOTONIC`, and a futex where the wait can be cancelled. macOS:
/// `mach_wait_until`. Windows: a waitable timer of high resolution. In the last two a cancel is noticed within a
/// millisecond. Elsewhere: `std::thread::sleep`.
///
/// # Examples
/// As [`Timer`].
#[derive(Debug)]
pub struct SystemTimer {
    clock: Clock,
    sleeper: Sleeper,
}

impl Default for SystemTimer {
    fn default() -> Self {
        Self::new()
    }
}

impl SystemTimer {
    /// A timer for the calling thread.
    #[must_use]
    pub fn new() -> Self {
        Self { clock: Clock::or_system(), sleeper: Sleeper::new() }
    }
}

impl Now for SystemTimer {
    #[inline(always)]
    fn now(&self) -> Instant {
        self.clock.now()
    }

    fn reading(&self) -> crate::Reading {
        Now::reading(&self.clock)
    }
}

impl Timer for SystemTimer {
    fn sleep_until(&self, deadline: Instant, cancel: Option<&Cancel>) -> Result<(), SleepFailed> {
        let now = self.clock.now();
        match cancel {
            None => self.sleeper.sleep_until(deadline, now),
            Some(cancel) => self.sleeper.sleep_until_or(cancel.word(), deadline, now),
        }
    }

    #[inline(always)]
    fn glance(&self) -> Instant {
        self.clock.unordered().now()
    }

    fn cpu_time(&self) -> Option<Duration> {
        os::try_read_ns(OsClock::ThreadCpuTime).ok().map(Duration::from_nanos)
    }
}
