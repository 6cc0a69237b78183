use super::interval::student_interval;
use super::summary::{mean, squares_about_mean};
use crate::record::study::Estimate;

/// A straight line through points, by least squares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StraightLine {
    /// The y at x = 0, in the unit of y.
    pub intercept: Estimate,
    /// The increase in y per unit of x.
    pub slope: Estimate,
    /// The share of y's variance around its mean that the line explains, 0 to 1; 1 if y does not vary.
    pub r_squared: f64,
}

/// The least-squares line y = intercept + slope·x, with the intervals of Student's t. None for fewer than two distinct
/// x.
///
/// Non-finite points are left out. Two points determine a line but not its error: a confidence of 0. The intervals
/// assume points that scatter independently and equally; the points of one process do not.
///
/// # Sources
/// N. R. Draper, H. Smith, "Applied Regression Analysis", ch. 1. The intercept is fitted, not forced to 0, and R² is
/// about the mean: a line through the origin with sums about 0 reports R² near 1 whatever the fit.
///
/// # Examples
/// ```
/// use chronoscope_harness::stats::straight_line;
///
/// // 40 ns of timer about n calls of 8 ns.
/// let points: Vec<(f64, f64)> = (1..=10).map(|n| (f64::from(n), 40.0 + 8.0 * f64::from(n))).collect();
/// let line = straight_line(&points, 0.95).unwrap();
/// assert!((line.intercept.estimate - 40.0).abs() < 1e-9 && (line.slope.estimate - 8.0).abs() < 1e-9);
/// assert!(line.r_squared > 0.999_999);
/// ```
pub fn straight_line(points: &[(f64, f64)], confidence: f64) -> Option<StraightLine> {
    let (x, y): (Vec<f64>, Vec<f64>) = points.iter().filter(|(x, y)| x.is_finite() && y.is_finite()).copied().unzip();
    let n = x.len() as f64;
    let (mean_x, mean_y) = (mean(&x)?, mean(&y)?);
    let squares_x = squares_about_mean(&x);
    if squares_x.is_nan() || squares_x <= 0.0 {
        return None;
    }
    let products: f64 = x.iter().zip(&y).map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let slope = products / squares_x;
    let intercept = mean_y - slope * mean_x;

    // Around the means: the intercept may lie far from all points.
    let left: f64 = x.iter().zip(&y).map(|(x, y)| ((y - mean_y) - slope * (x - mean_x)).powi(2)).sum();
    let whole = squares_about_mean(&y);
    let variance = left / (n - 2.0).max(1.0);
    let slope_error = (variance / squares_x).sqrt();
    let intercept_error = (variance * (1.0 / n + mean_x * mean_x / squares_x)).sqrt();
    Some(StraightLine {
        intercept: student_interval(intercept, intercept_error, n - 2.0, confidence),
        slope: student_interval(slope, slope_error, n - 2.0, confidence),
        r_squared: if whole > 0.0 { (1.0 - left / whole).max(0.0) } else { 1.0 },
    })
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn intervals_cover_the_line() {
        let mut random = Random::new(61);
        let (mut slopes, mut intercepts) = (0, 0);
        for _ in 0..2000 {
            let points: Vec<(f64, f64)> =
                (1..=8).map(|x| (f64::from(x), 3.0 + 0.5 * f64::from(x) + 0.2 * random.normal())).collect();
            let found = straight_line(&points, 0.95).unwrap();
            slopes += u32::from(found.slope.low <= 0.5 && 0.5 <= found.slope.high);
            intercepts += u32::from(found.intercept.low <= 3.0 && 3.0 <= found.intercept.high);
        }
        assert!((1860..=1940).contains(&slopes) && (1860..=1940).contains(&intercepts), "{slopes}, {intercepts}");
    }

    #[test]
    fn anscombes_first_set() {
        let y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68];
        let x = [10.0, 8.0, 13.0, 9.0, 11.0, 14.0, 6.0, 4.0, 12.0, 7.0, 5.0];
        let points: Vec<(f64, f64)> = x.into_iter().zip(y).collect();
        let found = straight_line(&points, 0.95).unwrap();
        assert!((found.intercept.estimate - 3.000_09).abs() < 1e-4);
        assert!((found.slope.estimate - 0.500_09).abs() < 1e-4);
        assert!((found.r_squared - 0.666_54).abs() < 1e-4);
        // Standard error 0.11791 with nine degrees of freedom.
        assert!((found.slope.high - found.slope.estimate - 0.117_91 * 2.262_16).abs() < 1e-4);
    }

    #[test]
    fn too_few_points() {
        assert_eq!(straight_line(&[(1.0, 2.0), (1.0, 3.0), (f64::NAN, 1.0)], 0.95), None);
        let two = straight_line(&[(1.0, 2.0), (2.0, 4.0)], 0.95).unwrap();
        assert_eq!((two.slope.estimate, two.slope.confidence), (2.0, 0.0));
        let level = straight_line(&[(1.0, 2.0), (2.0, 2.0), (3.0, 2.0)], 0.95).unwrap();
        assert_eq!((level.slope.low, level.slope.high, level.r_squared), (0.0, 0.0, 1.0));
    }

    proptest! {
        #[test]
        fn no_other_line_is_nearer(
            points in prop::collection::vec((-50.0_f64..50.0, -50.0_f64..50.0), 3..30),
            (up, tilt) in (-1.0_f64..1.0, -1.0_f64..1.0),
        ) {
            let Some(found) = straight_line(&points, 0.9) else { return Ok(()) };
            let squares = |intercept: f64, slope: f64| {
                points.iter().map(|(x, y)| (y - intercept - slope * x).powi(2)).sum::<f64>()
            };
            let (a, b) = (found.intercept.estimate, found.slope.estimate);
            prop_assert!(squares(a, b) <= squares(a + up, b + tilt) * (1.0 + 1e-9));
            prop_assert!((0.0..=1.0).contains(&found.r_squared));
        }

        #[test]
        fn nothing_panics(points in prop::collection::vec((any::<f64>(), any::<f64>()), 0..10)) {
            let _ = straight_line(&points, 0.95);
        }
    }
}
