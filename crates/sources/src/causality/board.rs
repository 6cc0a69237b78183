use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use chronoscope_clock::TickSource;

/// Observations, or values published, between deadline checks.
pub(super) const CHUNK: u64 = 1_000;
use crate::padded::CachePadded;

/// Where one thread shows its clock to another: a value on its own cache lines.
///
/// # Examples
/// ```
/// use chronoscope_clock::{FakeClock, Instant, TickSource};
/// use chronoscope_sources::causality::{Board, Observations};
///
/// let clock = FakeClock::starting_at(Instant::from_nanos(1_000_000));
/// let board = Board::new(clock.read());
/// let mut seen = Observations::default();
/// let mut back = Vec::new();
/// board.observe(&clock.view(-5_000), 10, &mut seen, |step| back.push(step)); // a core that lags
/// assert_eq!((seen.violations, seen.worst_ticks), (10, 5_000));
/// assert_eq!((seen.fresh, seen.violated, back), (1, 1, vec![5_000]), "the same value ten times");
/// ```
#[derive(Debug)]
pub struct Board {
    shown: CachePadded<AtomicU64>,
    first: u64,
}

/// Results of an observer of a [`Board`], in ticks of the source.
///
/// # Examples
/// ```
/// use chronoscope_sources::causality::Observations;
///
/// assert_eq!(Observations::default().violations, 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Observations {
    /// Observations: a load of the published value, then a read of the observer's own clock.
    pub observations: u64,
    /// Observations of a new value.
    pub fresh: u64,
    /// New values above an own read that followed, in the first observation of the value or a later one.
    pub violated: u64,
    /// Own reads below the value just observed.
    pub violations: u64,
    /// The largest backward step.
    pub worst_ticks: u64,
    /// The value observed last, and whether it is counted as violated.
    #[serde(skip)]
    pub last: Option<(u64, bool)>,
}

impl Board {
    /// Shows `first` until something else is published.
    #[must_use]
    pub const fn new(first: u64) -> Self {
        Self { shown: CachePadded(AtomicU64::new(first)), first }
    }

    /// Publishes `source` continuously until `stop`, asked every thousand times, returns true. It must do so by a clock
    /// of its own in the end: under a real-time policy the thread that would stop this one may never run.
    pub fn publish_until(&self, source: &impl TickSource, stop: impl Fn() -> bool) {
        while !stop() {
            (0..CHUNK).for_each(|_| self.shown.0.store(source.read(), Release));
        }
    }

    /// Waits for the first published value; false if `stop` returned true before.
    pub fn await_first(&self, stop: impl Fn() -> bool) -> bool {
        while self.shown.0.load(Relaxed) == self.first {
            if stop() {
                return false;
            }
            core::hint::spin_loop();
        }
        true
    }

    /// Reads the board and then `source`, `count` times. `stepped_back` is called with the step back of each new value that is counted
    /// as violated, as first seen.
    pub fn observe(
        &self,
        source: &impl TickSource,
        count: u64,
        seen: &mut Observations,
        mut stepped_back: impl FnMut(u64),
    ) {
        let mut last = seen.last;
        for _ in 0..count {
            let shown = self.shown.0.load(Acquire);
            let own = source.read();
            let mut violated = match last {
                Some((value, violated)) if value == shown => violated,
                _ => {
                    seen.fresh += 1;
                    false
                }
            };
            if own < shown {
                if !violated {
                    seen.violated += 1;
                    stepped_back(shown - own);
                }
                violated = true;
                seen.violations += 1;
                seen.worst_ticks = seen.worst_ticks.max(shown - own);
            }
            last = Some((shown, violated));
        }
        seen.last = last;
        seen.observations += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_clock::{FakeClock, Instant};

    #[test]
    fn a_reader_behind_what_it_was_shown_is_a_violation() {
        let clock = FakeClock::starting_at(Instant::from_nanos(1_000_000));
        let board = Board::new(clock.view(0).read());
        let mut seen = Observations::default();
        let mut back = Vec::new();
        board.observe(&clock.view(-5_000), 10, &mut seen, |step| back.push(step));
        board.observe(&clock.view(-5_000), 10, &mut seen, |step| back.push(step));
        let last = Some((1_000_000, true));
        let wanted = Observations { observations: 20, fresh: 1, violated: 1, violations: 20, worst_ticks: 5_000, last };
        assert_eq!((seen, back), (wanted, vec![5_000]), "one value, however often it is seen");
    }

    #[test]
    fn each_new_value_counts_once_however_often_it_is_seen() {
        let clock = FakeClock::starting_at(Instant::from_nanos(1_000_000));
        let board = Board::new(0);
        let (mut seen, mut back) = (Observations::default(), Vec::new());
        for shown in [1_000_000, 1_000_001, 999_999, 1_000_020] {
            board.shown.0.store(shown, Relaxed);
            board.observe(&clock.view(0), 3, &mut seen, |step| back.push(step));
        }
        assert_eq!((seen.observations, seen.fresh, seen.violated, seen.violations), (12, 4, 2, 6));
        assert_eq!(back, [1, 20]);
    }

    #[test]
    fn a_reader_that_is_not_behind_is_none() {
        let clock = FakeClock::new();
        clock.set_read_cost(core::time::Duration::from_nanos(1));
        let board = Board::new(clock.read());
        let mut seen = Observations::default();
        board.observe(&clock, 10, &mut seen, |_| ());
        assert_eq!((seen.violations, seen.worst_ticks), (0, 0));
    }

    #[test]
    fn waiting_ends_when_it_must() {
        let board = Board::new(1);
        assert!(!board.await_first(|| true));
        let clock = FakeClock::new();
        clock.set_read_cost(core::time::Duration::from_nanos(1));
        board.publish_until(&clock, || board.shown.0.load(Relaxed) > 5);
        assert!(board.await_first(|| false));
    }
}
