use super::line::{Point, straight_line};
use super::median::median;
use super::t_quantile::t_quantile;

/// Significance level of a trend: the probability of seeing it in a series without one.
const ALPHA: f64 = 0.001;
/// Each half of a series must have this share of the whole slope; a step does not.
const LEAST_SHARE_OF_HALF: f64 = 1.0 / 3.0;
/// Fewer values than this have no trend worth the name; a line is fitted to the medians of as many blocks, or a few more.
const FEWEST_VALUES: usize = 10;

/// By what share of its median a series of independent values drifts over its length: by more than `margin`, in both halves, and
/// significantly. None if it does not, or for fewer than ten values.
///
/// # Sources
/// N. R. Draper, H. Smith, "Applied Regression Analysis", ch. 1: Student's t of a correlation.
///
/// # Examples
/// ```
/// use chronoscope_harness::stats::trend;
///
/// let drifting: Vec<f64> = (0..24).map(|i| 100.0 + 0.2 * f64::from(i) + f64::from(i % 3) * 0.1).collect();
/// assert!((trend(&drifting, 0.02).unwrap() - 0.045).abs() < 0.005);
/// assert_eq!(trend(&drifting, 0.1), None, "within the margin");
/// ```
pub fn trend(series: &[f64], margin: f64) -> Option<f64> {
    let block = (series.len() / FEWEST_VALUES).max(1);
    let medians = series.chunks(block).filter_map(median);
    let points: Vec<Point> = medians.enumerate().map(|(at, value)| (at as f64, value, 1.0)).collect();
    let freedom = points.len().checked_sub(2).filter(|_| points.len() >= FEWEST_VALUES)? as f64;
    let line = straight_line(&points)?;
    let rise = line.slope * (series.len() - 1) as f64 / block as f64 / median(series)?.abs();
    let t_squared = freedom * line.r_squared / (1.0 - line.r_squared);
    let is_significant = t_squared > t_quantile(1.0 - ALPHA, freedom)?.powi(2);
    let (first, second) = points.split_at(points.len() / 2);
    let lasts = |half: &[Point]| straight_line(half).is_some_and(|own| own.slope / line.slope >= LEAST_SHARE_OF_HALF);
    (rise.abs() > margin.max(0.0) && is_significant && lasts(first) && lasts(second)).then_some(rise)
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn noise_has_no_trend() {
        let mut random = Random::new(71);
        let found = (0..400).filter(|i| trend(&random.normals(20 + i % 60, 5.0, 1.0), 0.0).is_some()).count();
        assert!(found <= 2, "{found} of 400");
    }

    #[test]
    fn what_wanders_within_the_margin_has_none() {
        let mut random = Random::new(72);
        let found = (0..200)
            .filter(|_| {
                let mut last = 0.0;
                let values = (0..150).map(|_| {
                    last = 0.6 * last + random.normal();
                    100.0 + 0.5 * last
                });
                trend(&values.collect::<Vec<f64>>(), 0.02).is_some()
            })
            .count();
        assert!(found <= 4, "{found} of 200");
    }

    #[test]
    fn a_drift_is_measured_in_short_and_long_series() {
        let mut random = Random::new(73);
        for n in [30, 400, 5000] {
            let drift = 10.0 / n as f64;
            let series: Vec<f64> = (0..n).map(|i| 100.0 + drift * i as f64 + random.normal()).collect();
            let rise = trend(&series, 0.02).unwrap();
            assert!((rise * 105.0 / 10.0 - 1.0).abs() < 0.2, "{rise} for {n} values");
            assert_eq!(trend(&series, 0.2), None);
        }
    }

    #[test]
    fn a_step_is_no_trend() {
        let mut random = Random::new(74);
        for at in [30, 50, 75] {
            let values: Vec<f64> = (0..100).map(|i| if i < at { 120.0 } else { 100.0 } + random.normal()).collect();
            assert_eq!(trend(&values, 0.01), None, "step at {at}");
        }
        assert_eq!(trend(&[1.0; 50], 0.0), None);
    }

    proptest! {
        #[test]
        fn nothing_panics(values in prop::collection::vec(any::<f64>(), 0..60)) {
            let _ = trend(&values, 0.01);
        }
    }
}
