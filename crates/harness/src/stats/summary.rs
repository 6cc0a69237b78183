/// The arithmetic mean. For equal values it is exactly that value.
pub(super) fn mean(values: &[f64]) -> Option<f64> {
    let first = *values.first()?;
    Some(first + values.iter().map(|value| value - first).sum::<f64>() / values.len() as f64)
}

/// The unbiased sample variance. None for fewer than two values.
pub(super) fn variance(values: &[f64]) -> Option<f64> {
    let mean = mean(values).filter(|_| values.len() >= 2)?;
    Some(values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64)
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
        assert_eq!((mean(&[]), variance(&[1.0])), (None, None));
    }

    proptest! {
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
