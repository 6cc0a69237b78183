use core::marker::PhantomData;
use core::time::Duration;

use crate::Unavailable;
use crate::os::wait::{self, Scheduling};

/// What keeps a guard on the thread whose state it restores.
type OnThisThread = PhantomData<*const ()>;

/// By how much the kernel may delay this thread's timers; what it was before is restored on drop.
///
/// # Platform
/// Linux, where it is 50 µs unless somebody chose otherwise, and nothing under a real-time policy.
///
/// # Sources
/// PR_SET_TIMERSLACK(2const): timers may be late by it, never early.
///
/// # Examples
/// ```
/// use chronoscope_clock::pause::TimerSlack;
/// use std::time::Duration;
///
/// match TimerSlack::set(Duration::from_nanos(1)) {
///     Ok(_slack) => { /* sleeps of this thread are some 50 µs less late here */ }
///     Err(unavailable) => println!("{unavailable}"),
/// }
/// ```
#[derive(Debug)]
pub struct TimerSlack {
    before_ns: u64,
    on_this_thread: OnThisThread,
}

impl TimerSlack {
    /// Sets the slack of the calling thread, to no less than a nanosecond.
    ///
    /// # Errors
    /// [`Unavailable`] with the reason; nothing has changed then.
    pub fn set(slack: Duration) -> Result<Self, Unavailable> {
        let before_ns = wait::timer_slack_ns()?;
        let ns = u64::try_from(slack.as_nanos()).unwrap_or(u64::MAX).max(1);
        wait::set_timer_slack_ns(ns)?;
        Ok(Self { before_ns, on_this_thread: PhantomData })
    }

    /// The calling thread's slack as it is.
    ///
    /// # Errors
    /// [`Unavailable`] with the reason.
    pub fn current() -> Result<Duration, Unavailable> {
        wait::timer_slack_ns().map(Duration::from_nanos)
    }
}

impl Drop for TimerSlack {
    fn drop(&mut self) {
        // Real-time threads have none, and 0 would mean the default.
        if self.before_ns > 0 {
            let _ = wait::set_timer_slack_ns(self.before_ns);
        }
    }
}

/// Shorter time slices for this thread: the kernel lets a thread that asks for less run sooner when it wakes, beside others
/// on its CPU. What it was before is restored on drop.
///
/// # Platform
/// Linux 6.12 and later, without privileges; 0.1 to 100 ms.
///
/// # Sources
/// sched_setattr(2): `sched_runtime` for SCHED_OTHER. Under a busy neighbour on the CPU, waits of 1 ms with a slice of 100 µs
/// were late by 0.8 µs (p99) instead of 4 ms (measured on one machine).
///
/// # Examples
/// ```
/// use chronoscope_clock::pause::TimeSlice;
/// use std::time::Duration;
///
/// match TimeSlice::request(Duration::from_micros(100)) {
///     Ok(_slice) => { /* this thread runs sooner after it wakes, and for shorter */ }
///     Err(unavailable) => println!("{unavailable}"),
/// }
/// ```
#[derive(Debug)]
pub struct TimeSlice {
    before: Scheduling,
    on_this_thread: OnThisThread,
}

impl TimeSlice {
    /// Asks for time slices of `length` for the calling thread.
    ///
    /// # Errors
    /// [`Unavailable`] with the reason, also where the kernel ignores it; nothing has changed then.
    pub fn request(length: Duration) -> Result<Self, Unavailable> {
        let before = Scheduling::of_this_thread()?;
        let ns = u64::try_from(length.as_nanos()).unwrap_or(u64::MAX);
        let wanted = before.with_slice_ns(ns)?;
        wanted.apply()?;
        let granted = Scheduling::of_this_thread()?.slice_ns();
        // An older kernel takes the request, does nothing, and says nothing.
        if granted.is_none() || before.slice_ns().is_none() {
            let _ = before.apply();
            return Err(Unavailable::because("the kernel chooses time slices itself before Linux 6.12"));
        }
        Ok(Self { before, on_this_thread: PhantomData })
    }
}

impl Drop for TimeSlice {
    fn drop(&mut self) {
        let _ = self.before.apply();
    }
}

/// The real-time policy first in, first out for this thread; what it was before is restored on drop.
///
/// A thread under it that never sleeps loses its CPU for 50 ms of each second (the kernel's throttling), or takes the machine
/// down where that is off. This guard limits nothing; a [`Pauser`](super::Pauser) that entered by
/// [`enter_real_time`](super::Pauser::enter_real_time) limits how much its own waits spin.
///
/// # Platform
/// Linux, with `CAP_SYS_NICE` or a limit for real-time priorities (`ulimit -r`) above 1.
///
/// # Examples
/// ```
/// use chronoscope_clock::pause::RealTime;
///
/// match RealTime::enter() {
///     Ok(_real_time) => { /* nothing of the usual policy takes this thread's CPU here */ }
///     Err(unavailable) => println!("{unavailable}"),
/// }
/// ```
#[derive(Debug)]
pub struct RealTime {
    before: Scheduling,
    on_this_thread: OnThisThread,
}

impl RealTime {
    /// Puts the calling thread under it.
    ///
    /// # Errors
    /// [`Unavailable`] with the reason; nothing has changed then.
    pub fn enter() -> Result<Self, Unavailable> {
        let before = Scheduling::of_this_thread()?;
        before.with_fifo()?.apply()?;
        Ok(Self { before, on_this_thread: PhantomData })
    }
}

impl Drop for RealTime {
    fn drop(&mut self) {
        let _ = self.before.apply();
    }
}
