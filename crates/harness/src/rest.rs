use std::thread::park_timeout;
use std::time::{Duration, Instant};

/// Lets the calling thread rest for `length`, or somewhat longer, where nothing is measured. `std::thread::sleep` panics where a sandbox
/// refuses `clock_nanosleep`.
///
/// # Examples
/// ```
/// use std::time::{Duration, Instant};
///
/// let began = Instant::now();
/// chronoscope_harness::rest(Duration::from_millis(1));
/// assert!(began.elapsed() >= Duration::from_millis(1));
/// ```
pub fn rest(length: Duration) {
    let began = Instant::now();
    // It may also return early.
    while let Some(left) = length.checked_sub(began.elapsed()).filter(|left| !left.is_zero()) {
        park_timeout(left);
    }
}
