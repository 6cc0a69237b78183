use serde::{Deserialize, Serialize};

use crate::bracket::Bracket;

/// A bracket this narrow tells the lag of an interval to half a microsecond.
const NARROW_NS: u64 = 1_000;

/// What a number of bracketed readings came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub readings: u64,
    pub outside: u64,
    /// The furthest outside.
    pub worst_ns: u64,
    /// Readings below an earlier one of the same thread.
    pub backward: u64,
    /// Readings of the system's clock below an earlier one of the same thread: then the judge itself stepped back.
    pub system_backward: u64,
    pub intervals: u64,
    /// Intervals that differ from that of the system's clock by more than their brackets allow.
    pub intervals_off: u64,
    pub narrow: u64,
    /// The most by which the system's clock advanced more than ours over one of those.
    pub worst_lag_ns: i64,
}

impl Tally {
    /// Adds a reading; `last_ns` is the latest reading of this thread so far, by whichever read.
    pub fn add(&mut self, bracket: Bracket, last_ns: u64) {
        self.readings += 1;
        let beyond_ns = bracket.beyond_ns();
        self.outside += u64::from(beyond_ns > 0);
        self.worst_ns = self.worst_ns.max(beyond_ns);
        self.backward += u64::from(bracket.reading_ns < last_ns);
        self.system_backward += u64::from(bracket.after_ns < bracket.before_ns);
    }

    /// Adds the interval from one reading to the next of the same thread.
    pub fn add_interval(&mut self, from: Bracket, to: Bracket) {
        self.intervals += 1;
        self.system_backward += u64::from(to.before_ns < from.after_ns);
        self.intervals_off += u64::from(to.interval_beyond_ns(from) > 0);
        if from.width_ns() <= NARROW_NS && to.width_ns() <= NARROW_NS {
            self.narrow += 1;
            self.worst_lag_ns = self.worst_lag_ns.max(to.lag_ns(from));
        }
    }

    pub fn merge(&mut self, other: Self) {
        self.readings += other.readings;
        self.outside += other.outside;
        self.worst_ns = self.worst_ns.max(other.worst_ns);
        self.backward += other.backward;
        self.system_backward += other.system_backward;
        self.intervals += other.intervals;
        self.intervals_off += other.intervals_off;
        self.narrow += other.narrow;
        self.worst_lag_ns = self.worst_lag_ns.max(other.worst_lag_ns);
    }
}

#[cfg(test)]
mod tests {
    use super::{Bracket, Tally};

    #[test]
    fn counts_what_is_outside_and_what_steps_back() {
        let mut tally = Tally::default();
        tally.add(Bracket { before_ns: 10, reading_ns: 15, after_ns: 20 }, 0);
        tally.add(Bracket { before_ns: 30, reading_ns: 14, after_ns: 40 }, 15);
        assert_eq!((tally.readings, tally.outside, tally.worst_ns, tally.backward), (2, 1, 16, 1));
    }

    #[test]
    fn a_wide_bracket_says_nothing_of_the_lag() {
        let mut tally = Tally::default();
        let narrow = Bracket { before_ns: 0, reading_ns: 500, after_ns: 1_000 };
        tally.add_interval(narrow, Bracket { before_ns: 9_000, reading_ns: 500, after_ns: 20_000 });
        assert_eq!((tally.intervals, tally.intervals_off, tally.narrow, tally.worst_lag_ns), (1, 1, 0, 0));
        tally.add_interval(narrow, Bracket { before_ns: 9_000, reading_ns: 500, after_ns: 10_000 });
        assert_eq!((tally.intervals, tally.narrow, tally.worst_lag_ns), (2, 1, 9_000));
    }

    #[test]
    fn sees_that_the_judge_steps_back_within_a_bracket_and_between_two() {
        let mut tally = Tally::default();
        let first = Bracket { before_ns: 20, reading_ns: 15, after_ns: 10 };
        tally.add(first, 0);
        tally.add_interval(first, Bracket { before_ns: 9, reading_ns: 15, after_ns: 20 });
        assert_eq!(tally.system_backward, 2);
    }
}
