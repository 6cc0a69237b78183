use core::sync::atomic::AtomicU32;
use core::time::Duration;

pub(super) use super::no_scheduling::{Scheduling, set_timer_slack_ns, timer_slack_ns};

#[derive(Debug)]
pub(super) struct Sleeper;

impl Sleeper {
    pub(super) fn new() -> Self {
        Self
    }

    /// Without the standard library it comes back at once: who waits then spins.
    pub(super) fn sleep_until(&self, _deadline_ns: u64, left: Duration) {
        #[cfg(feature = "std")]
        std::thread::sleep(left);
        let _ = left;
    }

    pub(super) fn sleep_until_or(&self, word: &AtomicU32, _deadline_ns: u64, left: Duration) {
        #[cfg(feature = "std")]
        super::polled::sleep_or(word, left, std::thread::sleep);
        let _ = (word, left);
    }
}

pub(super) fn wake(_word: &AtomicU32) {}
