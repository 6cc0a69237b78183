//! The differences between consecutive reads of a clock, and the gaps among them.

use chronoscope_sources::Rate;
use serde::{Deserialize, Serialize};

use super::gaps_over_time::{GapsOverTime, LongestDifferences};
use super::modes::modes_of;
use crate::record::{Disturbance, Histogram, Peak};
use crate::stats::Distribution;

/// Samples in ticks of the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Samples {
    /// Every difference between consecutive reads, with its count.
    pub differences: Vec<(i64, u64)>,
    /// The sum of the spans from the first read of a piece to its last.
    pub span_ticks: u64,
    /// Start-stop pairs with nothing between them.
    pub empty_intervals: u64,
    /// The largest of them.
    pub largest_empty_ticks: i64,
    /// When the longest differences began; without a piece where only their counts are known.
    pub longest: LongestDifferences,
}

/// The distribution of the differences between consecutive reads of one clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Reads"))]
pub struct Reads<C> {
    /// The clock.
    pub clock: C,
    /// Differences taken.
    pub count: u64,
    /// The sum of the pieces' spans: each from its first read to its last.
    pub span_ns: f64,
    /// Share of zero differences.
    pub zero_share: f64,
    /// Negative differences.
    pub backward_steps: u64,
    /// Smallest positive difference; null if none.
    pub minimum_ns: Option<f64>,
    /// Median difference.
    pub p50_ns: f64,
    /// 99th percentile.
    pub p99_ns: f64,
    /// 99.9th percentile.
    pub p999_ns: f64,
    /// Largest difference.
    pub maximum_ns: f64,
    /// Values around which differences cluster, most frequent first.
    pub modes: Vec<Peak>,
    /// The differences that were seen most often, at most 16, by ascending ticks; empty in documents of earlier builds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub most_frequent: Vec<DifferenceCount>,
    /// Share of time lost in long gaps; thresholds hidden by the clock's steps or by what a read takes are left out.
    pub gaps: Vec<Gaps>,
    /// When gaps began; null where a runtime counted them, and where the clock hides them all.
    #[serde(default)]
    pub gaps_over_time: Option<GapsOverTime>,
    /// Start-stop pairs with nothing between them.
    pub empty_intervals: u64,
    /// The largest of them.
    pub largest_empty_interval_ns: f64,
    /// All positive differences.
    pub histogram: Histogram,
    /// What disturbed the measurement.
    pub disturbance: Disturbance,
}

impl<C> Reads<C> {
    /// A clock moves in steps longer than a read if at least this share of differences is zero.
    const EQUAL_SHARE_OF_STEPS: f64 = 0.1;

    /// Whether it moves in steps longer than a read.
    pub fn moves_in_steps(&self) -> bool {
        self.step_ns() > 0.0
    }

    /// How many differences are not zero.
    pub fn changes(&self) -> u64 {
        // A float-to-int cast saturates.
        (self.count as f64 * (1.0 - self.zero_share)).round() as u64
    }

    /// The step in which the clock moved, if longer than a read; else 0. Infinite if it never moved.
    ///
    /// A shorter pause of the reader is invisible in the differences, and a difference of one step is not a pause.
    pub fn step_ns(&self) -> f64 {
        if self.zero_share >= Self::EQUAL_SHARE_OF_STEPS { self.minimum_ns.unwrap_or(f64::INFINITY) } else { 0.0 }
    }

    /// What the clock itself puts between two readings: its step, or the time of a read, whichever is longer.
    pub fn between_readings_ns(&self) -> f64 {
        self.step_ns().max(self.p50_ns)
    }

    /// Whether gaps longer than `above_ns` are visible in the differences of this clock.
    ///
    /// A difference is an interruption, if there was one, plus what the clock itself puts between two readings. If that is
    /// a tenth of the threshold, interruptions count from nine tenths of it, each by at most a tenth too much, and a read
    /// that takes several times its usual time counts as none. If it is longer than the threshold, every read counts.
    pub fn shows_gaps_above(&self, above_ns: f64) -> bool {
        above_ns >= READINGS_PER_GAP * self.between_readings_ns()
    }

    /// The gaps that are due to the reader rather than the clock's own steps and reads.
    pub fn shown_gaps(&self) -> impl Iterator<Item = &Gaps> {
        self.gaps.iter().filter(|gaps| self.shows_gaps_above(gaps.above_ns))
    }

    /// The longest possible pause of the reader between two reads: the largest difference plus one step, since each
    /// reading of a clock that moves in steps may be up to a step old.
    #[cfg(test)]
    pub fn longest_gap_below_ns(&self) -> f64 {
        self.maximum_ns + self.step_ns()
    }
}

/// How often two readings in a row differed by so much.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DifferenceCount {
    /// The difference in ticks of the clock.
    pub ticks: i64,
    /// The same in nanoseconds.
    pub ns: f64,
    /// How often it was seen.
    pub count: u64,
}

/// Differences of which counts are kept.
const MOST_FREQUENT: usize = 16;

/// Gaps above a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Gaps {
    /// The threshold.
    pub above_ns: f64,
    /// How many differences were larger.
    pub count: u64,
    /// Their share of the whole span.
    pub share_of_time: f64,
}

/// A gap is visible only if this many times as long as what the clock itself puts between two readings.
pub const READINGS_PER_GAP: f64 = 10.0;
/// Gaps above these thresholds are counted.
pub const GAP_THRESHOLDS_NS: [f64; 3] = [1_000.0, 10_000.0, 100_000.0];

/// The distribution of differences between consecutive reads of `clock`. None if there are none.
///
/// For a clock that moves in steps, a difference may exceed the gap behind it by up to a step, so one step is
/// subtracted; gaps hidden by its steps, or by reads that take as long, are not counted at all.
pub fn reads<C>(clock: C, samples: &Samples, rate: Rate, disturbance: Disturbance) -> Option<Reads<C>> {
    let ns = |ticks: i64| rate.ns_of_mean(ticks as f64);
    let all = Distribution::of_counts(samples.differences.iter().map(|(ticks, count)| (ns(*ticks), *count)));
    let histogram = all.histogram();
    let span_ns = rate.ns_of_mean(samples.span_ticks as f64);
    let mut found = Reads {
        clock,
        count: all.total(),
        span_ns,
        zero_share: all.share(|ns| ns == 0.0),
        backward_steps: samples.differences.iter().filter(|(ticks, _)| *ticks < 0).map(|(_, count)| count).sum(),
        minimum_ns: all.counts().iter().map(|(ns, _)| *ns).find(|ns| *ns > 0.0),
        p50_ns: all.quantile(0.5)?,
        p99_ns: all.quantile(0.99)?,
        p999_ns: all.quantile(0.999)?,
        maximum_ns: all.maximum()?,
        modes: modes_of(&all),
        most_frequent: most_frequent(&samples.differences, &ns),
        gaps: Vec::new(),
        gaps_over_time: None,
        empty_intervals: samples.empty_intervals,
        largest_empty_interval_ns: ns(samples.largest_empty_ticks),
        histogram,
        disturbance,
    };
    let step_ns = found.step_ns();
    let gaps = GAP_THRESHOLDS_NS.into_iter().filter(|above_ns| found.shows_gaps_above(*above_ns)).map(|above_ns| {
        let above = || all.counts().iter().map(|(ns, count)| (ns - step_ns, *count)).filter(|(ns, _)| *ns > above_ns);
        let taken = above().fold(0.0, |sum, (ns, count)| sum + ns * count as f64);
        Gaps {
            above_ns,
            count: above().map(|(_, count)| count).sum(),
            share_of_time: if span_ns > 0.0 { (taken / span_ns).min(1.0) } else { 0.0 },
        }
    });
    found.gaps = gaps.collect();
    let shortest = found.gaps.first().map(|gaps| (gaps.above_ns, gaps.count));
    found.gaps_over_time = shortest.and_then(|shown| GapsOverTime::of(&samples.longest, rate, shown, step_ns));
    Some(found)
}

fn most_frequent(differences: &[(i64, u64)], ns: &impl Fn(i64) -> f64) -> Vec<DifferenceCount> {
    let mut found: Vec<DifferenceCount> = differences
        .iter()
        .map(|(ticks, count)| DifferenceCount { ticks: *ticks, ns: ns(*ticks), count: *count })
        .collect();
    // The shorter one of two that are as frequent, so that the order of the samples does not matter.
    found.sort_by_key(|one| (std::cmp::Reverse(one.count), one.ticks));
    found.truncate(MOST_FREQUENT);
    found.sort_by_key(|one| one.ticks);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_differences_seen_most_often_are_counted_exactly() {
        let differences = (1..=40).map(|ticks| (ticks, if ticks == 30 { 900 } else { 100 - ticks as u64 })).collect();
        let samples = Samples { differences, ..Samples::default() };
        let rate = Rate::from_hz(10_000_000).unwrap();
        let found = reads("fake", &samples, rate, Disturbance::default()).unwrap().most_frequent;
        assert_eq!(found.len(), 16);
        assert_eq!(found.first(), Some(&DifferenceCount { ticks: 1, ns: 100.0, count: 99 }));
        assert_eq!(found.last(), Some(&DifferenceCount { ticks: 30, ns: 3_000.0, count: 900 }));
    }

    /// Mono's stopwatch: 93 of 100 differences are zero, all others one tick.
    #[test]
    fn a_mode_has_its_share_of_all_differences() {
        let samples = Samples { differences: vec![(0, 930), (100, 70)], span_ticks: 7_000, ..Samples::default() };
        let found = reads("fake", &samples, Rate::NANOSECONDS, Disturbance::default()).unwrap();
        assert_eq!(found.modes.len(), 1);
        assert_eq!(found.modes[0].at_ns, 100.0, "a value read");
        assert!((found.modes[0].share - 0.07).abs() < 1e-9, "{:?}", found.modes);
    }

    #[test]
    fn gaps_take_their_share_of_the_time() {
        let samples = Samples {
            differences: vec![(-5, 1), (0, 100), (20, 10_000), (50_000, 2)],
            span_ticks: 20 * 10_000 + 100_000 - 5,
            empty_intervals: 10,
            largest_empty_ticks: 900,
            ..Samples::default()
        };
        let found = reads("fake", &samples, Rate::NANOSECONDS, Disturbance::default()).unwrap();
        assert_eq!((found.count, found.backward_steps, found.minimum_ns), (10_103, 1, Some(20.0)));
        assert_eq!(found.gaps.iter().map(|gap| gap.count).collect::<Vec<_>>(), [2, 2, 0]);
        assert!((found.gaps[0].share_of_time - 1.0 / 3.0).abs() < 1e-3);
        assert_eq!(found.maximum_ns, 50_000.0);
        assert!((found.zero_share - 100.0 / 10_103.0).abs() < 1e-9);
    }

    fn of(differences: Vec<(i64, u64)>) -> Reads<&'static str> {
        let span_ticks: u64 = differences.iter().map(|(ticks, count)| ticks.unsigned_abs() * count).sum();
        let samples = Samples { differences, span_ticks, ..Samples::default() };
        reads("fake", &samples, Rate::NANOSECONDS, Disturbance::default()).unwrap()
    }

    #[test]
    fn a_tick_is_no_gap() {
        let coarse = of(vec![(0, 999_998), (4_000_000, 2)]);
        assert_eq!((coarse.step_ns(), coarse.gaps.len()), (4_000_000.0, 0));
        assert_eq!(coarse.longest_gap_below_ns(), 8_000_000.0);
    }

    #[test]
    fn a_clock_that_did_not_move_tells_of_no_gap() {
        let still = of(vec![(0, 2_000)]);
        assert!(still.step_ns().is_infinite() && still.gaps.is_empty());
    }

    /// As in a guest whose clocksource is an HPET that the hypervisor emulates.
    #[test]
    fn a_read_that_takes_as_long_as_a_gap_is_none() {
        let hpet = of(vec![(13_900, 9_000), (21_000, 50), (150_000, 1)]);
        assert_eq!(hpet.gaps.iter().map(|gap| (gap.above_ns, gap.count)).collect::<Vec<_>>(), []);
        let acpi = of(vec![(1_400, 9_000), (9_000, 50), (150_000, 1)]);
        assert_eq!(acpi.gaps.iter().map(|gap| (gap.above_ns, gap.count)).collect::<Vec<_>>(), [(100_000.0, 1)]);
        let syscall = of(vec![(160, 9_000), (2_000, 1), (50_000, 2)]);
        let seen: Vec<_> = syscall.gaps.iter().map(|gap| (gap.above_ns, gap.count)).collect();
        assert_eq!(seen, [(10_000.0, 2), (100_000.0, 0)]);
    }

    #[test]
    fn gaps_show_where_steps_are_much_shorter() {
        let found = of(vec![(0, 900), (1_000, 99), (51_000, 1)]);
        let seen: Vec<(f64, u64)> = found.gaps.iter().map(|gap| (gap.above_ns, gap.count)).collect();
        assert_eq!(seen, [(10_000.0, 1), (100_000.0, 0)]);
        assert!((found.gaps[0].share_of_time - 50.0 / 150.0).abs() < 1e-9);
    }
}
