use super::tails::{Student, normal_quantile};
use crate::record::study::Estimate;

/// Maximum confidence: beyond it, quantiles are infinite.
const MOST_CONFIDENCE: f64 = 1.0 - 1e-9;

/// Student's t interval around an estimate with `freedom` degrees; the bare estimate without a standard error.
pub(super) fn student_interval(estimate: f64, standard_error: f64, freedom: f64, confidence: f64) -> Estimate {
    let confidence = usable_confidence(confidence);
    let is_error = standard_error.is_finite() && standard_error >= 0.0;
    let Some(t) = t_quantile(confidence, freedom).filter(|_| is_error) else {
        return Estimate::without_interval(estimate);
    };
    // Zero stays exactly zero, whatever the quantile.
    let half = if standard_error == 0.0 { 0.0 } else { t * standard_error };
    Estimate { estimate, low: estimate - half, high: estimate + half, confidence }
}

/// `confidence` clamped to the usable range; 0 for NaN.
pub(super) fn usable_confidence(confidence: f64) -> f64 {
    if confidence.is_nan() { 0.0 } else { confidence.clamp(0.0, MOST_CONFIDENCE) }
}

/// How many standard errors on each side of the mean contain a share `confidence` of Student's t. None below one
/// degree.
///
/// Newton's method from the normal quantile: the tail is convex and the start lies left of the root, so every step gets
/// closer and none overshoots.
pub(super) fn t_quantile(confidence: f64, freedom: f64) -> Option<f64> {
    const MOST_STEPS: usize = 100;
    const ROUNDING: f64 = 1e-14;
    // Beyond these degrees the difference to the normal distribution is below rounding.
    const MOST_FREEDOM: f64 = 1e6;
    if freedom.is_nan() || freedom < 1.0 {
        return None;
    }
    let tail = (1.0 - usable_confidence(confidence)) / 2.0;
    let mut t = normal_quantile(tail);
    if freedom > MOST_FREEDOM {
        return Some(t.max(0.0));
    }
    let student = Student::new(freedom);
    for _ in 0..MOST_STEPS {
        let step = (student.tail(t) - tail) / student.density(t);
        if step.is_nan() || step <= t * ROUNDING {
            break;
        }
        t += step;
    }
    Some(t.max(0.0))
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
            (1e6, 0.95, 1.959_966_4),
        ];
        for (freedom, confidence, expected) in table {
            let t = t_quantile(confidence, freedom).unwrap();
            assert!((t / expected - 1.0).abs() < 1e-6, "t({freedom}, {confidence}) = {t}, not {expected}");
        }
    }

    #[test]
    fn odd_degrees_and_errors_give_no_interval_or_a_usable_one() {
        for freedom in [f64::NAN, f64::NEG_INFINITY, -1.0, 0.0, f64::MIN_POSITIVE, 1e-300, 0.5, 1.0 - 1e-12] {
            assert_eq!(t_quantile(0.999, freedom), None, "{freedom}");
            assert_eq!(student_interval(8.0, 0.1, freedom, 0.999), Estimate::without_interval(8.0), "{freedom}");
        }
        for freedom in [1.0, 1.0 + 1e-12, 1e6, 1e8, 1e12, f64::MAX, f64::INFINITY] {
            for confidence in [f64::NAN, -1.0, 0.0, 1e-12, 0.5, 0.999, 1.0 - 1e-12, 1.0, f64::INFINITY] {
                let t = t_quantile(confidence, freedom).unwrap();
                assert!(t.is_finite() && t >= 0.0, "{freedom}, {confidence}: {t}");
            }
        }
        for error in [f64::NAN, f64::INFINITY, -1.0] {
            let found = student_interval(8.0, error, 11.0, 0.999);
            assert_eq!(found, Estimate::without_interval(8.0), "{error}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(estimate in any::<f64>(), error in any::<f64>(), freedom in any::<f64>(), c in any::<f64>()) {
            let found = student_interval(estimate, error, freedom, c);
            prop_assert!((0.0..1.0).contains(&found.confidence));
        }

        #[test]
        fn a_quantile_leaves_its_tail(freedom in 1_u32..200, confidence in 0.01_f64..0.9999) {
            let t = t_quantile(confidence, f64::from(freedom)).unwrap();
            let student = StudentsT::new(0.0, 1.0, f64::from(freedom)).unwrap();
            prop_assert!((2.0 * student.sf(t) - (1.0 - confidence)).abs() < 1e-7);
        }
    }
}
