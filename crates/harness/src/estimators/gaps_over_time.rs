//! When the gaps between consecutive reads began.

use chronoscope_sources::Rate;
use serde::{Deserialize, Serialize};

/// The longest differences between consecutive reads, and when each began: collected between the pieces that are timed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LongestDifferences {
    /// The pieces that were read without a pause: when each began and ended, in ticks since the first reading.
    pub pieces: Vec<(u64, u64)>,
    /// When a difference began, in ticks since the first reading, and how long it was.
    longest: Vec<(u64, i64)>,
    /// Differences up to this are none of the longest.
    least: i64,
}

impl LongestDifferences {
    /// So many are kept, of any number.
    pub const KEPT: usize = 200;

    /// Adds a difference that began so many ticks after the first reading.
    pub fn add(&mut self, began: u64, ticks: i64) {
        if ticks <= self.least {
            return;
        }
        self.longest.push((began, ticks));
        // Sorted once for every so many, so that one more costs a comparison.
        if self.longest.len() >= 2 * Self::KEPT {
            self.shorten();
        }
    }

    fn shorten(&mut self) {
        // The earliest of those that are equally long.
        self.longest.sort_by_key(|(began, ticks)| (std::cmp::Reverse(*ticks), *began));
        self.longest.truncate(Self::KEPT);
        if let Some((_, least)) = self.longest.get(Self::KEPT - 1) {
            self.least = *least;
        }
    }

    /// The longest alone, in the order of time.
    #[must_use]
    pub fn finish(mut self) -> Self {
        self.shorten();
        self.longest.sort_unstable();
        self
    }
}

/// When the gaps between consecutive reads of a clock began, in time of that clock.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GapsOverTime {
    /// Gaps longer than this are told: the shortest that this clock shows.
    pub above_ns: f64,
    /// The longest of them, at most 200, in the order in which they began.
    pub longest: Vec<Gap>,
    /// How many more there were, none of them longer.
    pub more: u64,
    /// When the clock was read without a pause: in between, differences were counted.
    pub read: Vec<Stretch>,
}

/// A gap between two consecutive reads.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Gap {
    /// When it began, since the first reading of this clock.
    pub began_ms: f64,
    /// How long it was.
    pub length_ns: f64,
}

/// A stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stretch {
    /// Its begin, since the first reading of this clock.
    pub from_ms: f64,
    /// Its end.
    pub to_ms: f64,
}

/// Equal parts of the time for which a clock was read.
pub const PARTS: usize = 10;

impl GapsOverTime {
    /// Of `seen`, those longer than `above_ns` once the clock's own step is subtracted, of which there were `count` in all.
    pub(super) fn of(
        seen: &LongestDifferences,
        rate: Rate,
        (above_ns, count): (f64, u64),
        step_ns: f64,
    ) -> Option<Self> {
        // To the nanosecond, as no clock here is finer.
        let ms = |ticks: u64| rate.ns_of_mean(ticks as f64).round() / 1e6;
        let gaps = seen.longest.iter().map(|(began, ticks)| Gap {
            began_ms: ms(*began),
            length_ns: ((rate.ns_of_mean(*ticks as f64) - step_ns) * 10.0).round() / 10.0,
        });
        let is_long = |(_, ticks): &&(u64, i64)| rate.ns_of_mean(*ticks as f64) - step_ns > above_ns;
        let longest: Vec<Gap> = gaps.zip(&seen.longest).filter(|(_, of)| is_long(of)).map(|(gap, _)| gap).collect();
        let read = seen.pieces.iter().map(|(from, to)| Stretch { from_ms: ms(*from), to_ms: ms(*to) });
        let more = count.saturating_sub(longest.len() as u64);
        (!seen.pieces.is_empty()).then(|| Self { above_ns, longest, more, read: read.collect() })
    }

    /// The longest of all; None if there were none.
    pub fn worst(&self) -> Option<&Gap> {
        self.longest.iter().max_by(|a, b| a.length_ns.total_cmp(&b.length_ns))
    }

    /// For how long the clock was read, pauses left out.
    pub fn read_ms(&self) -> f64 {
        self.read.iter().map(|stretch| stretch.to_ms - stretch.from_ms).sum()
    }

    /// In how many of [`PARTS`] equal parts of that time any of the longest began.
    pub fn parts_with_gaps(&self) -> usize {
        let whole = self.read_ms();
        let mut has_gap = [false; PARTS];
        // Begun after so much time of reads.
        let begun: Vec<f64> = self
            .read
            .iter()
            .scan(0.0, |before, stretch| Some(std::mem::replace(before, *before + stretch.to_ms - stretch.from_ms)))
            .collect();
        for gap in &self.longest {
            let behind = self.read.partition_point(|stretch| stretch.from_ms <= gap.began_ms);
            let Some(place) = behind.checked_sub(1) else { continue };
            let part = (begun[place] + gap.began_ms - self.read[place].from_ms) / whole * PARTS as f64;
            // Negative and undefined ones become 0.
            has_gap[(part as usize).min(PARTS - 1)] = true;
        }
        has_gap.into_iter().filter(|has_gap| *has_gap).count()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn seen(differences: &[(u64, i64)], pieces: &[(u64, u64)]) -> LongestDifferences {
        let mut seen = LongestDifferences { pieces: pieces.to_vec(), ..LongestDifferences::default() };
        differences.iter().for_each(|(began, ticks)| seen.add(*began, *ticks));
        seen.finish()
    }

    proptest! {
        #[test]
        fn the_longest_are_those_of_a_sorted_list(ticks in prop::collection::vec(-5_i64..300, 0..2_000)) {
            let all: Vec<(u64, i64)> = ticks.into_iter().enumerate().map(|(at, ticks)| (at as u64, ticks)).collect();
            let mut expected: Vec<(u64, i64)> = all.iter().copied().filter(|(_, ticks)| *ticks > 0).collect();
            expected.sort_by_key(|(began, ticks)| (-ticks, *began));
            expected.truncate(LongestDifferences::KEPT);
            expected.sort_unstable();
            prop_assert_eq!(seen(&all, &[]).longest, expected);
        }
    }

    #[test]
    fn gaps_are_told_with_their_begin_and_the_rest_is_counted() {
        let all: Vec<(u64, i64)> = (0..300).map(|at| (at * 10_000, 2_000 + at as i64)).chain([(5, 900)]).collect();
        let seen = seen(&all, &[(0, 3_000_000)]);
        let found = GapsOverTime::of(&seen, Rate::NANOSECONDS, (1_000.0, 300), 0.0).unwrap();
        assert_eq!((found.longest.len(), found.more), (200, 100));
        assert_eq!(found.longest[0], Gap { began_ms: 1.0, length_ns: 2_100.0 });
        assert_eq!(found.worst(), Some(&Gap { began_ms: 2.99, length_ns: 2_299.0 }));
        assert_eq!(found.read, [Stretch { from_ms: 0.0, to_ms: 3.0 }]);
        let of_steps = GapsOverTime::of(&seen, Rate::NANOSECONDS, (1_000.0, 0), 1_200.0).unwrap();
        assert_eq!((of_steps.longest.len(), of_steps.more, of_steps.longest[98].length_ns), (99, 0, 1_099.0));
        let unknown = LongestDifferences::default();
        assert_eq!(
            GapsOverTime::of(&unknown, Rate::NANOSECONDS, (1_000.0, 3), 0.0),
            None,
            "a runtime tells counts alone"
        );
    }

    /// As of a timer of 250 Hz, and of one burst, in three pieces with pauses between.
    #[test]
    fn parts_are_of_the_time_in_which_the_clock_was_read() {
        let pieces = [(0, 40_000_000), (60_000_000, 100_000_000), (120_000_000, 140_000_000)];
        let is_read = |at: &u64| pieces.iter().any(|(from, to)| (from..to).contains(&at));
        let ticks: Vec<(u64, i64)> =
            (0..35).map(|tick| tick * 4_000_000).filter(is_read).map(|at| (at, 5_000)).collect();
        let of = |differences: &[(u64, i64)]| {
            let seen = seen(differences, &pieces);
            GapsOverTime::of(&seen, Rate::NANOSECONDS, (1_000.0, differences.len() as u64), 0.0).unwrap()
        };
        let periodic = of(&ticks);
        assert_eq!((periodic.parts_with_gaps(), periodic.read_ms()), (10, 100.0));
        let burst: Vec<(u64, i64)> = (0..9).map(|at| (61_000_000 + at * 10_000, 5_000)).collect();
        assert_eq!(of(&burst).parts_with_gaps(), 1);
        assert_eq!(of(&[]).parts_with_gaps(), 0);
        let nowhere = GapsOverTime { read: vec![Stretch { from_ms: f64::NAN, to_ms: 0.0 }], ..of(&burst) };
        assert_eq!(nowhere.parts_with_gaps(), 0);
    }
}
