use super::summary::{finite, mean, squares_about_mean, variance};
use crate::record::study::Variance;

/// Variance components of a nested experiment: forks of iterations of batches. None without a finite value.
///
/// Each fork counts as the mean of its iterations, each iteration as the mean of its batches. Levels need not have
/// equal sizes. A level that is never repeated (one batch per iteration) has no variance; its spread appears in the
/// level above. No component is below 0. The interval over pooled batches is too narrow by the square root of the
/// design effect: the variance of the mean with the fork as the unit, over that claimed by batches pooled as
/// independent; 1 where unknown.
///
/// # Sources
/// T. Kalibera, R. Jones, "Rigorous Benchmarking in Reasonable Time", ISMM 2013, and "Quantifying Performance Changes
/// with Effect Size Confidence Intervals", arXiv 2007.10899: random effects over levels. Unequal sizes by the analysis
/// of unweighted means (S. R. Searle, G. Casella, C. E. McCulloch, "Variance Components"). Design effect: L. Kish,
/// "Survey Sampling".
///
/// # Examples
/// ```
/// use chronoscope_harness::stats::variance_components;
///
/// // Three processes that agree within themselves and differ from each other.
/// let forks = [8.0, 9.0, 10.0].map(|ns| vec![vec![ns, ns + 0.1], vec![ns + 0.1, ns]]);
/// let found = variance_components(&forks).unwrap();
/// assert!(found.intraclass_correlation > 0.99);
/// assert!(found.pooled_interval_too_narrow > 1.7);
/// ```
pub fn variance_components(forks: &[Vec<Vec<f64>>]) -> Option<Variance> {
    let forks: Vec<Vec<Vec<f64>>> = forks
        .iter()
        .map(|fork| fork.iter().map(|batches| finite(batches)).filter(|batches| !batches.is_empty()).collect())
        .filter(|fork: &Vec<_>| !fork.is_empty())
        .collect();
    let levels = Levels::of(&forks);
    if levels.fork_means.is_empty() {
        return None;
    }

    let batches = levels.batch_squares.ratio();
    // What remains at each level after subtracting the expected share of the levels below. It may be below 0; it is
    // clamped only when reported, since clamping here would bias the next level.
    let iterations = levels.iteration_squares.ratio() - batches * levels.batch_share_of_iteration.ratio();
    let between = variance(&levels.fork_means);
    let forks_alone = between.map_or(0.0, |between| {
        let iteration_share = mean(&levels.iteration_share_of_fork).unwrap_or(0.0);
        let batch_share = mean(&levels.batch_share_of_fork).unwrap_or(0.0);
        between - iterations * iteration_share - batches * batch_share
    });

    let (forks_alone, iterations) = (forks_alone.max(0.0), iterations.max(0.0));
    let whole = forks_alone + iterations + batches;
    let pooled: Vec<f64> = forks.iter().flatten().flatten().copied().collect();
    let of_pooled_mean = variance(&pooled).map(|variance| variance / pooled.len() as f64);
    let of_fork_mean = between.map(|between| between / levels.fork_means.len() as f64);
    let design_effect = match (of_fork_mean, of_pooled_mean) {
        (Some(fork), Some(pooled)) if pooled > 0.0 => fork / pooled,
        _ => 1.0,
    };
    Some(Variance {
        between_forks_ns: forks_alone.sqrt(),
        between_visits_ns: iterations.sqrt(),
        between_batches_ns: batches.sqrt(),
        intraclass_correlation: if whole > 0.0 { forks_alone / whole } else { 0.0 },
        pooled_interval_too_narrow: design_effect.max(0.0).sqrt(),
    })
}

/// A weighted mean under construction.
#[derive(Clone, Copy, Default)]
struct Sum {
    value: f64,
    weight: f64,
}

impl Sum {
    fn add(&mut self, value: f64, weight: f64) {
        self.value += value;
        self.weight += weight;
    }

    fn ratio(self) -> f64 {
        if self.weight > 0.0 { self.value / self.weight } else { 0.0 }
    }
}

/// Sums over the levels of a nested experiment.
#[derive(Default)]
struct Levels {
    fork_means: Vec<f64>,
    /// Squares of batches around their iteration's mean, per degree of freedom.
    batch_squares: Sum,
    /// Squares of iteration means around their fork's mean, per degree of freedom.
    iteration_squares: Sum,
    /// Share of the batch variance contained in an iteration's mean, weighted as `iteration_squares` is.
    batch_share_of_iteration: Sum,
    /// Share of the iteration variance contained in each fork's mean.
    iteration_share_of_fork: Vec<f64>,
    /// Share of the batch variance contained in each fork's mean.
    batch_share_of_fork: Vec<f64>,
}

impl Levels {
    fn of(forks: &[Vec<Vec<f64>>]) -> Self {
        let mut levels = Self::default();
        for fork in forks {
            let count = fork.len() as f64;
            let means: Vec<f64> = fork.iter().filter_map(|batches| mean(batches)).collect();
            let shares = fork.iter().map(|batches| 1.0 / batches.len() as f64).sum::<f64>();
            for batches in fork {
                levels.batch_squares.add(squares_about_mean(batches), batches.len() as f64 - 1.0);
            }
            levels.iteration_squares.add(squares_about_mean(&means), count - 1.0);
            levels.batch_share_of_iteration.add((count - 1.0) * shares / count, count - 1.0);
            levels.iteration_share_of_fork.push(1.0 / count);
            levels.batch_share_of_fork.push(shares / (count * count));
            levels.fork_means.extend(mean(&means));
        }
        levels
    }
}

#[cfg(test)]
mod tests {
    use super::super::median::median_interval;
    use super::super::random::Random;
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn simulated(random: &mut Random, sizes: &[Vec<usize>], deviations: [f64; 3]) -> Vec<Vec<Vec<f64>>> {
        sizes
            .iter()
            .map(|iterations| {
                let fork = 100.0 + deviations[0] * random.normal();
                iterations
                    .iter()
                    .map(|batches| {
                        let iteration = fork + deviations[1] * random.normal();
                        random.normals(*batches, iteration, deviations[2])
                    })
                    .collect()
            })
            .collect()
    }

    #[test]
    fn components_are_unbiased_with_unequal_sizes() {
        let mut random = Random::new(5);
        let sizes: Vec<Vec<usize>> =
            (0..12).map(|fork| (0..3 + fork % 3).map(|i| 2 + (fork + i) % 4).collect()).collect();
        let mut sums = [0.0; 3];
        let runs = 400;
        for _ in 0..runs {
            let found = variance_components(&simulated(&mut random, &sizes, [3.0, 2.0, 1.0])).unwrap();
            sums[0] += found.between_forks_ns.powi(2);
            sums[1] += found.between_visits_ns.powi(2);
            sums[2] += found.between_batches_ns.powi(2);
        }
        let means = sums.map(|sum| sum / f64::from(runs));
        assert!((means[0] - 9.0).abs() < 0.6, "{means:?}");
        assert!((means[1] - 4.0).abs() < 0.2, "{means:?}");
        assert!((means[2] - 1.0).abs() < 0.03, "{means:?}");
    }

    #[test]
    fn the_fork_interval_covers_where_the_pooled_one_does_not() {
        let mut random = Random::new(6);
        let sizes = vec![vec![4; 5]; 6];
        let holds = |values: &[f64]| median_interval(values, 0.95).unwrap().holds(100.0);
        let (mut held, mut pooled_held) = (0, 0);
        for _ in 0..1000 {
            let forks = simulated(&mut random, &sizes, [1.0, 0.3, 1.0]);
            held += u32::from(holds(&Levels::of(&forks).fork_means));
            let pooled: Vec<f64> = forks.into_iter().flatten().flatten().collect();
            pooled_held += u32::from(holds(&pooled));
        }
        assert!((955..=985).contains(&held), "{held} of 1000");
        assert!(pooled_held < 800, "{pooled_held} of 1000");
    }

    #[test]
    fn independent_batches_have_no_design_effect() {
        let mut random = Random::new(7);
        let mut effects: Vec<f64> = (0..200)
            .map(|_| variance_components(&simulated(&mut random, &vec![vec![4; 5]; 8], [0.0, 0.0, 1.0])).unwrap())
            .map(|found| found.pooled_interval_too_narrow.powi(2))
            .collect();
        effects.sort_by(f64::total_cmp);
        assert!((0.75..1.25).contains(&effects[100]), "{}", effects[100]);
    }

    #[test]
    fn one_fork_says_nothing_of_others() {
        let found = variance_components(&[vec![vec![1.0, 2.0], vec![4.0, 5.0]]]).unwrap();
        assert_eq!((found.pooled_interval_too_narrow, found.between_forks_ns), (1.0, 0.0));
        assert!(found.between_visits_ns > 0.0);
        assert_eq!(variance_components(&[vec![], vec![vec![f64::NAN]]]), None);
    }

    proptest! {
        #[test]
        fn balanced_components_are_kaliberas(
            cells in vec(vec(vec(0.0_f64..100.0, 3), 4), 2..6),
        ) {
            let found = variance_components(&cells).unwrap();
            let iteration_means: Vec<Vec<f64>> =
                cells.iter().map(|fork| fork.iter().map(|b| b.iter().sum::<f64>() / 3.0).collect()).collect();
            let fork_means: Vec<f64> = iteration_means.iter().map(|m| m.iter().sum::<f64>() / 4.0).collect();
            let spread = |values: &[f64]| {
                let mean = values.iter().sum::<f64>() / values.len() as f64;
                values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (values.len() - 1) as f64
            };
            let average = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
            let s1 = average(cells.iter().flatten().map(|batches| spread(batches)).collect());
            let s2 = average(iteration_means.iter().map(|means| spread(means)).collect());
            let s3 = spread(&fork_means);
            prop_assert!((found.between_batches_ns.powi(2) - s1).abs() < 1e-6);
            prop_assert!((found.between_visits_ns.powi(2) - (s2 - s1 / 3.0).max(0.0)).abs() < 1e-6);
            prop_assert!((found.between_forks_ns.powi(2) - (s3 - s2 / 4.0).max(0.0)).abs() < 1e-6);
        }

        #[test]
        fn nothing_panics(
            cells in vec(vec(vec(any::<f64>(), 0..3), 0..3), 0..4),
        ) {
            let _ = variance_components(&cells);
        }
    }
}
