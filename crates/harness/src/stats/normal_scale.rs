use statrs::distribution::{ContinuousCDF, Normal};

use super::interval::usable_confidence;

/// By which factor the interval of a normal estimate gets wider from the confidence `from` to the confidence `to`. 1 where `from` is
/// no confidence of an interval.
///
/// # Examples
/// ```
/// use chronoscope_harness::stats::normal_scale;
///
/// assert!((normal_scale(0.999, 0.95) - 1.960 / 3.291).abs() < 1e-3);
/// assert_eq!(normal_scale(0.0, 0.95), 1.0);
/// ```
pub fn normal_scale(from: f64, to: f64) -> f64 {
    let half_width = |confidence: f64| {
        let standard = Normal::new(0.0, 1.0).ok()?;
        Some(-standard.inverse_cdf((1.0 - usable_confidence(confidence)) / 2.0)).filter(|half| *half > 0.0)
    };
    match (half_width(from), half_width(to)) {
        (Some(from), Some(to)) => to / from,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_confidence_has_a_factor() {
        for from in [0.0, 0.5, 0.95, 1.0, 7.0, -1.0, f64::NAN] {
            let factor = normal_scale(from, 0.95);
            assert!(factor.is_finite() && factor > 0.0, "{from}: {factor}");
        }
        assert_eq!(normal_scale(0.95, 0.95), 1.0);
    }
}
