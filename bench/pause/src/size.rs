//! How much is measured: every number that makes a run long or short.

use std::time::Duration;

/// The size of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) is_quick: bool,
    /// Rounds of everything that is compared; each takes every way in turn.
    pub(crate) rounds: usize,
    /// Pauses of one way and length in a round take so long, and are so many at least and at most.
    pub(crate) pauses: Duration,
    pub(crate) fewest_pauses: u32,
    pub(crate) most_pauses: u32,
    /// How long a pacer runs in a round.
    pub(crate) pacing: Duration,
    /// And how long ours runs for the goal on its rate.
    pub(crate) pacing_alone: Duration,
    /// Rounds of pacing on a busy CPU.
    pub(crate) loaded_rounds: usize,
    /// How long the run with the stall is.
    pub(crate) honesty: Duration,
}

impl Size {
    pub(crate) const FULL: Self = Self {
        is_quick: false,
        rounds: 9,
        pauses: Duration::from_millis(200),
        fewest_pauses: 30,
        most_pauses: 3_000,
        pacing: Duration::from_millis(400),
        pacing_alone: Duration::from_secs(3),
        loaded_rounds: 9,
        honesty: Duration::from_secs(2),
    };

    pub(crate) const QUICK: Self = Self {
        is_quick: true,
        rounds: 1,
        pauses: Duration::from_millis(10),
        fewest_pauses: 2,
        most_pauses: 200,
        pacing: Duration::from_millis(20),
        pacing_alone: Duration::from_millis(50),
        loaded_rounds: 1,
        honesty: Duration::from_millis(300),
    };
}
