//! The sleeps of systems that have no wait for a deadline on the monotonic clock, nor one that can be cancelled: each file of
//! such a system says how to sleep for a time, and this one makes the rest of it. A cancel is looked for now and then.

use core::sync::atomic::{AtomicU32, Ordering::Acquire};
use core::time::Duration;

use super::imp::Sleeper;
use crate::pause::SleepFailed;

/// How long a cancel may go unnoticed.
const LOOK: Duration = Duration::from_millis(1);

impl Sleeper {
    pub(super) fn sleep_until(&self, _deadline_ns: u64, left: Duration) -> Result<(), SleepFailed> {
        self.sleep(left)
    }

    /// In short steps until `word` is not 0.
    ///
    /// # Errors
    /// That of the first step. Where a later one fails it comes back early.
    pub(super) fn sleep_until_or(
        &self,
        word: &AtomicU32,
        _deadline_ns: u64,
        left: Duration,
    ) -> Result<(), SleepFailed> {
        let whole = left;
        let mut left = whole;
        while word.load(Acquire) == 0 && !left.is_zero() {
            let step = left.min(LOOK);
            match self.sleep(step) {
                Ok(()) => left = left.saturating_sub(step),
                Err(failed) if left == whole => return Err(failed),
                Err(_) => break,
            }
        }
        Ok(())
    }
}

pub(super) fn wake(_word: &AtomicU32) {}
