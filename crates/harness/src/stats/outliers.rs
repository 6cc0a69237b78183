use super::summary::{finite, quantile_of_sorted};

/// Where a value lies with respect to the fences about the middle half of all.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Mark {
    /// Within 1.5 interquartile ranges of the nearer quartile.
    Inside,
    /// Within 3 of them, but beyond 1.5.
    Mild,
    /// Beyond, or no finite value.
    Severe,
}

/// A mark for each value, in the order given. Nothing is ever left out: what to do about outliers is the caller's to
/// say.
///
/// # Sources
/// J. W. Tukey, "Exploratory Data Analysis", 1977, §2D: inner and outer fences. Quartiles by definition 7 of R.
/// Hyndman, Y. Fan, "Sample Quantiles in Statistical Packages", 1996.
///
/// # Examples
/// ```
/// use chronoscope_harness::stats::{Mark, marks};
///
/// let found = marks(&[20.0, 21.0, 22.0, 23.0, 24.0, 28.0, 900.0]);
/// assert_eq!(found[..5], [Mark::Inside; 5]);
/// assert_eq!(found[6], Mark::Severe);
/// ```
pub fn marks(values: &[f64]) -> Vec<Mark> {
    const INNER_RANGES: f64 = 1.5;
    const OUTER_RANGES: f64 = 3.0;
    let mut sorted = finite(values);
    sorted.sort_by(f64::total_cmp);
    let quartiles = quantile_of_sorted(&sorted, 0.25).zip(quantile_of_sorted(&sorted, 0.75));
    let Some((lower, upper)) = quartiles else { return vec![Mark::Severe; values.len()] };
    let range = upper - lower;
    let mark = |value: f64| {
        let beyond = (lower - value).max(value - upper);
        if !value.is_finite() || beyond > OUTER_RANGES * range {
            Mark::Severe
        } else if beyond > INNER_RANGES * range {
            Mark::Mild
        } else {
            Mark::Inside
        }
    };
    values.iter().map(|value| mark(*value)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fences_lie_where_tukey_put_them() {
        // Quartiles 20 and 30: fences at 5, 45 and −10, 60.
        let mut values = vec![10.0, 20.0, 25.0, 30.0, 40.0];
        assert_eq!(marks(&values), [Mark::Inside; 5]);
        values = vec![4.9, 20.0, 20.0, 25.0, 30.0, 30.0, 45.0];
        assert_eq!((marks(&values)[0], marks(&values)[6]), (Mark::Mild, Mark::Inside));
        values = vec![20.0, 20.0, 25.0, 30.0, 30.0, 60.1, -10.1];
        assert_eq!(marks(&values)[5..], [Mark::Severe, Mark::Severe]);
    }

    #[test]
    fn normal_values_are_rarely_marked() {
        let found = marks(&Random::new(51).normals(100_000, 0.0, 1.0));
        let count = |mark| found.iter().filter(|m| **m == mark).count();
        // 0.698 % lie beyond the inner fences, 0.0002 % beyond the outer ones.
        assert!((600..800).contains(&count(Mark::Mild)), "{}", count(Mark::Mild));
        assert!(count(Mark::Severe) <= 3);
    }

    #[test]
    fn no_number_is_severe() {
        assert_eq!(marks(&[f64::NAN, 1.0, 1.0]), [Mark::Severe, Mark::Inside, Mark::Inside]);
        assert_eq!(marks(&[f64::INFINITY]), [Mark::Severe]);
    }

    proptest! {
        #[test]
        fn every_value_has_a_mark(values in prop::collection::vec(any::<f64>(), 0..40)) {
            prop_assert_eq!(marks(&values).len(), values.len());
        }

        #[test]
        fn scale_and_place_do_not_matter(values in prop::collection::vec(-100_i32..100, 1..40), by in 1_i32..8) {
            let plain: Vec<f64> = values.iter().map(|v| f64::from(*v)).collect();
            let moved: Vec<f64> = values.iter().map(|v| f64::from(v * by + 1000)).collect();
            prop_assert_eq!(marks(&plain), marks(&moved));
        }
    }
}
