use super::NotRestored;
use super::held::Held;
use super::request::Request;
use crate::Unavailable;

/// The real-time policy first in, first out for this thread, at the lowest priority but one. Restored on drop.
///
/// A thread under it that never sleeps loses its CPU for 50 ms of each second (the kernel's throttling), or takes the machine
/// down where that is off. This guard limits nothing; a [`Pauser`](crate::pause::Pauser) limits how much its own waits spin
/// under such a policy, whoever asked for it.
///
/// # Guarantees
/// - While one lives on a thread, the policy holds. They may be dropped in any order, in unwinding too; after the last one the
///   policy, nice value, time slice and timer slack are what they were before the first.
/// - A thread without `CAP_SYS_NICE` cannot clear the flag reset-on-fork, which goes with the policy: everything else is restored
///   then, and [`restore`](Self::restore) says so.
/// - The nice value is left alone: what is chosen while it lives holds afterwards.
/// - A thread that is under a real-time policy already keeps the one that it has.
/// - Threads and processes that this thread starts while it lives begin under the usual policy. Since Linux 6.13 they inherit
///   that it has no timer slack, and none is their default: they set one themselves if they want it.
/// - A guard that is forgotten holds until its thread ends.
///
/// # Platform
/// Linux, with the feature `std`, and with `CAP_SYS_NICE` or a limit for real-time priorities (`ulimit -r`) above 1.
///
/// # Sources
/// sched(7); sched_setattr(2), `SCHED_FLAG_RESET_ON_FORK`.
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
#[must_use = "the policy is restored as soon as this is dropped"]
pub struct RealTime {
    held: Held,
}

impl RealTime {
    /// Puts the calling thread under it.
    ///
    /// # Errors
    /// [`Unavailable`] with the reason; nothing has changed then.
    pub fn enter() -> Result<Self, Unavailable> {
        Held::hold(Request::RealTime).map(|held| Self { held })
    }

    /// Drops it, and says whether everything is as it was.
    ///
    /// # Errors
    /// [`NotRestored`], usually because the thread has no right to clear one flag: see
    /// [`is_only_reset_on_fork`](NotRestored::is_only_reset_on_fork).
    ///
    /// # Examples
    /// See [`NotRestored`].
    pub fn restore(self) -> Result<(), NotRestored> {
        self.held.restore()
    }
}
