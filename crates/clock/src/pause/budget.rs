//! A real-time thread's share of CPU time.

use core::time::Duration;

use crate::Instant;

/// Real-time threads may spin this share of the time, plus a tenth of a window, so that the kernel does not throttle them
/// (its usual limit is 95 % of a second).
pub(super) const REAL_TIME_SHARE: f64 = 0.8;
const WINDOW: Duration = Duration::from_millis(500);

/// How much of its share of CPU time a real-time thread has spent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    window_began: Instant,
    kept: Duration,
}

impl Budget {
    pub(super) const fn unspent(now: Instant) -> Self {
        Self { window_began: now, kept: Duration::ZERO }
    }

    pub(super) fn spend(&mut self, kept: Duration, now: Instant) {
        self.kept += kept;
        let elapsed = now.saturating_duration_since(self.window_began);
        if elapsed >= WINDOW {
            // What was spent too much is carried over.
            self.kept = self.kept.saturating_sub(elapsed.mul_f64(REAL_TIME_SHARE));
            self.window_began = now;
        }
    }

    pub(super) fn is_exhausted(&self, now: Instant) -> bool {
        let elapsed = now.saturating_duration_since(self.window_began);
        // A tenth of a window is free: at its beginning little has elapsed.
        self.kept > elapsed.mul_f64(REAL_TIME_SHARE) + WINDOW / 10
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_fifths_of_the_time_and_a_tenth_of_a_window_may_be_kept() {
        let at = |ms: i64| Instant::from_nanos(1_000_000_000 + ms * 1_000_000);
        let mut budget = Budget::unspent(at(0));
        budget.spend(Duration::from_millis(129), at(100));
        assert!(!budget.is_exhausted(at(100)), "80 ms and 50");
        budget.spend(Duration::from_millis(2), at(100));
        assert!(budget.is_exhausted(at(100)) && !budget.is_exhausted(at(110)));
        budget.spend(Duration::from_millis(469), at(600));
        assert!(budget.is_exhausted(at(600)), "what was kept too long is carried over");
    }
}
