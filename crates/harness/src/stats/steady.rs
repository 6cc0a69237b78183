use super::changepoints::{Fence, changepoints, inside_window};
use super::summary::{mean, variance};
use super::trend::trend;

/// The end of a series that must be steady: one in this many values, up to a maximum.
const FINAL_SHARE: usize = 4;
const MOST_FINAL_VALUES: usize = 500;
/// A different level within a series that lasts for no more than one value in so many, or for so few values, is an interruption.
const EXCURSION_SHARE: usize = 50;
const LEAST_EXCURSION: usize = 2;
/// Shorter series are not judged.
const FEWEST_VALUES: usize = 20;

/// How durations develop along a series.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Steadiness {
    /// The same from first to last.
    Flat,
    /// Slower at first, then steady at the fastest.
    WarmUp,
    /// Steady at the end, but faster at some earlier point.
    SlowDown,
    /// Still changing near the end.
    NoSteadyState,
    /// Drifting throughout: the duration depends on the index.
    Trend,
    /// Fewer than 20 finite values.
    TooShort,
}

/// A part of a series with one mean and one variance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// Its first index.
    pub from: usize,
    /// The first index after it.
    pub to: usize,
    /// The mean without outliers, in the unit of the values.
    pub mean: f64,
    /// The sample variance without outliers, in the unit of the values squared.
    pub variance: f64,
}

/// Whether, and from which index, a series is steady.
#[derive(Clone, Debug, PartialEq)]
pub struct Steady {
    /// The kind of series.
    pub class: Steadiness,
    /// The first index of the steady part. None for no steady state, a trend, or a series too short.
    pub steady_from: Option<usize>,
    /// The parts of the series in order, without gaps; those equivalent to the last one are merged.
    pub segments: Vec<Segment>,
    /// The increase per index, in the unit of the values. Only for a trend.
    pub trend_per_index: Option<f64>,
}

/// Classifies the durations of successive iterations of one process. `margin` is the relative difference that does not
/// matter, 0.01 to 0.05.
///
/// The series is cut at its [changepoints](super::changepoints()). A segment is equivalent to the last one if their
/// means, each plus or minus its variance, meet within the margin; the last quarter of the series (at most 500 values)
/// must contain no other segment. Two rules are added. First values outside the steady part's own outlier fence are a
/// warm-up, even if too few for a segment. And a slope to the end, from a segment in the first half or the start of the
/// apparent steady state, is a trend if its drift exceeds the margin and persists through both its halves: Theil and
/// Sen's slope by the Mann-Kendall test at 0.001.
///
/// Use only after the run. As a stopping rule, it would make the result depend on its own noise.
///
/// # Units
/// Durations, or other values where less is faster. A variance has the unit squared; it is divided by the mean for
/// comparison with one. For iterations of about a second, for which the method was designed, both are the same number.
///
/// # Sources
/// E. Barrett, C. F. Bolz-Tereick, R. Killick, S. Mount, L. Tratt, "Virtual Machine Warmup Blows Hot and Cold", OOPSLA
/// 2017, and their `warmup_stats`. L. Traini, V. Cortellessa, D. Di Pompeo, M. Tucci, EMSE 2023, on judging after the
/// run. P. K. Sen, JASA 63, 1968; H. B. Mann, Econometrica 13, 1945; the variance of the test under correlation: S.
/// Yue, C. Wang, Water Resources Management 18, 2004.
///
/// # Examples
/// ```
/// use chronoscope_harness::stats::{Steadiness, steady_state};
///
/// let series: Vec<f64> = (0..100).map(|i| if i < 30 { 90.0 } else { 40.0 } + f64::from(i % 3) * 0.1).collect();
/// let found = steady_state(&series, 0.01);
/// assert_eq!((found.class, found.steady_from), (Steadiness::WarmUp, Some(30)));
/// assert!((found.segments[1].mean - 40.1).abs() < 0.1);
/// ```
pub fn steady_state(series: &[f64], margin: f64) -> Steady {
    let margin = margin.max(0.0);
    let kept = inside_window(series);
    if series.iter().filter(|value| value.is_finite()).count() < FEWEST_VALUES {
        let segments = segment(series, &kept, 0, series.len()).into_iter().collect();
        return Steady { class: Steadiness::TooShort, steady_from: None, segments, trend_per_index: None };
    }

    let mut steady = classified(series, &kept, &changepoints(series), margin);
    cut_cold_start(&mut steady, series, &kept, margin);

    let indexed: Vec<(f64, f64)> = kept.iter().map(|i| (*i as f64, series[*i])).collect();
    let late = series.len() / 2;
    let mut from: Vec<usize> =
        steady.segments.iter().map(|segment| segment.from).filter(|from| *from <= late).collect();
    from.extend(steady.steady_from.filter(|from| *from > late));
    let mut suffixes = from.into_iter().map(|from| &indexed[kept.partition_point(|i| *i < from)..]);
    if let Some(slope) = suffixes.find_map(|suffix| trend(suffix, margin)) {
        steady.class = Steadiness::Trend;
        steady.steady_from = None;
        steady.trend_per_index = Some(slope);
    }
    steady
}

/// The segment of the kept values from `from` to before `to`. None if there is none.
fn segment(series: &[f64], kept: &[usize], from: usize, to: usize) -> Option<Segment> {
    let inside = &kept[kept.partition_point(|i| *i < from)..kept.partition_point(|i| *i < to)];
    let values: Vec<f64> = inside.iter().map(|i| series[*i]).collect();
    Some(Segment { from, to, mean: mean(&values)?, variance: variance(&values).unwrap_or(0.0) })
}

impl Segment {
    /// The variance as a length: divided by the mean, since its unit is squared.
    fn dispersion(&self) -> f64 {
        if self.mean == 0.0 { 0.0 } else { self.variance / self.mean.abs() }
    }
}

/// The class and the merged segments, from the first indices of all segments but the first.
fn classified(series: &[f64], kept: &[usize], starts: &[usize], margin: f64) -> Steady {
    let borders: Vec<usize> = [0].into_iter().chain(starts.iter().copied()).chain([series.len()]).collect();
    let segments: Vec<Segment> =
        borders.windows(2).filter_map(|pair| segment(series, kept, pair[0], pair[1])).collect();
    let mut class = Steadiness::Flat;
    let Some(last) = segments.last().copied() else {
        return Steady { class: Steadiness::TooShort, steady_from: None, segments, trend_per_index: None };
    };
    let fastest = segments.iter().map(|segment| segment.mean.abs()).fold(f64::INFINITY, f64::min);
    let tolerance = last.dispersion().max(margin * fastest);
    let faster = |segment: &Segment| segment.mean + segment.dispersion() < last.mean - tolerance;
    let slower = |segment: &Segment| segment.mean - segment.dispersion() > last.mean + tolerance;
    // A short excursion in the midst of a series is an interruption and no phase of it.
    let longest_excursion = (series.len() / EXCURSION_SHARE).max(LEAST_EXCURSION);
    let is_excursion = |segment: &Segment| {
        segment.from > 0 && segment.to < series.len() && segment.to - segment.from <= longest_excursion
    };
    let differs = |segment: &Segment| !is_excursion(segment) && (faster(segment) || slower(segment));

    let final_part = series.len() - (series.len() / FINAL_SHARE).min(MOST_FINAL_VALUES);
    let others: Vec<&Segment> = segments.iter().filter(|segment| differs(segment)).collect();
    let steady_from = others.last().map_or(0, |other| other.to);
    if steady_from > final_part {
        class = Steadiness::NoSteadyState;
    } else if others.iter().any(|other| faster(other)) {
        class = Steadiness::SlowDown;
    } else if !others.is_empty() {
        class = Steadiness::WarmUp;
    }
    let joined = segments
        .chunk_by(|one, next| !differs(one) && !differs(next))
        .filter_map(|alike| segment(series, kept, alike.first()?.from, alike.last()?.to))
        .collect();
    let steady_from = (class != Steadiness::NoSteadyState).then_some(steady_from);
    Steady { class, steady_from, segments: joined, trend_per_index: None }
}

/// Moves the start of the steady part past first values that lie outside its outlier fence.
fn cut_cold_start(steady: &mut Steady, series: &[f64], kept: &[usize], margin: f64) {
    let (Some(from), Some(last)) = (steady.steady_from, steady.segments.last().copied()) else { return };
    let inside: Vec<usize> = kept.iter().copied().filter(|i| *i >= from).collect();
    let mut sorted: Vec<f64> = inside.iter().map(|i| series[*i]).collect();
    sorted.sort_by(f64::total_cmp);
    let Some(fence) = Fence::of_sorted(&sorted) else { return };
    let middle = sorted[sorted.len() / 2];
    let cold = |i: &usize| !fence.holds(series[*i]) && (series[*i] - middle).abs() > margin * middle.abs();
    let Some(to) = inside.iter().copied().find(|i| !cold(i)).filter(|to| *to > from && *to < last.to) else { return };
    let halves = segment(series, kept, from, to).zip(segment(series, kept, to, last.to));
    let Some((start, rest)) = halves else { return };

    steady.steady_from = Some(to);
    if start.mean < rest.mean {
        steady.class = Steadiness::SlowDown;
    } else if steady.class == Steadiness::Flat {
        steady.class = Steadiness::WarmUp;
    }
    steady.segments.pop();
    steady.segments.extend([start, rest]);
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;
    use proptest::prelude::*;

    /// One percent of noise around a level for each index.
    fn noisy(random: &mut Random, n: usize, level: impl Fn(usize) -> f64) -> Vec<f64> {
        (0..n).map(|i| level(i) * (1.0 + 0.01 * random.normal())).collect()
    }

    /// The share of simulated series in a class; fewer of long ones.
    fn share(class: Steadiness, n: usize, level: impl Fn(usize) -> f64) -> f64 {
        let runs = if n < 500 { 20 } else { 4 };
        let is = |seed: &u64| steady_state(&noisy(&mut Random::new(*seed), n, &level), 0.02).class == class;
        (0..runs).filter(is).count() as f64 / runs as f64
    }

    #[test]
    fn noise_is_flat() {
        for n in [20, 30, 100, 300] {
            let flat = (0..100)
                .filter(|seed| {
                    let mut series = noisy(&mut Random::new(*seed), n, |_| 40.0);
                    series[n - 4] *= 50.0;
                    steady_state(&series, 0.01).class == Steadiness::Flat
                })
                .count();
            assert!(flat >= 98, "{flat} of 100 at n = {n}");
        }
    }

    #[test]
    fn interruptions_are_no_phases() {
        let flat = (0..100)
            .filter(|seed| {
                let mut random = Random::new(500 + seed);
                let mut series = noisy(&mut random, 200, |_| 735.0);
                // Now and then the machine takes 10 to 50 µs of a batch of 7 µs, sometimes across two of them.
                for at in (5..195).filter(|_| random.unit() < 0.03).collect::<Vec<usize>>() {
                    series[at] += 4_000.0 * random.unit();
                    series[at + 1] += 300.0 * random.unit();
                }
                steady_state(&series, 0.05).class == Steadiness::Flat
            })
            .count();
        assert!(flat >= 90, "{flat} of 100");
    }

    #[test]
    fn skewed_and_coarse_noise_is_flat() {
        let mut random = Random::new(81);
        for n in [30, 300] {
            let flat = (0..100)
                .filter(|_| {
                    let series: Vec<f64> =
                        (0..n).map(|_| (40.0 + 2.0 * (0.8 * random.normal()).exp()).round()).collect();
                    steady_state(&series, 0.02).class == Steadiness::Flat
                })
                .count();
            assert!(flat >= 95, "{flat} of 100 at n = {n}");
        }
    }

    #[test]
    fn steps_and_decays_are_what_they_are() {
        for n in [40, 200, 1000] {
            let step = |low: f64, high: f64| move |i: usize| if i < n / 3 { low } else { high };
            assert!(share(Steadiness::WarmUp, n, step(90.0, 40.0)) >= 0.95, "warm-up at {n}");
            assert!(share(Steadiness::SlowDown, n, step(40.0, 90.0)) >= 0.95, "slow-down at {n}");
            let hump = |i: usize| {
                if i < n / 4 {
                    60.0
                } else if i < n / 2 {
                    30.0
                } else {
                    40.0
                }
            };
            assert!(share(Steadiness::SlowDown, n, hump) >= 0.95, "hump at {n}");
            let late = |i: usize| if i < n - n / 8 { 90.0 } else { 40.0 };
            assert!(share(Steadiness::NoSteadyState, n, late) >= 0.9, "late change at {n}");
            let waves = |i: usize| if (i * 10 / n).is_multiple_of(2) { 40.0 } else { 60.0 };
            if n > 40 {
                assert!(share(Steadiness::NoSteadyState, n, waves) >= 0.95, "waves at {n}");
            }
        }
        let decay = |i: usize| 40.0 + 80.0 * (-(i as f64) / 20.0).exp();
        assert!(share(Steadiness::WarmUp, 300, decay) >= 0.9, "decay");
    }

    #[test]
    fn growth_is_a_trend() {
        for n in [30, 200, 1000] {
            let whole = n as f64;
            assert!(share(Steadiness::Trend, n, |i| 40.0 * (1.0 + i as f64 / whole)) >= 0.95, "doubling at {n}");
            assert!(share(Steadiness::Trend, n, |i| 1.0 + i as f64) >= 0.95, "at {n}");
            assert!(share(Steadiness::Trend, n, |i| 40.0 * (1.0 + (i as f64).sqrt())) >= 0.9, "root at {n}");
        }
        let series = noisy(&mut Random::new(1), 200, |i| 40.0 + 0.1 * i as f64);
        let found = steady_state(&series, 0.02);
        assert!((found.trend_per_index.unwrap() - 0.1).abs() < 0.01);
        assert_eq!(found.steady_from, None);
        // A drift that begins where the warm-up ends.
        let after = |i: usize| if i < 60 { 90.0 } else { 40.0 + 0.1 * i as f64 };
        assert!(share(Steadiness::Trend, 240, after) >= 0.9);
    }

    #[test]
    fn a_single_cold_value_is_a_warm_up() {
        for cold in 1..=2 {
            let mut series = noisy(&mut Random::new(3), 30, |_| 40.0);
            series[..cold].iter_mut().enumerate().for_each(|(i, value)| *value *= 30.0 / (i * i + 1) as f64);
            let found = steady_state(&series, 0.02);
            assert_eq!((found.class, found.steady_from), (Steadiness::WarmUp, Some(cold)));
            assert_eq!((found.segments[0].to, found.segments[1].from), (cold, cold));
        }
    }

    #[test]
    fn shifts_within_the_margin_do_not_matter() {
        let level = |i: usize| if i < 150 { 40.0 } else { 40.6 };
        assert!(share(Steadiness::Flat, 300, level) >= 0.9);
        let mut random = Random::new(4);
        let series: Vec<f64> = noisy(&mut random, 300, |i| if i < 100 { 42.5 } else { 40.0 });
        assert_eq!(steady_state(&series, 0.02).class, Steadiness::WarmUp);
        assert_eq!(steady_state(&series, 0.10).class, Steadiness::Flat);
    }

    #[test]
    fn too_short_and_without_numbers() {
        assert_eq!(steady_state(&[1.0; 19], 0.01).class, Steadiness::TooShort);
        assert_eq!(steady_state(&[1.0; 19], 0.01).segments.len(), 1);
        assert_eq!(steady_state(&[f64::NAN; 50], 0.01).segments, []);
        assert_eq!(steady_state(&[], 0.01).class, Steadiness::TooShort);
        assert_eq!(steady_state(&[7.0; 20], 0.01).class, Steadiness::Flat);
        assert_eq!(steady_state(&[0.0; 20], f64::NAN).class, Steadiness::Flat);
    }

    proptest! {
        #[test]
        fn segments_have_no_gaps(
            values in prop::collection::vec(
                prop_oneof![5 => 1.0_f64..1.1, 1 => 1.0_f64..9.0, 1 => any::<f64>()], 1..120,
            ),
        ) {
            let found = steady_state(&values, 0.02);
            prop_assert!(found.segments.windows(2).all(|pair| pair[0].to == pair[1].from));
            if let (Some(first), Some(last)) = (found.segments.first(), found.segments.last()) {
                prop_assert_eq!((first.from, last.to), (0, values.len()));
            }
            if let Some(from) = found.steady_from {
                prop_assert_eq!(found.segments.last().map(|last| last.from), Some(from));
            }
            prop_assert_eq!(found.class == Steadiness::Trend, found.trend_per_index.is_some());
        }

        #[test]
        fn the_unit_does_not_matter(seed in 0_u64..200, exponent in -9_i32..9) {
            let mut random = Random::new(seed);
            let series = noisy(&mut random, 60, |i| if i < 20 { 45.0 } else { 40.0 });
            let scaled: Vec<f64> = series.iter().map(|v| v * 2.0_f64.powi(exponent)).collect();
            prop_assert_eq!(steady_state(&series, 0.02).class, steady_state(&scaled, 0.02).class);
        }
    }
}
