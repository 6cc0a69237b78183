use crate::record::study::{Difference, Estimate};

/// Classifies the interval of a ratio b/a of durations. The margin is relative: 0.01 is 1 %.
///
/// *Same*: all of the interval lies between 1/(1 + margin) and 1 + margin, even if it leaves out 1: a difference that
/// is real but too small to matter. Else *faster* or *slower*: all of it lies below or above 1. Part of it may still
/// lie within the margin: then the direction is known, and that it matters is not. Else, or if the interval's confidence is
/// below [`LEAST_CONFIDENCE`](Estimate::LEAST_CONFIDENCE), *unresolved*. *Same* is thus a finding with evidence, never the mere absence of another.
///
/// # Sources
/// D. J. Schuirmann's two one-sided tests, J. Pharmacokinetics and Biopharmaceutics 15, 1987: an interval of confidence
/// 1 − 2α within the margin rejects a difference beyond it at level α; one of 95 % tests at 2.5 %.
///
/// # Examples
/// ```
/// use chronoscope_harness::record::study::{Difference, Estimate};
/// use chronoscope_harness::stats::compare;
///
/// let ratio = |low: f64, high: f64| Estimate { estimate: (low + high) / 2.0, low, high, confidence: 0.95 };
/// assert_eq!(compare(&ratio(0.90, 0.95), 0.01), Difference::Faster);
/// assert_eq!(compare(&ratio(0.996, 0.998), 0.01), Difference::Same);
/// assert_eq!(compare(&ratio(0.90, 1.10), 0.01), Difference::Unresolved);
/// ```
pub fn compare(ratio: &Estimate, margin: f64) -> Difference {
    let Estimate { low, high, .. } = *ratio;
    if low.is_nan() || high.is_nan() || low > high || !ratio.has_confidence() {
        return Difference::Unresolved;
    }
    let most = 1.0 + margin.max(0.0);
    if low >= 1.0 / most && high <= most {
        Difference::Same
    } else if high < 1.0 {
        Difference::Faster
    } else if low > 1.0 {
        Difference::Slower
    } else {
        Difference::Unresolved
    }
}

/// Which tests of a family are rejected if at most a share `alpha` of such families may contain a false rejection. In
/// the order given. NaN is not rejected, but counts as a member.
///
/// # Sources
/// S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian J. of Statistics 6(2), 1979.
///
/// # Examples
/// ```
/// use chronoscope_harness::stats::holm;
///
/// // 0.02 alone would pass at 0.05; as the second of three it must reach 0.025, and the third 0.05.
/// assert_eq!(holm(&[0.02, 0.001, 0.06], 0.05), [true, true, false]);
/// assert_eq!(holm(&[0.02, 0.03, 0.06], 0.05), [false, false, false]);
/// ```
pub fn holm(p_values: &[f64], alpha: f64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    let p = |i: usize| if p_values[i].is_nan() { f64::INFINITY } else { p_values[i] };
    order.sort_by(|a, b| p(*a).total_cmp(&p(*b)));
    let mut rejected = vec![false; p_values.len()];
    for (rank, i) in order.iter().enumerate() {
        if p(*i) <= alpha / (p_values.len() - rank) as f64 {
            rejected[*i] = true;
        } else {
            break;
        }
    }
    rejected
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;
    use proptest::prelude::*;

    fn ratio(low: f64, high: f64) -> Estimate {
        Estimate { estimate: f64::midpoint(low, high), low, high, confidence: 0.95 }
    }

    #[test]
    fn borders() {
        assert_eq!(compare(&ratio(1.0 / 1.01, 1.01), 0.01), Difference::Same);
        assert_eq!(compare(&ratio(1.0 / 1.01, 1.02), 0.01), Difference::Unresolved);
        assert_eq!(compare(&ratio(1.005, 1.2), 0.01), Difference::Slower);
        assert_eq!(compare(&ratio(0.98, 1.0), 0.01), Difference::Unresolved);
        assert_eq!(compare(&ratio(1.0, 1.0), f64::NAN), Difference::Same);
        assert_eq!(compare(&ratio(0.5, 0.6), f64::NAN), Difference::Faster);
        assert_eq!(compare(&ratio(f64::NAN, 0.5), 0.01), Difference::Unresolved);
        assert_eq!(compare(&Estimate::without_interval(0.5), 0.01), Difference::Unresolved, "one fork decides nothing");
    }

    #[test]
    fn a_family_keeps_its_error_rate() {
        let mut random = Random::new(3);
        let families = 4000;
        let wrong = (0..families)
            .filter(|_| {
                let p_values: Vec<f64> = (0..10).map(|_| random.unit()).collect();
                holm(&p_values, 0.05).contains(&true)
            })
            .count();
        let share = wrong as f64 / f64::from(families);
        assert!((0.035..0.06).contains(&share), "{share}");
    }

    proptest! {
        #[test]
        fn swapping_sides_swaps_the_verdict(low in 0.5_f64..2.0, width in 0.0_f64..0.5, margin in 0.0_f64..0.2) {
            let high = low + width;
            let swapped = match compare(&ratio(1.0 / high, 1.0 / low), margin) {
                Difference::Faster => Difference::Slower,
                Difference::Slower => Difference::Faster,
                other => other,
            };
            let border = [low, high].iter().any(|end| {
                [1.0, 1.0 + margin, 1.0 / (1.0 + margin)].iter().any(|edge| (end - edge).abs() < 1e-12)
            });
            prop_assume!(!border);
            prop_assert_eq!(compare(&ratio(low, high), margin), swapped);
        }

        #[test]
        fn holm_matches_adjusted_p_values(p_values in prop::collection::vec(0.0_f64..0.2, 0..12)) {
            // Adjusted: the largest of (m − rank)·p over all p-values no larger.
            let m = p_values.len();
            let rank = |i: usize| (0..m).filter(|j| (p_values[*j], *j) < (p_values[i], i)).count();
            let expected: Vec<bool> = (0..m)
                .map(|i| {
                    let adjusted = (0..m)
                        .filter(|j| rank(*j) <= rank(i))
                        .map(|j| (m - rank(j)) as f64 * p_values[j])
                        .fold(0.0, f64::max);
                    adjusted <= 0.05
                })
                .collect();
            prop_assert_eq!(holm(&p_values, 0.05), expected);
        }
    }
}
