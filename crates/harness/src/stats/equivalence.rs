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

/// The confidence of each of `members` statements at which all of them hold at once with that of the `family`.
///
/// # Sources
/// C. E. Bonferroni, "Teoria statistica delle classi e calcolo delle probabilità", 1936.
///
/// # Examples
/// ```
/// use chronoscope_harness::stats::confidence_of_each;
///
/// assert!((confidence_of_each(0.99, 10) - 0.999).abs() < 1e-12);
/// assert_eq!(confidence_of_each(0.99, 0), 0.99);
/// ```
pub fn confidence_of_each(family: f64, members: usize) -> f64 {
    1.0 - (1.0 - family) / members.max(1) as f64
}

#[cfg(test)]
mod tests {
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
        assert_eq!(compare(&Estimate::without_interval(0.5), 0.01), Difference::Unresolved, "one process");
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
    }
}
