use core::time::Duration;

use super::NotRestored;
use super::held::Held;
use super::request::GuardRequest;
use crate::Unavailable;

/// Shorter time slices for this thread: among threads that share a CPU, one that asks for less runs sooner after it
/// wakes. Restored on drop.
///
/// # Guarantees
/// - While several live on a thread, the youngest one's slice holds. They may be dropped in any order, during unwinding
///   too; the last one restores what was before the first, the default included.
/// - Nice value, policy and flags are unchanged.
/// - Threads and processes started meanwhile inherit the slice, and keep it.
/// - A forgotten guard holds until its thread ends.
///
/// # Platform
/// Linux 6.12 and later, with the feature `std`, unprivileged; 0.1 to 100 ms. Real-time threads have no slices: on them
/// it is unavailable, and while a younger [`RealTime`](super::RealTime) lives, without effect.
///
/// # Sources
/// sched_setattr(2): `sched_runtime` for SCHED_OTHER. Sharing a CPU with a busy thread, waits of 1 ms with a slice of 100
/// µs were late by 0.8 µs (p99) instead of 4 ms (one machine).
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
#[must_use = "the time slice is restored as soon as this is dropped"]
pub struct TimeSlice {
    held: Held,
}

impl TimeSlice {
    /// Requests time slices of `length` for the calling thread.
    ///
    /// # Errors
    /// [`Unavailable`] with the reason, also if the kernel would ignore it; nothing has changed then.
    pub fn request(length: Duration) -> Result<Self, Unavailable> {
        let ns = crate::nanos::saturating(length).max(1);
        Held::hold(GuardRequest::TimeSlice(ns)).map(|held| Self { held })
    }

    /// Drops the guard and reports whether that restored the slice.
    ///
    /// # Errors
    /// [`NotRestored`] if a sandbox entered meanwhile forbids it.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::pause::TimeSlice;
    /// use std::time::Duration;
    ///
    /// if let Ok(slice) = TimeSlice::request(Duration::from_micros(100)) {
    ///     slice.restore()?;
    /// }
    /// # Ok::<(), chronoscope_clock::pause::NotRestored>(())
    /// ```
    pub fn restore(self) -> Result<(), NotRestored> {
        self.held.restore()
    }
}
