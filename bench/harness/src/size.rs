//! How much is measured: every number that makes a run long or short.

use std::time::Duration;

use bench_common::study::Effort;

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

    /// Each with five cells.
    pub(crate) same_builds: Repeated,
    pub(crate) planted: Repeated,

    /// Runs of each study that is given a time.
    pub(crate) duration: u32,
    pub(crate) empty: Repeated,
    /// Runs of the product, three times each.
    pub(crate) one_clock: u32,
    /// Runs of the product over every clock.
    pub(crate) scaling: u32,
    /// Builds of both users; with none, their crates are counted and no more.
    pub(crate) compile: u32,
}

/// So many studies, of this size each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Repeated {
    pub(crate) runs: u32,
    pub(crate) each: Effort,
}

impl Repeated {
    const fn of(runs: u32, budget: Duration, processes: u32) -> Self {
        Self { runs, each: Effort { budget, processes } }
    }
}

impl Size {
    pub(crate) const FULL: Self = Self {
        is_quick: false,
        accuracy: Repeated::of(100, Duration::from_secs(3), 12),
        peers: Repeated::of(10, Duration::from_secs(3), 12),
        peers_measure: Duration::from_secs(1),
        peers_resamples: 100_000,
        difference: Repeated::of(5, Duration::from_secs(19), 12),
        same: Repeated::of(20, Duration::from_secs(4), 12),
        criterion_same: 10,
        same_builds: Repeated::of(60, Duration::from_secs(25), 100),
        planted: Repeated::of(20, Duration::from_secs(20), 100),
        duration: 3,
        empty: Repeated::of(10, Duration::from_secs(1), 12),
        one_clock: 20,
        scaling: 5,
        compile: 5,
    };

    pub(crate) const QUICK: Self = Self {
        is_quick: true,
        accuracy: Repeated::of(1, Duration::from_secs(1), 4),
        peers: Repeated::of(1, Duration::from_secs(1), 4),
        peers_measure: Duration::from_millis(100),
        peers_resamples: 1_000,
        difference: Repeated::of(1, Duration::from_secs(2), 4),
        same: Repeated::of(1, Duration::from_secs(1), 4),
        criterion_same: 1,
        same_builds: Repeated::of(1, Duration::from_secs(4), 20),
        planted: Repeated::of(1, Duration::from_secs(2), 12),
        duration: 1,
        empty: Repeated::of(1, Duration::from_millis(500), 4),
        one_clock: 1,
        scaling: 1,
        compile: 0,
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
            same_builds: again(self.same_builds),
            planted: again(self.planted),
            duration: runs,
            empty: again(self.empty),
            one_clock: runs,
            scaling: runs,
            compile: runs,
            ..self
        }
    }
}
