use statrs::distribution::{Binomial, Discrete};

use super::interval::usable_confidence;

/// Standard deviations around the mean beyond which a binomial has no weight worth adding.
const REACH: f64 = 14.0;

/// The ranks, counted from 1, of the two order statistics of `n` values between which the true quantile `q` lies with
/// `confidence`. None in place of an end for which there are too few values.
///
/// Distribution-free: B values of n lie at or below the true quantile, with B binomial; each end leaves half of the
/// rest. The values must be independent: a queue makes neighbours alike, and its intervals are too narrow.
///
/// # Sources
/// H. A. David, H. N. Nagaraja, "Order Statistics", §7.1.
///
/// # Examples
/// ```
/// use chronoscope_harness::stats::quantile_ranks;
///
/// let (low, high) = quantile_ranks(10_000, 0.99, 0.999);
/// assert_eq!((low, high), (Some(9_866), Some(9_932)));
/// assert_eq!(quantile_ranks(100, 0.99, 0.999).1, None, "no value is likely to be above it");
/// ```
pub fn quantile_ranks(n: u64, q: f64, confidence: f64) -> (Option<u64>, Option<u64>) {
    let tail = (1.0 - usable_confidence(confidence)) / 2.0;
    let Ok(binomial) = Binomial::new(q, n) else { return (None, None) };
    if n == 0 || q <= 0.0 || q >= 1.0 {
        return (None, None);
    }
    let (mean, deviation) = (n as f64 * q, (n as f64 * q * (1.0 - q)).sqrt());
    let first = (mean - REACH * deviation - REACH).max(0.0) as u64;
    let last = ((mean + REACH * deviation + REACH) as u64).min(n);
    // Each weight from the one before. Their sum is one but for the rounding of the first, which is large for many values.
    let first_weight = binomial.ln_pmf(first).exp();
    let next = |weight: f64, at: u64| weight * ((n - at) as f64 / (at + 1) as f64) * (q / (1.0 - q));
    let (all, _) = (first..=last).fold((0.0, first_weight), |(sum, weight), at| (sum + weight, next(weight, at)));
    let (mut weight, mut below) = (first_weight / all, 0.0);
    let (mut low, mut high) = (None, None);
    for at in first..=last {
        // `below` is P(B < at).
        if below <= tail && at > 0 {
            low = Some(at);
        }
        if high.is_none() && 1.0 - below <= tail {
            high = Some(at);
        }
        below += weight;
        weight = next(weight, at);
    }
    (low, high)
}

/// The fewest values of which one is above the true quantile `q` with so much confidence that the interval of
/// [`quantile_ranks`] has an upper end. None for a quantile that is none.
///
/// # Examples
/// ```
/// use chronoscope_harness::stats::fewest_for_quantile;
///
/// assert_eq!(fewest_for_quantile(0.99, 0.999), Some(757));
/// ```
pub fn fewest_for_quantile(q: f64, confidence: f64) -> Option<u64> {
    let tail = (1.0 - usable_confidence(confidence)) / 2.0;
    // With n values P(B = n) = q^n.
    (q > 0.0 && q < 1.0).then(|| (tail.ln() / q.ln()).ceil() as u64)
}

#[cfg(test)]
mod tests {
    use super::super::Random;
    use super::*;
    use proptest::prelude::*;
    use statrs::distribution::DiscreteCDF;

    #[test]
    fn the_ends_are_those_of_the_binomial() {
        for (n, q) in [(20, 0.5), (100, 0.9), (1_000, 0.99), (5_000, 0.999), (3, 0.5)] {
            let (low, high) = quantile_ranks(n, q, 0.95);
            let binomial = Binomial::new(q, n).unwrap();
            let below = |at: u64| if at == 0 { 0.0 } else { binomial.cdf(at - 1) };
            match low {
                Some(low) => assert!(below(low) <= 0.025 && below(low + 1) > 0.025, "{n} {q}: {low}"),
                None => assert!(below(1) > 0.025, "{n} {q}"),
            }
            match high {
                Some(high) => assert!(1.0 - below(high) <= 0.025 && 1.0 - below(high - 1) > 0.025, "{n} {q}: {high}"),
                None => assert!(1.0 - below(n) > 0.025, "{n} {q}"),
            }
        }
    }

    #[test]
    fn the_fewest_values_are_just_enough() {
        for q in [0.5, 0.9, 0.99, 0.999, 0.9999] {
            let fewest = fewest_for_quantile(q, 0.999).unwrap();
            assert!(quantile_ranks(fewest, q, 0.999).1.is_some(), "{q}");
            assert_eq!(quantile_ranks(fewest - 1, q, 0.999).1, None, "{q}");
        }
        assert_eq!((fewest_for_quantile(1.0, 0.9), fewest_for_quantile(f64::NAN, 0.9)), (None, None));
    }

    #[test]
    fn a_run_of_days_has_narrow_ranks() {
        let (low, high) = quantile_ranks(10_000_000_000, 0.999, 0.999);
        let (low, high) = (low.unwrap(), high.unwrap());
        let half = 3.290_5 * (1e10_f64 * 0.999 * 0.001).sqrt();
        assert!((low as f64 - (9.99e9 - half)).abs() < 20.0 && (high as f64 - (9.99e9 + half)).abs() < 20.0);
    }

    /// Of 4000 samples of 300 exponential values, at least as many intervals as claimed hold the true quantile.
    #[test]
    fn intervals_hold_what_they_claim() {
        let mut random = Random::new(7);
        for q in [0.5_f64, 0.9, 0.95] {
            let truth = -(1.0 - q).ln();
            let (low, high) = quantile_ranks(300, q, 0.95);
            let (low, high) = (low.unwrap() as usize - 1, high.unwrap() as usize - 1);
            let held = (0..4_000).filter(|_| {
                let mut values: Vec<f64> = (0..300).map(|_| -(1.0 - random.unit()).ln()).collect();
                values.sort_by(f64::total_cmp);
                values[low] <= truth && truth <= values[high]
            });
            let share = held.count() as f64 / 4_000.0;
            assert!((0.94..=0.985).contains(&share), "{q}: {share}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(n in any::<u64>(), q in any::<f64>(), confidence in any::<f64>()) {
            let _ = quantile_ranks(n % 1_000_000, q, confidence);
            let _ = fewest_for_quantile(q, confidence);
        }

        #[test]
        fn ends_are_in_order(n in 1_u64..100_000, q in 0.001_f64..0.999) {
            if let (Some(low), Some(high)) = quantile_ranks(n, q, 0.999) {
                prop_assert!(1 <= low && low <= high && high <= n);
            }
        }
    }
}
