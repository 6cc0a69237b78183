use super::interval::t_two_sided;
use super::mean::mean_interval;
use super::summary::{mean, median, variance};
use crate::record::study::Estimate;

/// How b compares with a, where both were measured in the same rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paired {
    /// b − a, in the unit of the values: the mean over forks of each fork's median.
    pub difference: Estimate,
    /// b / a: below 1 if b takes less.
    pub ratio: Estimate,
    /// The probability of a ratio at least this far from 1 if there were no difference. 1 for fewer than two forks.
    pub p_value: f64,
    /// Pairs that counted.
    pub pairs: u64,
}

/// Compares two sides from the pairs (a, b) that each fork measured in the same round. None if no pair counts.
///
/// Values are durations or rates: a pair counts if both are finite and above 0. Each fork gives the median of its
/// differences and of its log-ratios; Student's t over forks makes the intervals. Effects common to all pairs of a
/// fork, such as code layout, therefore count as spread and do not shrink with more rounds.
///
/// # Sources
/// T. Kalibera, R. Jones, arXiv 2007.10899, for the ratio as the effect and the process as the unit; the average of
/// log-ratios is the geometric mean: P. J. Fleming, J. J. Wallace, "How Not to Lie with Statistics", CACM 29(3), 1986.
///
/// # Examples
/// ```
/// use chronoscope_harness::stats::paired;
///
/// let forks: Vec<Vec<(f64, f64)>> = [7.6, 7.7, 7.7, 7.8, 7.7]
///     .iter()
///     .map(|extra| (0..20).map(|i| (1.0 + 0.01 * f64::from(i % 3), 1.0 + 0.01 * f64::from(i % 3) + extra)).collect())
///     .collect();
/// let cost = paired(&forks, 0.95).unwrap();
/// assert!(cost.difference.low > 7.6 && cost.difference.high < 7.8);
/// assert!(cost.ratio.low > 8.5 && cost.p_value < 1e-4);
/// assert_eq!(cost.pairs, 100);
/// ```
pub fn paired(forks: &[Vec<(f64, f64)>], confidence: f64) -> Option<Paired> {
    let (mut differences, mut log_ratios, mut pairs) = (Vec::new(), Vec::new(), 0);
    for fork in forks {
        let counted: Vec<(f64, f64)> =
            fork.iter().copied().filter(|(a, b)| a.is_finite() && b.is_finite() && *a > 0.0 && *b > 0.0).collect();
        pairs += counted.len() as u64;
        differences.extend(median(counted.iter().map(|(a, b)| b - a).collect()));
        log_ratios.extend(median(counted.iter().map(|(a, b)| b.ln() - a.ln()).collect()));
    }
    Some(Paired {
        difference: mean_interval(&differences, confidence)?,
        ratio: mean_interval(&log_ratios, confidence)?.map(f64::exp),
        p_value: p_value(&log_ratios),
        pairs,
    })
}

/// The two-sided t test of a mean against 0. Without spread the mean alone decides.
fn p_value(values: &[f64]) -> f64 {
    let (Some(mean), Some(variance)) = (mean(values), variance(values)) else { return 1.0 };
    let n = values.len() as f64;
    if variance == 0.0 {
        return if mean == 0.0 { 1.0 } else { 0.0 };
    }
    t_two_sided(mean / (variance / n).sqrt(), n - 1.0).unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;
    use proptest::prelude::*;

    /// Forks whose levels differ by tens of percent, ratios by a little, and rounds by more.
    fn forks(random: &mut Random, log_ratio: f64) -> Vec<Vec<(f64, f64)>> {
        (0..6)
            .map(|_| {
                let level = 20.0 * (0.3 * random.normal()).exp();
                let own = log_ratio + 0.02 * random.normal();
                (0..15)
                    .map(|_| {
                        let round = level * (0.1 * random.normal()).exp();
                        (round, round * (own + 0.03 * random.normal()).exp())
                    })
                    .collect()
            })
            .collect()
    }

    #[test]
    fn intervals_cover_and_p_values_are_uniform_under_no_difference() {
        let mut random = Random::new(11);
        let (mut held, mut small) = (0, 0);
        for _ in 0..1000 {
            let found = paired(&forks(&mut random, 0.0), 0.95).unwrap();
            held += u32::from(found.ratio.low <= 1.0 && 1.0 <= found.ratio.high);
            small += u32::from(found.p_value < 0.05);
        }
        assert!((930..=970).contains(&held), "{held} of 1000");
        assert_eq!(held + small, 1000, "the interval and the test agree");
    }

    #[test]
    fn a_ratio_is_found_beneath_larger_noise() {
        let mut random = Random::new(12);
        let held = (0..500)
            .filter(|_| {
                let found = paired(&forks(&mut random, 0.1), 0.95).unwrap().ratio;
                found.low <= 0.1_f64.exp() && 0.1_f64.exp() <= found.high && found.low > 1.0
            })
            .count();
        assert!(held > 450, "{held} of 500");
    }

    #[test]
    fn without_spread_the_mean_decides() {
        let same = vec![vec![(2.0, 2.0)]; 3];
        let twice = vec![vec![(2.0, 4.0)]; 3];
        assert_eq!(paired(&same, 0.95).unwrap().p_value, 1.0);
        assert_eq!(paired(&twice, 0.95).unwrap().p_value, 0.0);
        let one = paired(&twice[..1], 0.95).unwrap();
        assert_eq!((one.p_value, one.ratio.confidence, one.difference.estimate), (1.0, 0.0, 2.0));
        assert_eq!(paired(&[vec![(0.0, 1.0), (f64::NAN, 1.0), (1.0, -1.0)]], 0.95), None);
    }

    proptest! {
        #[test]
        fn sides_can_be_swapped(
            forks in prop::collection::vec(prop::collection::vec((0.1_f64..100.0, 0.1_f64..100.0), 1..8), 2..6),
        ) {
            let swapped: Vec<Vec<(f64, f64)>> =
                forks.iter().map(|fork| fork.iter().map(|(a, b)| (*b, *a)).collect()).collect();
            let (one, other) = (paired(&forks, 0.9).unwrap(), paired(&swapped, 0.9).unwrap());
            prop_assert!((one.difference.estimate + other.difference.estimate).abs() < 1e-9);
            prop_assert!((one.ratio.low * other.ratio.high - 1.0).abs() < 1e-6);
            prop_assert!((one.p_value - other.p_value).abs() < 1e-9);
        }

        #[test]
        fn nothing_panics(
            forks in prop::collection::vec(prop::collection::vec((any::<f64>(), any::<f64>()), 0..4), 0..4),
        ) {
            let _ = paired(&forks, 0.95);
        }
    }
}
