use special::Beta;

/// Maximum confidence: beyond it, quantiles are infinite.
const MOST_CONFIDENCE: f64 = 1.0 - 1e-9;
/// Beyond these degrees no quantile changes by a thousandth, up to a confidence of 99.9 %; the inverse becomes inexact.
const MOST_FREEDOM: f64 = 1e4;

/// How many standard errors on each side of the mean contain a share `confidence` of Student's t. None below one degree, or for NaN.
///
/// # Sources
/// NIST Digital Library of Mathematical Functions, 8.17(v): Student's distribution by the incomplete beta function.
pub(super) fn t_quantile(confidence: f64, freedom: f64) -> Option<f64> {
    if freedom.is_nan() || freedom < 1.0 || confidence.is_nan() {
        return None;
    }
    let (freedom, outside) = (freedom.min(MOST_FREEDOM), 1.0 - confidence.clamp(0.0, MOST_CONFIDENCE));
    let half = freedom / 2.0;
    let share = outside.inv_inc_beta(half, 0.5, half.ln_beta(0.5));
    Some((freedom * (1.0 - share) / share).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use statrs::distribution::{ContinuousCDF, StudentsT};

    #[test]
    fn quantiles_are_those_of_the_tables() {
        let table = [
            (1.0, 0.95, 12.706_204_7),
            (2.0, 0.99, 9.924_843_2),
            (4.0, 0.95, 2.776_445_1),
            (7.0, 0.999, 5.407_882_5),
            (30.0, 0.9, 1.697_260_9),
            (1e4, 0.95, 1.960_201_3),
        ];
        for (freedom, confidence, expected) in table {
            let t = t_quantile(confidence, freedom).unwrap();
            assert!((t / expected - 1.0).abs() < 1e-6, "t({freedom}, {confidence}) = {t}, not {expected}");
        }
    }

    #[test]
    fn odd_degrees_give_no_quantile_or_a_usable_one() {
        for freedom in [f64::NAN, f64::NEG_INFINITY, -1.0, 0.0, f64::MIN_POSITIVE, 1e-300, 0.5, 1.0 - 1e-12] {
            assert_eq!(t_quantile(0.999, freedom), None, "{freedom}");
        }
        for freedom in [1.0, 1.0 + 1e-12, 1e6, 1e8, 1e12, f64::MAX, f64::INFINITY] {
            assert_eq!(t_quantile(f64::NAN, freedom), None);
            for confidence in [-1.0, 0.0, 1e-12, 0.5, 0.999, 1.0 - 1e-12, 1.0, f64::INFINITY] {
                let t = t_quantile(confidence, freedom).unwrap();
                assert!(t.is_finite() && t >= 0.0, "{freedom}, {confidence}: {t}");
            }
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(confidence in any::<f64>(), freedom in any::<f64>()) {
            prop_assert!(t_quantile(confidence, freedom).is_none_or(f64::is_finite));
        }

        #[test]
        fn a_quantile_leaves_its_tail(freedom in 1.0_f64..200.0, confidence in 0.01_f64..0.999_999) {
            let t = t_quantile(confidence, freedom).unwrap();
            let student = StudentsT::new(0.0, 1.0, freedom).unwrap();
            prop_assert!((2.0 * student.sf(t) - (1.0 - confidence)).abs() < 1e-7 * (1.0 - confidence) + 1e-11);
        }
    }
}
