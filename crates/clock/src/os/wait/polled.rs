//! A sleep that looks now and then whether it was cancelled, where the system has no wait that does both.

use core::sync::atomic::{AtomicU32, Ordering::Acquire};
use core::time::Duration;

/// How long a cancel may go unnoticed.
const LOOK: Duration = Duration::from_millis(1);

/// Sleeps by `sleep` for `left` in short steps until `word` is not 0.
pub(super) fn sleep_or(word: &AtomicU32, left: Duration, sleep: impl Fn(Duration)) {
    let mut left = left;
    while word.load(Acquire) == 0 && !left.is_zero() {
        let step = left.min(LOOK);
        sleep(step);
        left = left.saturating_sub(step);
    }
}
