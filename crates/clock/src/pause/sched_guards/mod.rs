//! Guards that change how the calling thread is scheduled, and restore it.
//!
//! What the guards of a thread ask for is kept in one place of the thread, together with what it was before the first of them,
//! so that they may nest and go in any order.

#[cfg(feature = "std")]
mod by_thread;
#[cfg(not(feature = "std"))]
#[path = "no_threads.rs"]
mod by_thread;
mod held;
mod not_restored;
mod real_time;
mod request;
#[cfg(feature = "std")]
mod requests;
mod time_slice;
mod timer_slack;

pub use not_restored::NotRestored;
pub use real_time::RealTime;
pub use time_slice::TimeSlice;
pub use timer_slack::TimerSlack;

use self::request::GuardRequest;
use crate::os::wait;

/// Whether a guard of the calling thread asks for time slices.
pub(super) fn has_time_slice() -> bool {
    by_thread::asks_for(|request| matches!(request, GuardRequest::TimeSlice(_)))
}

/// Whether the calling thread runs under a real-time policy, whoever put it there. Where a sandbox forbids to ask, whether a
/// guard did.
pub(super) fn is_real_time() -> bool {
    wait::is_real_time().unwrap_or_else(|| by_thread::asks_for(|request| request == GuardRequest::RealTime))
}
