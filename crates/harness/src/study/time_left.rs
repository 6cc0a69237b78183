//! A process's share of the run's time.

use std::time::Duration;

use chronoscope_clock::{Clock, Instant};

/// An iteration begins if it is expected to end within so many times the budget.
const SLACK: f64 = 1.1;

/// An iteration longer than this, and than twice the run's whole time, is considered hung.
const LONGEST_ITERATION: Duration = Duration::from_secs(10);

/// The longest that a process may take from one message to the next.
pub(super) fn longest_iteration(budget_ms: u64) -> Duration {
    LONGEST_ITERATION.max(Duration::from_millis(budget_ms.saturating_mul(2)))
}

/// The time that a process has.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeLeft {
    clock: Clock,
    began: Instant,
    pub(super) budget_ns: u64,
}

impl TimeLeft {
    /// Begins now.
    pub(super) fn new(clock: Clock, budget_ms: u64) -> Self {
        Self { clock, began: clock.now(), budget_ns: budget_ms.saturating_mul(1_000_000) }
    }

    pub(super) fn elapsed_ns(&self) -> u64 {
        u64::try_from(self.clock.now().duration_since(self.began).as_nanos()).unwrap_or(u64::MAX)
    }

    /// Whether something that takes so long ends in time.
    pub(super) fn fits(&self, ns: f64) -> bool {
        self.elapsed_ns() as f64 + ns <= self.budget_ns as f64 * SLACK
    }
}
