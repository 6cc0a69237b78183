use super::interval::student_interval;
use super::summary::{finite, mean, variance};
use crate::record::study::Estimate;

/// The mean of independent units, such as one value per fork, with the interval of Student's t. None for no values.
///
/// Non-finite values are left out. A single value has a confidence of 0.
///
/// # Sources
/// Student, "The Probable Error of a Mean", Biometrika 6(1), 1908. That forks, not iterations, are the independent
/// units: T. Kalibera, R. Jones, "Rigorous Benchmarking in Reasonable Time", ISMM 2013.
///
/// # Examples
/// ```
/// use chronoscope_harness::stats::mean_interval;
///
/// let cost_ns = mean_interval(&[21.9, 22.1, 22.0, 22.4, 22.1], 0.95).unwrap();
/// assert!((cost_ns.estimate - 22.1).abs() < 1e-9);
/// assert!((cost_ns.high - cost_ns.estimate - 0.232).abs() < 0.001);
/// ```
pub fn mean_interval(values: &[f64], confidence: f64) -> Option<Estimate> {
    let values = finite(values);
    let n = values.len() as f64;
    let estimate = mean(&values)?;
    Some(match variance(&values) {
        Some(variance) => student_interval(estimate, (variance / n).sqrt(), n - 1.0, confidence),
        None => Estimate::without_interval(estimate),
    })
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn five_forks_cover_the_truth_as_often_as_they_say() {
        let mut random = Random::new(17);
        for confidence in [0.8, 0.95] {
            let held = (0..2000)
                .filter(|_| {
                    let found = mean_interval(&random.normals(5, 40.0, 3.0), confidence).unwrap();
                    found.low <= 40.0 && 40.0 <= found.high
                })
                .count();
            let share = held as f64 / 2000.0;
            assert!((share - confidence).abs() < 0.02, "{share} of intervals at {confidence}");
        }
    }

    #[test]
    fn what_is_no_number_is_left_out() {
        let found = mean_interval(&[f64::NAN, 2.0, f64::INFINITY, 4.0], 0.9).unwrap();
        assert_eq!(Some(found), mean_interval(&[2.0, 4.0], 0.9));
        assert_eq!(mean_interval(&[f64::NAN], 0.9), None);
        assert_eq!(mean_interval(&[7.7; 3], 0.9).map(|found| (found.low, found.high)), Some((7.7, 7.7)));
    }

    proptest! {
        #[test]
        fn nothing_panics(values in prop::collection::vec(any::<f64>(), 0..20), confidence in any::<f64>()) {
            let _ = mean_interval(&values, confidence);
        }

        #[test]
        fn more_confidence_is_wider(values in prop::collection::vec(-1e6_f64..1e6, 2..40)) {
            let (narrow, wide) = (mean_interval(&values, 0.9).unwrap(), mean_interval(&values, 0.99).unwrap());
            prop_assert!(wide.low <= narrow.low && narrow.low <= narrow.estimate && narrow.high <= wide.high);
        }
    }
}
