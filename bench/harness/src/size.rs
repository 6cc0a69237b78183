//! How much is measured: every number that makes a run long or short.

use std::time::Duration;

/// The size of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) is_quick: bool,

    pub(crate) accuracy: Repeated,

    pub(crate) peers: Repeated,
    /// How long a peer measures an operation.
    pub(crate) peers_measure: Duration,
    /// Resamples of criterion's bootstrap.
    pub(crate) peers_resamples: usize,

    pub(crate) difference: Repeated,
    /// Each with [`PAIRS`](crate::section::difference::PAIRS) comparisons.
    pub(crate) same: Repeated,
    /// Comparisons of each of two operations with criterion's last run.
    pub(crate) criterion_same: u32,

    pub(crate) empty: Repeated,
}

/// So many studies, of this size each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Repeated {
    pub(crate) runs: u32,
    pub(crate) budget: Duration,
    pub(crate) forks: u32,
}

impl Size {
    pub(crate) const FULL: Self = Self {
        is_quick: false,
        accuracy: Repeated { runs: 100, budget: Duration::from_secs(3), forks: 12 },
        peers: Repeated { runs: 10, budget: Duration::from_secs(3), forks: 12 },
        peers_measure: Duration::from_secs(1),
        peers_resamples: 100_000,
        difference: Repeated { runs: 5, budget: Duration::from_secs(19), forks: 12 },
        same: Repeated { runs: 20, budget: Duration::from_secs(4), forks: 12 },
        criterion_same: 10,
        empty: Repeated { runs: 10, budget: Duration::from_secs(1), forks: 12 },
    };

    pub(crate) const QUICK: Self = Self {
        is_quick: true,
        accuracy: Repeated { runs: 1, budget: Duration::from_secs(1), forks: 4 },
        peers: Repeated { runs: 1, budget: Duration::from_secs(1), forks: 4 },
        peers_measure: Duration::from_millis(100),
        peers_resamples: 1_000,
        difference: Repeated { runs: 1, budget: Duration::from_secs(2), forks: 4 },
        same: Repeated { runs: 1, budget: Duration::from_secs(1), forks: 4 },
        criterion_same: 1,
        empty: Repeated { runs: 1, budget: Duration::from_millis(500), forks: 4 },
    };

    /// Every section `runs` times.
    pub(crate) fn repeated(self, runs: u32) -> Self {
        let again = |of: Repeated| Repeated { runs, ..of };
        Self {
            accuracy: again(self.accuracy),
            peers: again(self.peers),
            difference: again(self.difference),
            same: again(self.same),
            criterion_same: runs,
            empty: again(self.empty),
            ..self
        }
    }
}
