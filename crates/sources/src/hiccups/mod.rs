//! Hiccups: the stalls that an otherwise idle thread sees.
//!
//! A thread that does nothing looks at the clock on an absolute schedule. The lateness of a look is the delay that any work on that
//! CPU would have seen at that moment: from an interrupt, another thread, a hypervisor, or a runtime that stops all its threads.
//! Looks that a hiccup prevents count, each as late as it was, so no correction is needed afterwards: a histogram of looks says
//! for which share of time a request would have waited how long.
//!
//! [`HiccupObserver`] watches on the calling thread, [`HiccupRecorder`] on one of its own.
//!
//! # Sources
//! The idea, and what it is good for: G. Tene's jHiccup. It subtracts the shortest delay it has seen from each; here nothing is
//! subtracted: a look in time is late by what reading the clock or waking up takes.

mod histogram;
mod interval;
mod looks;
mod observer;
mod recorder;

pub use interval::HiccupInterval;
pub use observer::HiccupObserver;
pub use recorder::{HiccupRecorder, Lateness};

/// The duration in nanoseconds, at most 584 years.
fn nanos(duration: core::time::Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
