//! CPU time, of the measuring threads and of others.

use std::time::Duration;

use chronoscope_sources::os::{OsClock, try_read_ns};

use crate::rest::rest;

/// Other threads are the operation's if they take more than this share of the measuring threads' time, and more than this.
const OTHERS_SHARE: f64 = 0.05;
const OTHERS_LEAST: Duration = Duration::from_micros(100);
/// Milliseconds in which the threads of an operation have ended.
const SETTLING: u32 = 20;

/// CPU time so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CpuTime(Duration);

impl CpuTime {
    /// Of all threads of this process, ended ones included.
    pub(super) fn of_process() -> Self {
        Self::of(OsClock::ProcessCpuTime)
    }

    /// Of the calling thread.
    pub(super) fn of_thread() -> Self {
        Self::of(OsClock::ThreadCpuTime)
    }

    fn of(clock: OsClock) -> Self {
        Self(Duration::from_nanos(try_read_ns(clock).unwrap_or(0)))
    }

    /// Waits until this process is all but idle, for no longer than threads need to end.
    pub(super) fn settle() {
        for _ in 0..SETTLING {
            let before = Self::of_process();
            rest(Duration::from_millis(1));
            if !Self::of_process().exceeds(before, Duration::ZERO) {
                return;
            }
        }
    }

    /// What was added since `before`.
    pub(super) fn since(self, before: Self) -> Duration {
        self.0.saturating_sub(before.0)
    }

    /// Whether threads other than those that took `known` were at work since `before`.
    pub(super) fn exceeds(self, before: Self, known: Duration) -> bool {
        let others = self.since(before).saturating_sub(known);
        others > OTHERS_LEAST && others > known.mul_f64(OTHERS_SHARE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::empty_loop;

    #[test]
    fn others_count_where_they_take_more_than_a_share_and_more_than_a_little() {
        let after_us = |us| CpuTime(Duration::from_micros(us));
        for (all_us, known_us, exceeds) in [(1_000, 950, false), (10_000, 9_700, false), (1_000, 800, true)] {
            let known = Duration::from_micros(known_us);
            assert_eq!(after_us(all_us).exceeds(after_us(0), known), exceeds, "{all_us} µs, {known_us} µs known");
        }
    }

    #[test]
    fn a_thread_that_works_is_seen() {
        let before = CpuTime::of_thread();
        // Until enough has been done, however slow the machine.
        while CpuTime::of_thread().since(before) < 3 * OTHERS_LEAST {
            empty_loop(100_000);
        }
        assert!(CpuTime::of_thread().exceeds(before, OTHERS_LEAST));
    }
}
