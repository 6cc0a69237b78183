use core::time::Duration;

use crate::os::wait::{self, Sleeper};
use crate::os::{self, OsClock};
use crate::{Clock, Instant, Now, Unavailable};

use super::{Cancel, Internal, TimeSlice, sched_guards};

/// The shortest that Linux gives.
const SHORT_SLICE: Duration = Duration::from_micros(100);

/// A clock that can also sleep until a moment: what a [`Pauser`](super::Pauser) waits by. [`SystemTimer`] is the
/// machine's; a [`FakeClock`](crate::FakeClock) is one for tests; what points to one is one.
///
/// Sealed: no other type implements it, so that it can learn to wait by more.
///
/// # Guarantees
/// Sleeps return, early or late.
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
/// # Ok::<(), chronoscope_clock::Unavailable>(())
/// ```
pub trait Timer: Now + sealed::Sealed {
    /// Gives the CPU away until `deadline`, or until `cancel` is cancelled.
    ///
    /// # Errors
    /// [`Unavailable`] if the CPU could not be given away and retrying is pointless. An early wake-up, by a signal or a cancel, is no error.
    fn sleep_until(&self, deadline: Instant, cancel: Option<&Cancel>) -> Result<(), Unavailable>;

    /// The time now, for a loop that polls; the read need not keep its place in program order.
    fn glance(&self) -> Instant {
        self.now()
    }

    /// The CPU time this thread has used, to tell what a sleep costs. None if unknown.
    fn cpu_time(&self) -> Option<Duration> {
        None
    }

    /// Whether the calling thread is real-time, which makes a [`Pauser`](super::Pauser) limit its spinning. By default
    /// asks the system (Linux; false elsewhere).
    fn is_real_time(&self) -> bool {
        sched_guards::is_real_time()
    }
}

pub(crate) mod sealed {
    #[allow(unreachable_pub)] // as every bound of a public trait
    pub trait Sealed {
        /// Shorter time slices for the calling thread, until the guard is dropped. None where there are none, or the thread has
        /// chosen its own.
        fn shorten_slices(&self, _: Internal) -> Option<super::TimeSlice> {
            None
        }

        /// The involuntary context switches of the calling thread. None if unknown.
        fn preemptions(&self, _: Internal) -> Option<u64> {
            None
        }
    }

    /// Code that cannot name this type cannot call methods that take it: those of a supertrait of a public trait are public.
    #[derive(Clone, Copy, Debug)]
    #[allow(unreachable_pub)]
    pub struct Internal;
}

/// [`Clock`] and the system's best sleep to an absolute time.
///
/// # Platform
/// Linux: `clock_nanosleep` with `TIMER_ABSTIME` on `CLOCK_MONOTONIC`, and a futex if the wait can be cancelled. macOS:
/// `mach_wait_until`. Windows: a high-resolution waitable timer. On these two a cancel takes up to a millisecond to be
/// noticed. Elsewhere: `std::thread::sleep`.
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

impl sealed::Sealed for SystemTimer {
    fn shorten_slices(&self, _: Internal) -> Option<TimeSlice> {
        if sched_guards::has_time_slice() { None } else { TimeSlice::request(SHORT_SLICE).ok() }
    }

    fn preemptions(&self, _: Internal) -> Option<u64> {
        wait::preemptions()
    }
}

impl Timer for SystemTimer {
    fn sleep_until(&self, deadline: Instant, cancel: Option<&Cancel>) -> Result<(), Unavailable> {
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
