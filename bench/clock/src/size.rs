//! How much is measured: every number that makes a run long or short.

use std::time::Duration;

/// The size of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) is_quick: bool,

    /// Fresh processes and rounds in each, of latency, work and threads.
    pub(crate) latency: Rounds,
    pub(crate) work: Rounds,
    pub(crate) threads: Rounds,
    pub(crate) latency_batch: Duration,
    pub(crate) work_batch: Duration,
    pub(crate) threads_window: Duration,
    /// Words of 8 bytes in the table of random loads.
    pub(crate) table_words: usize,

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

/// Processes, and rounds in each of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rounds {
    pub(crate) processes: usize,
    pub(crate) rounds: usize,
}

const MIB: usize = 1 << 20;
const WORD: usize = size_of::<u64>();

impl Size {
    pub(crate) const FULL: Self = Self {
        is_quick: false,
        latency: Rounds { processes: 8, rounds: 101 },
        work: Rounds { processes: 6, rounds: 41 },
        threads: Rounds { processes: 5, rounds: 15 },
        latency_batch: Duration::from_millis(1),
        work_batch: Duration::from_millis(3),
        threads_window: Duration::from_millis(50),
        table_words: 32 * MIB / WORD,
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
        latency: Rounds { processes: 2, rounds: 9 },
        work: Rounds { processes: 1, rounds: 9 },
        threads: Rounds { processes: 1, rounds: 3 },
        latency_batch: Duration::from_micros(300),
        work_batch: Duration::from_micros(700),
        threads_window: Duration::from_millis(10),
        table_words: 32 * MIB / WORD,
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
