/// The finite values of `values`, in order.
pub(super) fn finite(values: &[f64]) -> Vec<f64> {
    values.iter().copied().filter(|value| value.is_finite()).collect()
}

/// The arithmetic mean. For equal values it is exactly that value.
pub(super) fn mean(values: &[f64]) -> Option<f64> {
    let first = *values.first()?;
    Some(first + values.iter().map(|value| value - first).sum::<f64>() / values.len() as f64)
}

/// The sum of squared deviations from the mean; 0 for no values.
pub(super) fn squares_about_mean(values: &[f64]) -> f64 {
    let mean = mean(values).unwrap_or(0.0);
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

/// The unbiased sample variance. None for fewer than two values.
pub(super) fn variance(values: &[f64]) -> Option<f64> {
    (values.len() >= 2).then(|| squares_about_mean(values) / (values.len() - 1) as f64)
}

/// The middle value, or the mean of the middle two.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    let n = values.len();
    if n == 0 {
        return None;
    }
    let (below, middle, _) = values.select_nth_unstable_by(n / 2, f64::total_cmp);
    let middle = *middle;
    if n % 2 == 1 {
        return Some(middle);
    }
    let lower = below.iter().copied().max_by(f64::total_cmp)?;
    Some(f64::midpoint(lower, middle))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_values_have_no_variance() {
        for value in [0.1, 1.0 / 3.0, 7.7e-9, 1e17] {
            assert_eq!(mean(&[value; 7]), Some(value));
            assert_eq!(variance(&[value; 7]), Some(0.0));
        }
        assert_eq!((mean(&[]), variance(&[1.0]), median(vec![])), (None, None, None));
    }

    proptest! {
        #[test]
        fn the_median_is_that_of_a_sorted_list(values in prop::collection::vec(-1e6_f64..1e6, 1..80)) {
            let mut sorted = values.clone();
            sorted.sort_by(f64::total_cmp);
            let half = sorted.len() / 2;
            let middle = if sorted.len() % 2 == 1 { sorted[half] } else { f64::midpoint(sorted[half - 1], sorted[half]) };
            prop_assert!((median(values).unwrap() - middle).abs() <= 1e-9);
        }

        #[test]
        fn moments_match_the_textbook(values in prop::collection::vec(-1e3_f64..1e3, 2..80)) {
            let n = values.len() as f64;
            let plain = values.iter().sum::<f64>() / n;
            let spread = values.iter().map(|v| v * v).sum::<f64>() - n * plain * plain;
            prop_assert!((mean(&values).unwrap() - plain).abs() < 1e-9);
            prop_assert!((variance(&values).unwrap() - spread / (n - 1.0)).abs() < 1e-6);
        }
    }
}
