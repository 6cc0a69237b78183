//! The sleeps of systems that have no wait for a deadline on the monotonic clock, nor one that can be cancelled: each file of
//! such a system says how to sleep for a time, and a cancel is looked for now and then.

use core::sync::atomic::{AtomicU32, Ordering::Acquire};
use core::time::Duration;

use crate::Unavailable;

/// How long a cancel may go unnoticed.
const LOOK: Duration = Duration::from_millis(1);

pub(super) trait SleepFor {
    fn sleep(&self, left: Duration) -> Result<(), Unavailable>;

    fn sleep_until(&self, _deadline_ns: u64, left: Duration) -> Result<(), Unavailable> {
        self.sleep(left)
    }

    /// In short steps until `word` is not 0.
    ///
    /// # Errors
    /// That of the first step. Where a later one fails it comes back early.
    fn sleep_until_or(&self, word: &AtomicU32, _deadline_ns: u64, whole: Duration) -> Result<(), Unavailable> {
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

pub(crate) fn wake(_word: &AtomicU32) {}
