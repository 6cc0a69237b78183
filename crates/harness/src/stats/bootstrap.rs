use statrs::distribution::{ContinuousCDF, Normal};

use super::interval::{t_quantile, usable_confidence};
use super::random::Random;
use super::summary::{finite, quantile_of_sorted};
use crate::record::study::Estimate;

/// Any statistic of the pooled values of all forks, with a bootstrap interval. None without a finite value, or where
/// the statistic is None.
///
/// Forks are drawn with replacement, then as many values as each holds from within it. The ends are quantiles of the
/// resampled statistics, moved further out the fewer forks there are. The fork is the unit: one fork gives a confidence
/// of 0, and n forks at most 1 − 2^(1−n), since resampling cannot reach beyond the observed values. A thousand
/// resamples suffice for 95 %, ten thousand for 99 %.
///
/// # Guarantees
/// The same seed gives the same interval on every machine. The interval contains the estimate.
///
/// # Sources
/// A. C. Davison, D. V. Hinkley, "Bootstrap Methods and their Application", §3.8, for resampling at two levels. T. C.
/// Hesterberg, "What Teachers Should Know About the Bootstrap", The American Statistician 69(4), 2015, for the expanded
/// percentile interval: plain percentiles are too narrow for few units, just as a normal quantile is in place of
/// Student's.
///
/// # Examples
/// ```
/// use chronoscope_harness::stats::{Distribution, bootstrap};
///
/// let forks: Vec<Vec<f64>> = (0..8).map(|f| (0..50).map(|i| 20.0 + f64::from((i * 7 + f) % 10)).collect()).collect();
/// let p90 = |values: &[f64]| Distribution::of(values.to_vec()).quantile(0.9);
/// let found = bootstrap(&forks, &p90, 0.95, 1000, 1).unwrap();
/// assert_eq!(found.estimate, 28.0);
/// assert!(27.0 <= found.low && found.high <= 29.0);
/// ```
pub fn bootstrap(
    forks: &[Vec<f64>],
    statistic: &dyn Fn(&[f64]) -> Option<f64>,
    confidence: f64,
    resamples: usize,
    seed: u64,
) -> Option<Estimate> {
    let forks: Vec<Vec<f64>> = forks.iter().map(|fork| finite(fork)).filter(|fork| !fork.is_empty()).collect();
    if forks.is_empty() {
        return None;
    }
    let mut pool = forks.concat();
    let estimate = statistic(&pool).filter(|value| value.is_finite())?;
    if forks.len() < 2 {
        return Some(Estimate::without_interval(estimate));
    }
    let mut random = Random::new(seed);
    let seen = (0..resamples)
        .filter_map(|_| {
            pool.clear();
            for _ in 0..forks.len() {
                let fork = &forks[random.below(forks.len())];
                draw(&mut random, fork, &mut pool);
            }
            statistic(&pool)
        })
        .collect();
    Some(percentile_interval(estimate, seen, confidence, forks.len()))
}

/// As many values as `from` has, with replacement.
fn draw(random: &mut Random, from: &[f64], into: &mut Vec<f64>) {
    into.extend((0..from.len()).map(|_| from[random.below(from.len())]));
}

/// The expanded percentile interval of statistics resampled over `units`, widened if needed to contain the estimate.
pub(super) fn percentile_interval(estimate: f64, seen: Vec<f64>, confidence: f64, units: usize) -> Estimate {
    let mut seen = finite(&seen);
    seen.sort_by(f64::total_cmp);
    let n = units as f64;
    let confidence = usable_confidence(confidence).min(1.0 - 2.0_f64.powf(1.0 - n)).max(0.0);
    let ends = t_quantile(confidence, n - 1.0).zip(Normal::new(0.0, 1.0).ok()).and_then(|(t, normal)| {
        let tail = normal.cdf(-t * (n / (n - 1.0)).sqrt());
        quantile_of_sorted(&seen, tail).zip(quantile_of_sorted(&seen, 1.0 - tail))
    });
    match ends {
        Some((low, high)) => Estimate { estimate, low: low.min(estimate), high: high.max(estimate), confidence },
        None => Estimate::without_interval(estimate),
    }
}

#[cfg(test)]
mod tests {
    use super::super::summary::{mean, median};
    use super::*;
    use proptest::prelude::*;

    fn middle(values: &[f64]) -> Option<f64> {
        median(values.to_vec())
    }

    fn forks(random: &mut Random, count: usize, between: f64, within: f64) -> Vec<Vec<f64>> {
        (0..count)
            .map(|_| {
                let centre = 50.0 + between * random.normal();
                random.normals(10, centre, within)
            })
            .collect()
    }

    fn coverage(count: usize, statistic: &dyn Fn(&[f64]) -> Option<f64>) -> f64 {
        let mut random = Random::new(31);
        let runs = 150;
        let held = (0..runs)
            .filter(|run| {
                let forks = forks(&mut random, count, 2.0, 1.0);
                let found = bootstrap(&forks, statistic, 0.95, 250, *run).unwrap();
                found.low <= 50.0 && 50.0 <= found.high
            })
            .count();
        held as f64 / runs as f64
    }

    #[test]
    fn ten_forks_cover_the_truth_as_often_as_they_say() {
        let (of_mean, of_median) = (coverage(10, &mean), coverage(10, &middle));
        assert!((0.92..=0.985).contains(&of_mean), "mean: {of_mean}");
        assert!((0.91..=0.99).contains(&of_median), "median: {of_median}");
    }

    #[test]
    fn five_forks_promise_less_and_keep_it() {
        let found = bootstrap(&forks(&mut Random::new(1), 5, 1.0, 1.0), &mean, 0.99, 200, 3).unwrap();
        assert_eq!(found.confidence, 0.9375);
        let share = coverage(5, &mean);
        assert!(share > 0.89, "{share}");
    }

    #[test]
    fn a_seed_decides() {
        let forks = forks(&mut Random::new(2), 6, 1.0, 1.0);
        let run = |seed| bootstrap(&forks, &middle, 0.9, 300, seed);
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }

    #[test]
    fn too_little_is_said_to_be_so() {
        assert_eq!(bootstrap(&[vec![]], &mean, 0.95, 100, 1), None);
        assert_eq!(bootstrap(&[vec![1.0]], &|_| None, 0.95, 100, 1), None);
        assert_eq!(bootstrap(&[vec![1.0, 3.0]], &mean, 0.95, 100, 1), Some(Estimate::without_interval(2.0)));
        assert_eq!(bootstrap(&[vec![1.0], vec![3.0]], &mean, 0.95, 0, 1), Some(Estimate::without_interval(2.0)));
    }

    proptest! {
        #[test]
        fn the_interval_lies_within_what_was_seen(
            forks in prop::collection::vec(prop::collection::vec(any::<f64>(), 0..6), 0..6), seed in any::<u64>(),
        ) {
            let Some(found) = bootstrap(&forks, &middle, 0.95, 30, seed) else { return Ok(()) };
            let all = finite(&forks.concat());
            let smallest = all.iter().copied().fold(f64::INFINITY, f64::min);
            let largest = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            prop_assert!(smallest <= found.low && found.low <= found.estimate);
            prop_assert!(found.estimate <= found.high && found.high <= largest);
        }
    }
}
