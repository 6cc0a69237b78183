//! How much is measured: every number that makes a run long or short.

use std::time::Duration;

use crate::arguments::Arguments;

/// The size of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) is_quick: bool,
    /// In each of them, every clock is measured once by either side.
    pub(crate) rounds: u32,
    /// A harness measures so often in a round.
    pub(crate) repetitions: u32,
    /// And so long each time: hardly longer than our batches, so that some of them hold nothing that others took.
    pub(crate) repetition: Duration,
    /// The same where all processors are busy: longer, since what ends a repetition needs one of them, too.
    pub(crate) crowd_repetitions: u32,
    pub(crate) crowd_repetition: Duration,
    /// What JMH does before, so often.
    pub(crate) warm_ups: u32,
    /// And so long each time.
    pub(crate) warm_up: Duration,
}

impl Size {
    const FULL: Self = Self {
        is_quick: false,
        rounds: 9,
        repetitions: 200,
        repetition: Duration::from_millis(1),
        crowd_repetitions: 40,
        crowd_repetition: Duration::from_millis(20),
        warm_ups: 5,
        warm_up: Duration::from_millis(200),
    };

    const QUICK: Self = Self { is_quick: true, rounds: 3, repetitions: 50, crowd_repetitions: 10, ..Self::FULL };

    /// What was asked for.
    pub(crate) fn of(arguments: &Arguments) -> Self {
        let size = if arguments.quick { Self::QUICK } else { Self::FULL };
        Self { rounds: arguments.rounds.unwrap_or(size.rounds), ..size }
    }
}
