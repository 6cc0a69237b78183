use super::summary::{finite, mean, squares_about_mean};

/// Effective sample size: how many independent values would determine the mean as well as this series does. n over 1 +
/// 2·Σ r_k, from 1 to n. 0 for no values.
///
/// The sum ends where the correlation disappears in noise: neighbouring lags are added in pairs while the pair is
/// positive, and no pair counts for more than the previous one.
///
/// # Sources
/// C. J. Geyer, "Practical Markov Chain Monte Carlo", Statistical Science 7(4), 1992, §3.3: the initial positive and
/// the initial monotone sequence.
///
/// # Examples
/// ```
/// use chronoscope_harness::stats::effective_sample_size;
///
/// // A hundred values in ten plateaus hold little more than ten.
/// let plateaus: Vec<f64> = (0..100).map(|i| f64::from((i / 10) * 7 % 10)).collect();
/// assert!(effective_sample_size(&plateaus) < 20.0);
/// ```
pub fn effective_sample_size(series: &[f64]) -> f64 {
    let values = finite(series);
    let n = values.len() as f64;
    let Some(centred) = Centred::of(&values) else { return n };
    let (mut sum, mut most) = (0.0, f64::INFINITY);
    for first in (0..values.len()).step_by(2) {
        let (Some(even), odd) = (centred.at(first), centred.at(first + 1).unwrap_or(0.0)) else { break };
        let pair = (even + odd).min(most);
        if pair.is_nan() || pair <= 0.0 {
            break;
        }
        sum += pair;
        most = pair;
    }
    // The pairs hold r_0 = 1 once; the series is as long on the other side of lag 0.
    let time = 2.0 * sum - 1.0;
    if time > 1.0 { (n / time).max(1.0) } else { n }
}

/// Deviations from the mean, with the sum of their squares.
struct Centred {
    deviations: Vec<f64>,
    squares: f64,
}

impl Centred {
    /// None if there is no deviation.
    fn of(series: &[f64]) -> Option<Self> {
        let values = finite(series);
        let (mean, squares) = (mean(&values)?, squares_about_mean(&values));
        let deviations = values.iter().map(|value| value - mean).collect();
        (squares > 0.0 && squares.is_finite()).then_some(Self { deviations, squares })
    }

    fn at(&self, lag: usize) -> Option<f64> {
        let later = self.deviations.get(lag..).filter(|later| !later.is_empty())?;
        Some(self.deviations.iter().zip(later).map(|(one, other)| one * other).sum::<f64>() / self.squares)
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;
    use proptest::prelude::*;

    /// Each value is `share` of the one before plus noise.
    fn autoregressive(random: &mut Random, n: usize, share: f64) -> Vec<f64> {
        let mut last = random.normal() / (1.0 - share * share).sqrt();
        (0..n)
            .map(|_| {
                last = share * last + random.normal();
                last
            })
            .collect()
    }

    #[test]
    fn known_processes_are_recovered() {
        let mut random = Random::new(41);
        for share in [0.0_f64, 0.5, 0.9] {
            let series = autoregressive(&mut random, 20_000, share);
            let expected = 20_000.0 * (1.0 - share) / (1.0 + share);
            let found = effective_sample_size(&series);
            assert!((found / expected - 1.0).abs() < 0.2, "{found} for {expected}");
        }
    }

    #[test]
    fn short_and_constant_series() {
        assert_eq!((effective_sample_size(&[]), effective_sample_size(&[1.0; 5])), (0.0, 5.0));
        let alternating: Vec<f64> = (0..50).map(|i| f64::from(i % 2)).collect();
        assert_eq!(effective_sample_size(&alternating), 50.0);
    }

    proptest! {
        #[test]
        fn it_is_no_larger_than_the_sample(values in prop::collection::vec(-1e6_f64..1e6, 2..80)) {
            prop_assert!((1.0..=values.len() as f64).contains(&effective_sample_size(&values)));
        }

        #[test]
        fn nothing_panics(values in prop::collection::vec(any::<f64>(), 0..20)) {
            let _ = effective_sample_size(&values);
        }
    }
}
