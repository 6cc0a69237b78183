//! How much is measured.

use std::time::Duration;

/// The size of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) is_quick: bool,
    /// Fresh processes, and rounds in each of them.
    pub(crate) processes: usize,
    pub(crate) rounds: usize,
    pub(crate) batch: Duration,
}

impl Size {
    pub(crate) const FULL: Self = Self { is_quick: false, processes: 8, rounds: 101, batch: Duration::from_millis(1) };
    pub(crate) const QUICK: Self = Self { is_quick: true, processes: 2, rounds: 8, batch: Duration::from_micros(300) };
}
