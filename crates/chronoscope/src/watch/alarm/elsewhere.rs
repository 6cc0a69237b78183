use std::time::Duration;

use super::Woken;
use crate::watch::look::monotonic_ns;

/// Whoever asks the program to end waits no longer than this.
const LONGEST_PART: Duration = Duration::from_millis(500);

/// Whether somebody may still read standard output: other systems say so only when something is written.
pub fn is_output_open() -> bool {
    true
}

/// Sleeps in parts: the system does not tell when the wall clock is set.
pub struct Alarm;

impl Alarm {
    pub fn new() -> Self {
        Self
    }

    /// Waits until `due_ns` of the monotonic clock, or until `is_stopped`.
    pub fn wait_until(&mut self, due_ns: u64, is_stopped: impl Fn() -> bool) -> Woken {
        loop {
            if is_stopped() {
                return Woken::Stopped;
            }
            match due_ns.saturating_sub(monotonic_ns()) {
                0 => return Woken::Due,
                left_ns => std::thread::sleep(LONGEST_PART.min(Duration::from_nanos(left_ns))),
            }
        }
    }
}
