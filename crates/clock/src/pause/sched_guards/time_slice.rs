use core::time::Duration;

use super::NotRestored;
use super::held::Held;
use super::request::Request;
use crate::Unavailable;

/// Shorter time slices for this thread: among threads that share a CPU, the kernel runs one that asks for less sooner after it
/// wakes. Restored on drop.
///
/// # Guarantees
/// - While several live on a thread, the youngest one's slice holds. They may be dropped in any order, in unwinding too; after
///   the last one the slice is what it was before the first, and the default again where it was that.
/// - Nice value, policy and flags stay as they are.
/// - Threads and processes that this thread starts while it lives inherit the slice, and keep it.
/// - A guard that is forgotten holds until its thread ends.
///
/// # Platform
/// Linux 6.12 and later, with the feature `std`, without privileges; 0.1 to 100 ms. Real-time threads have no slices: there it
/// is unavailable, and while a younger [`RealTime`](super::RealTime) lives, without effect.
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
#[must_use = "the time slice is restored as soon as this is dropped"]
pub struct TimeSlice {
    held: Held,
}

impl TimeSlice {
    /// Asks for time slices of `length` for the calling thread.
    ///
    /// # Errors
    /// [`Unavailable`] with the reason, also where the kernel would ignore it; nothing has changed then.
    pub fn request(length: Duration) -> Result<Self, Unavailable> {
        let ns = crate::nanos::saturating(length).max(1);
        Held::hold(Request::TimeSlice(ns)).map(|held| Self { held })
    }

    /// Drops it, and says whether that restored the slice.
    ///
    /// # Errors
    /// [`NotRestored`] where a sandbox that was entered meanwhile forbids it.
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
