use super::summary::{finite, quantile_of_sorted};
use crate::record::study::Outliers;

/// How many values lie outside the fences around the interquartile range: mild beyond 1.5 interquartile ranges from the
/// nearer quartile, severe beyond 3 or if not finite. Nothing is removed: that is up to the caller.
///
/// # Sources
/// J. W. Tukey, "Exploratory Data Analysis", 1977, §2D: inner and outer fences. Quartiles by definition 7 of R.
/// Hyndman, Y. Fan, "Sample Quantiles in Statistical Packages", 1996.
///
/// # Examples
/// ```
/// use chronoscope_harness::record::study::Outliers;
/// use chronoscope_harness::stats::outliers;
///
/// assert_eq!(outliers(&[20.0, 21.0, 22.0, 23.0, 24.0, 28.0, 900.0]), Outliers { mild: 0, severe: 1 });
/// ```
pub fn outliers(values: &[f64]) -> Outliers {
    const INNER_RANGES: f64 = 1.5;
    const OUTER_RANGES: f64 = 3.0;
    let mut sorted = finite(values);
    sorted.sort_by(f64::total_cmp);
    let quartiles = quantile_of_sorted(&sorted, 0.25).zip(quantile_of_sorted(&sorted, 0.75));
    let Some((lower, upper)) = quartiles else { return Outliers { mild: 0, severe: values.len() as u64 } };
    let range = upper - lower;
    let mut found = Outliers::default();
    for value in values {
        let beyond = (lower - value).max(value - upper);
        if !value.is_finite() || beyond > OUTER_RANGES * range {
            found.severe += 1;
        } else if beyond > INNER_RANGES * range {
            found.mild += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fences_lie_where_tukey_put_them() {
        // Quartiles 20 and 30: fences at 5, 45 and −10, 60.
        assert_eq!(outliers(&[10.0, 20.0, 25.0, 30.0, 40.0]), Outliers::default());
        assert_eq!(outliers(&[4.9, 20.0, 20.0, 25.0, 30.0, 30.0, 45.0]), Outliers { mild: 1, severe: 0 });
        assert_eq!(outliers(&[20.0, 20.0, 25.0, 30.0, 30.0, 60.1, -10.1]), Outliers { mild: 0, severe: 2 });
    }

    #[test]
    fn normal_values_are_rarely_marked() {
        let found = outliers(&Random::new(51).normals(100_000, 0.0, 1.0));
        // 0.698 % lie outside the inner fences, 0.0002 % outside the outer ones.
        assert!((600..800).contains(&found.mild) && found.severe <= 3, "{found:?}");
    }

    #[test]
    fn no_number_is_severe() {
        assert_eq!(outliers(&[f64::NAN, 1.0, 1.0]), Outliers { mild: 0, severe: 1 });
        assert_eq!(outliers(&[f64::INFINITY]), Outliers { mild: 0, severe: 1 });
    }

    proptest! {
        #[test]
        fn no_value_counts_twice(values in prop::collection::vec(any::<f64>(), 0..40)) {
            let found = outliers(&values);
            prop_assert!(found.mild + found.severe <= values.len() as u64);
        }

        #[test]
        fn scale_and_place_do_not_matter(values in prop::collection::vec(-100_i32..100, 1..40), by in 1_i32..8) {
            let plain: Vec<f64> = values.iter().map(|v| f64::from(*v)).collect();
            let moved: Vec<f64> = values.iter().map(|v| f64::from(v * by + 1000)).collect();
            prop_assert_eq!(outliers(&plain), outliers(&moved));
        }
    }
}
