use std::borrow::Borrow;

// Of the special functions alone; a crate of whole distributions takes four crates more.
use special::Beta;

use crate::record::Estimate;

/// The sample median and a distribution-free confidence interval for the true one. None for no values. With too few values for
/// `confidence` the interval is their range, and its confidence what that attains.
///
/// The interval runs from the k-th smallest to the k-th largest value, with k as large as `confidence` allows. Its
/// coverage is exact for any continuous distribution: 1 − 2·P(B < k), with B binomial over n fair coins. At least
/// eleven values are needed for 99.9 %, using their range.
///
/// # Sources
/// W. R. Thompson, "On Confidence Ranges for the Median", 1936; H. A. David, H. N. Nagaraja, "Order Statistics", §7.1.
///
/// # Examples
/// ```
/// use chronoscope_harness::stats::median_interval;
///
/// let processes = [8.1, 8.0, 8.2, 8.1, 8.1, 8.3, 8.0, 8.1, 8.1, 8.2, 9.9];
/// let latency = median_interval(&processes, 0.999).unwrap();
/// assert_eq!((latency.estimate, latency.low, latency.high), (8.1, 8.0, 9.9));
/// assert!(latency.confidence > 0.999);
/// ```
pub fn median_interval(values: impl IntoIterator<Item: Borrow<f64>>, confidence: f64) -> Option<Estimate> {
    let mut sorted = finite(values);
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    // One value has no spread, and rounding must not give it any confidence.
    let coverage = |k: usize| if n == 1 { 0.0 } else { (1.0 - 2.0 * coins(n, k)).max(0.0) };
    let k = (1..=n.div_ceil(2)).take_while(|k| coverage(*k) >= confidence).last().unwrap_or(1);
    let (low, high) = (*sorted.get(k - 1)?, sorted[n - k]);
    let estimate = f64::midpoint(sorted[(n - 1) / 2], sorted[n / 2]);
    Some(Estimate { estimate, low, high, confidence: coverage(k) })
}

/// The middle of those values that are finite, or the mean of the middle two. None for none.
pub fn median(values: impl IntoIterator<Item: Borrow<f64>>) -> Option<f64> {
    let mut values = finite(values);
    let (middle, is_odd) = (values.len() / 2, values.len() % 2 == 1);
    if values.is_empty() {
        return None;
    }
    let (below, upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let lower = below.iter().copied().max_by(f64::total_cmp).filter(|_| !is_odd);
    Some(f64::midpoint(lower.unwrap_or(*upper), *upper))
}

fn finite(values: impl IntoIterator<Item: Borrow<f64>>) -> Vec<f64> {
    values.into_iter().map(|value| *value.borrow()).filter(|value| value.is_finite()).collect()
}

/// The probability that fewer than `k` of `n` coins show heads; `k` is 1 to `n`.
///
/// # Sources
/// NIST Digital Library of Mathematical Functions, 8.17(i): the binomial distribution by the incomplete beta function.
fn coins(n: usize, k: usize) -> f64 {
    let (tails, heads) = ((n - k + 1) as f64, k as f64);
    0.5.inc_beta(tails, heads, tails.ln_beta(heads))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use statrs::distribution::{Binomial, DiscreteCDF};

    #[test]
    fn ten_values_fall_short_and_say_so() {
        let ten = median_interval([1.0; 10], 0.999).unwrap();
        assert!((ten.confidence - (1.0 - 2.0_f64.powi(-9))).abs() < 1e-12);
        let eleven = median_interval([1.0; 11], 0.999).unwrap();
        assert!(eleven.confidence >= 0.999);
    }

    #[test]
    fn one_value_has_no_confidence() {
        let one = median_interval([3.0], 0.999).unwrap();
        assert_eq!((one.low, one.estimate, one.high), (3.0, 3.0, 3.0));
        assert_eq!(one.confidence, 0.0);
        assert_eq!(median_interval(&[] as &[f64], 0.999), None);
    }

    proptest! {
        #[test]
        fn the_median_is_that_of_a_sorted_list(values in prop::collection::vec(-1e6_f64..1e6, 1..80)) {
            let mut sorted = values.clone();
            sorted.sort_by(f64::total_cmp);
            let half = sorted.len() / 2;
            let middle = if sorted.len() % 2 == 1 { sorted[half] } else { f64::midpoint(sorted[half - 1], sorted[half]) };
            prop_assert!((median(&values).unwrap() - middle).abs() <= 1e-9);
        }

        #[test]
        fn coins_are_as_another_library_has_them(n in 1_usize..2000, share in 0.0_f64..1.0) {
            let k = 1 + (share * (n - 1) as f64) as usize;
            let theirs = Binomial::new(0.5, n as u64).unwrap().cdf(k as u64 - 1);
            prop_assert!((coins(n, k) - theirs).abs() <= 1e-8 * theirs + 1e-15, "{} {theirs}", coins(n, k));
        }

        #[test]
        fn the_interval_holds_the_median(values in prop::collection::vec(-1e9_f64..1e9, 1..100)) {
            let found = median_interval(&values, 0.99).unwrap();
            prop_assert!(found.low <= found.estimate && found.estimate <= found.high);
            prop_assert!((0.0..=1.0).contains(&found.confidence));
        }

        #[test]
        fn k_is_the_largest_that_the_naive_sum_allows(n in 1_usize..60) {
            let values: Vec<f64> = (0..n).map(|i| i as f64).collect();
            let found = median_interval(&values, 0.95).unwrap();
            let tail = |k: usize| -> f64 {
                let (mut term, mut sum) = (0.5_f64.powi(n as i32), 0.0);
                for i in 0..k {
                    sum += term;
                    term *= (n - i) as f64 / (i + 1) as f64;
                }
                sum
            };
            let k = (1..=n.div_ceil(2)).filter(|k| 1.0 - 2.0 * tail(*k) >= 0.95).max().unwrap_or(1);
            prop_assert_eq!(found.low, values[k - 1]);
            prop_assert!((found.confidence - (1.0 - 2.0 * tail(k)).max(0.0)).abs() < 1e-9);
        }
    }
}
