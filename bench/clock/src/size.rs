//! How much is measured: every number that makes a run long or short.

use std::time::Duration;

use bench_common::study::Effort;

/// The size of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) is_quick: bool,

    /// The studies of latency, work and threads.
    pub(crate) latency: Effort,
    pub(crate) work: Effort,
    pub(crate) threads: Effort,

    /// Fresh processes of each library.
    pub(crate) first_uses: usize,

    /// Observations of our causal reads, and the time that each peer gets per direction.
    pub(crate) litmus_observations: u64,
    pub(crate) litmus_slice: Duration,
    pub(crate) litmus_longest: Duration,
    pub(crate) litmus_peer: Duration,

    pub(crate) accuracy_seconds: u64,
    pub(crate) accuracy_window_seconds: u64,
    pub(crate) accuracy_idle: usize,
    pub(crate) accuracy_hogged: usize,

    /// Intervals of each CPU's reader.
    pub(crate) intervals: u64,
    /// Children forked.
    pub(crate) forks: u64,
}

impl Size {
    pub(crate) const FULL: Self = Self {
        is_quick: false,
        latency: Effort { budget: Duration::from_secs(30), processes: 12 },
        work: Effort { budget: Duration::from_secs(60), processes: 12 },
        threads: Effort { budget: Duration::from_secs(60), processes: 12 },
        first_uses: 31,
        litmus_observations: 100_000_000,
        litmus_slice: Duration::from_secs(2),
        litmus_longest: Duration::from_secs(90),
        litmus_peer: Duration::from_secs(1),
        accuracy_seconds: 60,
        accuracy_window_seconds: 10,
        accuracy_idle: 4,
        accuracy_hogged: 2,
        intervals: 10_000_000,
        forks: 10_000,
    };

    pub(crate) const QUICK: Self = Self {
        is_quick: true,
        latency: Effort { budget: Duration::from_secs(1), processes: 3 },
        work: Effort { budget: Duration::from_secs(2), processes: 3 },
        threads: Effort { budget: Duration::from_secs(1), processes: 3 },
        first_uses: 5,
        litmus_observations: 1_000_000,
        litmus_slice: Duration::from_millis(100),
        litmus_longest: Duration::from_secs(2),
        litmus_peer: Duration::from_millis(50),
        accuracy_seconds: 4,
        accuracy_window_seconds: 1,
        accuracy_idle: 1,
        accuracy_hogged: 1,
        intervals: 100_000,
        forks: 500,
    };
}
