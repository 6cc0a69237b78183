//! CPU time, of the measuring threads and of others.

use std::time::Duration;

use chronoscope_sources::os::{OsClock, try_read_ns};

/// Other threads are the operation's if they take more than this share of the measuring threads' time, and more than this.
const OTHERS_SHARE: f64 = 0.05;
const OTHERS_LEAST: Duration = Duration::from_micros(100);

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
    fn a_thread_that_works_is_seen_and_one_that_sleeps_is_not() {
        let (before, own) = (CpuTime::of_thread(), CpuTime::of_thread());
        std::thread::sleep(Duration::from_millis(5));
        assert!(!CpuTime::of_thread().exceeds(before, CpuTime::of_thread().since(own)));
        // Until enough has been done, however slow the machine.
        while CpuTime::of_thread().since(before) < 3 * OTHERS_LEAST {
            empty_loop(100_000);
        }
        assert!(CpuTime::of_thread().exceeds(before, OTHERS_LEAST));
    }
}
