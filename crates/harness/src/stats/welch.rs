use super::interval::{student_interval, t_two_sided};
use super::summary::{mean, variance};
use crate::record::study::Estimate;

/// The ratio of two independent samples of durations, with the probability of one at least as far from 1 if there were no
/// difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Welch {
    /// New over earlier, of geometric means.
    pub ratio: Estimate,
    /// Two-sided. 1 where one of the samples has a single value.
    pub p_value: f64,
}

/// The ratio of `now` over `earlier`, two independent samples of durations such as one value per process. None if
/// either has no finite value above 0.
///
/// Both are compared as logarithms, so an interval of their difference is one of the ratio. With a single value on
/// either side the spread is unknown, and the confidence is 0.
///
/// # Sources
/// B. L. Welch, "The Generalization of 'Student's' Problem when Several Different Population Variances are Involved",
/// Biometrika 34, 1947; degrees of freedom after F. E. Satterthwaite, Biometrics Bulletin 2, 1946.
///
/// # Examples
/// ```
/// use chronoscope_harness::stats::welch_ratio;
///
/// let found = welch_ratio(&[20.0, 20.1, 19.9, 20.2], &[22.0, 22.2, 21.9, 22.1], 0.999).unwrap();
/// assert!(found.ratio.low > 1.05 && found.ratio.high < 1.15 && found.p_value < 1e-4);
/// ```
pub fn welch_ratio(earlier: &[f64], now: &[f64], confidence: f64) -> Option<Welch> {
    Some(welch(&Sample::of(earlier)?, &Sample::of(now)?, confidence))
}

fn welch(earlier: &Sample, now: &Sample, confidence: f64) -> Welch {
    let log_ratio = now.mean - earlier.mean;
    let (Some(a), Some(b)) = (earlier.squared_error, now.squared_error) else {
        return Welch { ratio: Estimate::without_interval(log_ratio.exp()), p_value: 1.0 };
    };
    let squared_error = a + b;
    if squared_error == 0.0 {
        // Without spread the means alone decide.
        let p_value = if log_ratio == 0.0 { 1.0 } else { 0.0 };
        return Welch { ratio: Estimate { confidence, ..Estimate::without_interval(log_ratio.exp()) }, p_value };
    }
    // As shares, which neither overflow nor underflow as fourth powers do. Less than one degree is rounding.
    let share = a / squared_error;
    let freedom = 1.0 / (share.powi(2) / (earlier.n - 1.0) + (1.0 - share).powi(2) / (now.n - 1.0));
    let freedom = if freedom.is_nan() { freedom } else { freedom.max(1.0) };
    let error = squared_error.sqrt();
    Welch {
        ratio: student_interval(log_ratio, error, freedom, confidence).map(f64::exp),
        p_value: t_two_sided(log_ratio / error, freedom).unwrap_or(1.0),
    }
}

/// Logarithms of durations.
struct Sample {
    n: f64,
    mean: f64,
    /// The square of the mean's standard error; none for a single value.
    squared_error: Option<f64>,
}

impl Sample {
    fn of(durations: &[f64]) -> Option<Self> {
        let logs = logs(durations);
        let n = logs.len() as f64;
        Some(Self { n, mean: mean(&logs)?, squared_error: variance(&logs).map(|variance| variance / n) })
    }
}

/// The geometric mean of the finite `durations` above 0. None without one.
///
/// # Examples
/// ```
/// use chronoscope_harness::stats::geometric_mean;
///
/// assert!((geometric_mean(&[2.0, 8.0]).unwrap() - 4.0).abs() < 1e-9);
/// assert_eq!(geometric_mean(&[0.0]), None);
/// ```
pub fn geometric_mean(durations: &[f64]) -> Option<f64> {
    mean(&logs(durations)).map(f64::exp)
}

fn logs(durations: &[f64]) -> Vec<f64> {
    durations.iter().filter(|value| value.is_finite() && **value > 0.0).map(|value| value.ln()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_process_decides_nothing_and_no_spread_decides_all() {
        let lone = welch_ratio(&[10.0], &[20.0, 20.0], 0.99).unwrap();
        assert_eq!((lone.p_value, lone.ratio.confidence), (1.0, 0.0));
        let exact = welch_ratio(&[10.0, 10.0], &[20.0, 20.0], 0.99).unwrap();
        assert_eq!((exact.p_value, exact.ratio.low), (0.0, exact.ratio.high));
        assert_eq!(welch_ratio(&[10.0; 2], &[10.0; 2], 0.99).unwrap().p_value, 1.0);
        assert_eq!(welch_ratio(&[0.0, f64::NAN], &[1.0], 0.99), None);
    }

    #[test]
    fn any_number_of_values_is_judged() {
        // Hundreds of millions of degrees of freedom: the library's inversion of Student's t never returns there.
        let sample = |n: f64, mean: f64| Sample { n, mean, squared_error: Some(1.0 / n) };
        for n in [1e6, 1e8, 1e12, 1e300] {
            let found = welch(&sample(n, 0.0), &sample(n, 0.1), 0.95);
            assert!((found.ratio.estimate - 0.1_f64.exp()).abs() < 1e-9, "{n}: {found:?}");
            assert!(found.ratio.low > 1.0 && found.ratio.high < 1.2 && found.p_value < 0.05, "{n}: {found:?}");
        }
        // A NaN spread decides nothing, and the smallest spread still counts.
        let odd = |error: f64| Sample { n: 2.0, mean: 0.1, squared_error: Some(error) };
        for error in [f64::NAN, f64::INFINITY] {
            let found = welch(&odd(error), &odd(1e-4), 0.95);
            assert_eq!((found.ratio.confidence, found.p_value), (0.0, 1.0), "{error}: {found:?}");
        }
        let tiny = welch(&odd(f64::MIN_POSITIVE), &odd(0.0), 0.95);
        assert!(tiny.ratio.confidence > 0.9 && tiny.ratio.low <= tiny.ratio.high, "{tiny:?}");
    }

    #[test]
    fn it_is_the_textbook_test() {
        // Logs 1…5 against 2, 4, …, 10: Welch gives t = 1.8974 on 5.8824 degrees of freedom.
        let earlier: Vec<f64> = (1..=5).map(|log| f64::from(log).exp()).collect();
        let now: Vec<f64> = (1..=5).map(|log| f64::from(2 * log).exp()).collect();
        let found = welch_ratio(&earlier, &now, 0.95).unwrap();
        assert!((found.p_value - 0.107_531).abs() < 1e-4, "{}", found.p_value);
    }

    proptest! {
        #[test]
        fn nothing_panics(
            earlier in prop::collection::vec(any::<f64>(), 0..8),
            now in prop::collection::vec(any::<f64>(), 0..8),
            confidence in any::<f64>(),
        ) {
            let _ = welch_ratio(&earlier, &now, confidence);
        }

        #[test]
        fn interval_and_test_agree_and_sides_can_be_swapped(
            earlier in prop::collection::vec(1.0_f64..100.0, 2..8),
            now in prop::collection::vec(1.0_f64..100.0, 2..8),
        ) {
            let found = welch_ratio(&earlier, &now, 0.95).unwrap();
            let swapped = welch_ratio(&now, &earlier, 0.95).unwrap();
            prop_assert!((found.ratio.low * swapped.ratio.high - 1.0).abs() < 1e-6);
            prop_assert!((found.p_value - swapped.p_value).abs() < 1e-9);
            let excludes = found.ratio.low > 1.0 || found.ratio.high < 1.0;
            prop_assert!(excludes == (found.p_value < 0.05) || (found.p_value - 0.05).abs() < 1e-6);
        }
    }
}
