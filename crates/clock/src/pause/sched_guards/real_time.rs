use super::NotRestored;
use super::held::Held;
use super::request::GuardRequest;
use crate::Unavailable;

/// The real-time policy FIFO for this thread, at the second lowest priority. Restored on drop.
///
/// A FIFO thread that never sleeps loses its CPU for 50 ms of each second (the kernel's throttling), or hangs the machine
/// where that is off. This guard limits nothing; a [`Pauser`](crate::pause::Pauser) limits its own spinning under such a
/// policy, whoever set it.
///
/// # Guarantees
/// - While one lives on a thread, the policy holds. They may be dropped in any order, during unwinding too; the last one
///   restores policy, nice value, time slice and timer slack.
/// - A thread without `CAP_SYS_NICE` cannot clear the reset-on-fork flag that goes with the policy: all else is restored,
///   and [`restore`](Self::restore) says so.
/// - A nice value chosen meanwhile stays.
/// - A thread that is real-time already keeps its policy.
/// - Threads and processes started meanwhile run under the usual policy. Since Linux 6.13 they inherit a timer slack of
///   none, as their default too; they must set one if they want it.
/// - A forgotten guard holds until its thread ends.
///
/// # Platform
/// Linux, with the feature `std`, and with `CAP_SYS_NICE` or a real-time priority limit (`ulimit -r`) above 1.
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
    /// Makes the calling thread real-time.
    ///
    /// # Errors
    /// [`Unavailable`] with the reason; nothing has changed then.
    pub fn enter() -> Result<Self, Unavailable> {
        Held::hold(GuardRequest::RealTime).map(|held| Self { held })
    }

    /// Drops the guard and reports whether everything was restored.
    ///
    /// # Errors
    /// [`NotRestored`], usually because the thread may not clear one flag: see [`is_only_reset_on_fork`](NotRestored::is_only_reset_on_fork).
    ///
    /// # Examples
    /// See [`NotRestored`].
    pub fn restore(self) -> Result<(), NotRestored> {
        self.held.restore()
    }
}
