//! Guards that change how the calling thread is scheduled, and restore it.
//!
//! What the guards of a thread ask for is kept in one place of the thread, together with what it was before the first of them,
//! so that they may nest and go in any order.

#[cfg(feature = "std")]
mod by_thread;
#[cfg(not(feature = "std"))]
#[path = "no_threads.rs"]
mod by_thread;
mod not_restored;
mod real_time;
#[cfg(feature = "std")]
mod requests;
mod time_slice;
mod timer_slack;

use core::marker::PhantomData;

pub use not_restored::NotRestored;
pub use real_time::RealTime;
pub use time_slice::TimeSlice;
pub use timer_slack::TimerSlack;

use crate::Unavailable;
use crate::os::wait;

/// What a guard asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "std"), allow(dead_code))] // nobody keeps it there
enum Request {
    /// Of so many nanoseconds.
    TimerSlack(u64),
    /// Of so many nanoseconds.
    TimeSlice(u64),
    RealTime,
}

/// A request of the calling thread that holds until this is dropped.
#[derive(Debug)]
struct Held {
    id: u64,
    /// It can be given up on the thread that made it alone.
    on_this_thread: PhantomData<*const ()>,
}

impl Held {
    fn hold(request: Request) -> Result<Self, Unavailable> {
        Ok(Self { id: by_thread::add(request)?, on_this_thread: PhantomData })
    }

    fn restore(self) -> Result<(), NotRestored> {
        let id = self.id;
        core::mem::forget(self);
        by_thread::remove(id)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let _ = by_thread::remove(self.id);
    }
}

/// Whether the calling thread runs under a real-time policy, whoever put it there. Where a sandbox forbids to ask, whether a
/// guard did.
pub(super) fn is_real_time() -> bool {
    wait::is_real_time().unwrap_or_else(by_thread::asks_for_real_time)
}
