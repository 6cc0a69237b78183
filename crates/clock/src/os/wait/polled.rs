//! A sleep that looks now and then whether it was cancelled, where the system has no wait that does both.

use core::sync::atomic::{AtomicU32, Ordering::Acquire};
use core::time::Duration;

use crate::pause::SleepFailed;

/// How long a cancel may go unnoticed.
const LOOK: Duration = Duration::from_millis(1);

/// Sleeps by `sleep` for `left` in short steps until `word` is not 0.
///
/// # Errors
/// That of the first step. Where a later one fails it comes back early.
pub(super) fn sleep_or(
    word: &AtomicU32,
    left: Duration,
    sleep: impl Fn(Duration) -> Result<(), SleepFailed>,
) -> Result<(), SleepFailed> {
    let whole = left;
    let mut left = whole;
    while word.load(Acquire) == 0 && !left.is_zero() {
        let step = left.min(LOOK);
        match sleep(step) {
            Ok(()) => left = left.saturating_sub(step),
            Err(failed) if left == whole => return Err(failed),
            Err(_) => break,
        }
    }
    Ok(())
}
