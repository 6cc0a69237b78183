use core::time::Duration;

use super::NotRestored;
use super::held::Held;
use super::request::GuardRequest;
use crate::Unavailable;
use crate::os::wait;

/// How late the kernel may fire this thread's timers. Restored on drop.
///
/// # Guarantees
/// - While several live on a thread, the youngest one's slack holds. They may be dropped in any order, during unwinding
///   too; the last one restores what was before the first.
/// - Threads and processes started meanwhile inherit the slack, and keep it.
/// - A forgotten guard holds until its thread ends.
///
/// # Platform
/// Linux, with the feature `std`. The default slack is 50 µs. Real-time threads have none: the request takes effect once
/// the thread drops its [`RealTime`](super::RealTime).
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
#[must_use = "the slack is restored as soon as this is dropped"]
pub struct TimerSlack {
    held: Held,
}

impl TimerSlack {
    /// Sets the slack of the calling thread, to 1 ns at least.
    ///
    /// # Errors
    /// [`Unavailable`] with the reason; nothing has changed then. Also if the present slack exceeds what the system call returns (4.29 s on 32-bit systems), as it could not be restored.
    pub fn set(slack: Duration) -> Result<Self, Unavailable> {
        let ns = crate::nanos::saturating(slack).max(1);
        Held::hold(GuardRequest::TimerSlack(ns)).map(|held| Self { held })
    }

    /// The calling thread's slack; zero for a real-time thread since Linux 6.13.
    ///
    /// # Errors
    /// [`Unavailable`] with the reason.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::pause::TimerSlack;
    ///
    /// if let Ok(slack) = TimerSlack::current() {
    ///     println!("sleeps of this thread may end {slack:?} late");
    /// }
    /// ```
    pub fn current() -> Result<Duration, Unavailable> {
        wait::timer_slack_ns().map(Duration::from_nanos)
    }

    /// Drops the guard and reports whether that restored the slack.
    ///
    /// # Errors
    /// [`NotRestored`] if a sandbox entered meanwhile forbids it.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::pause::TimerSlack;
    /// use std::time::Duration;
    ///
    /// let before = TimerSlack::current();
    /// if let Ok(slack) = TimerSlack::set(Duration::from_nanos(1)) {
    ///     slack.restore()?;
    /// }
    /// assert_eq!(TimerSlack::current(), before);
    /// # Ok::<(), chronoscope_clock::pause::NotRestored>(())
    /// ```
    pub fn restore(self) -> Result<(), NotRestored> {
        self.held.restore()
    }
}
