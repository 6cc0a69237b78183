/// A point to fit a line to: x, y, and its weight.
pub(super) type Point = (f64, f64, f64);

/// A straight line through points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StraightLine {
    /// The y at x = 0, in the unit of y.
    pub intercept: f64,
    /// The increase in y per unit of x.
    pub slope: f64,
    /// The share of y's variance around its mean that the line explains, 0 to 1; 1 if y does not vary.
    pub r_squared: f64,
}

/// The line y = intercept + slope·x nearest to points (x, y, weight), by weighted least squares. None for fewer than two distinct x,
/// or where a point is not finite.
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
/// let points: Vec<(f64, f64, f64)> = (1..=10).map(|n| (f64::from(n), 40.0 + 8.0 * f64::from(n), 1.0)).collect();
/// let line = straight_line(&points).unwrap();
/// assert!((line.intercept - 40.0).abs() < 1e-9 && (line.slope - 8.0).abs() < 1e-9);
/// assert!(line.r_squared > 0.999_999);
/// ```
pub fn straight_line(points: &[(f64, f64, f64)]) -> Option<StraightLine> {
    let (mean_x, mean_y) = (level(points, |(x, ..)| *x)?, level(points, |(_, y, _)| *y)?);
    // Around the means: the intercept may lie far from all points.
    let sum = |of: fn(f64, f64) -> f64| -> f64 {
        points.iter().map(|(x, y, weight)| weight * of(x - mean_x, y - mean_y)).sum()
    };
    let (squares_x, squares_y, products) = (sum(|x, _| x * x), sum(|_, y| y * y), sum(|x, y| x * y));
    let slope = products / squares_x;
    let r_squared = if squares_y > 0.0 { (slope * products / squares_y).min(1.0) } else { 1.0 };
    let is_line = squares_x > 0.0 && slope.is_finite();
    is_line.then_some(StraightLine { intercept: mean_y - slope * mean_x, slope, r_squared })
}

/// The weighted mean of a coordinate; of equal values exactly that.
pub(super) fn level(points: &[Point], of: fn(&Point) -> f64) -> Option<f64> {
    let first = of(points.first()?);
    let weight: f64 = points.iter().map(|(.., weight)| weight).sum();
    let sum: f64 = points.iter().map(|point| point.2 * (of(point) - first)).sum();
    (weight > 0.0).then(|| first + sum / weight)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn anscombes_first_set() {
        let y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68];
        let x = [10.0, 8.0, 13.0, 9.0, 11.0, 14.0, 6.0, 4.0, 12.0, 7.0, 5.0];
        let points: Vec<Point> = x.into_iter().zip(y).map(|(x, y)| (x, y, 2.0)).collect();
        let found = straight_line(&points).unwrap();
        assert!((found.intercept - 3.000_09).abs() < 1e-4);
        assert!((found.slope - 0.500_09).abs() < 1e-4);
        assert!((found.r_squared - 0.666_54).abs() < 1e-4);
    }

    #[test]
    fn too_few_points() {
        assert_eq!(straight_line(&[(1.0, 2.0, 1.0), (1.0, 3.0, 1.0)]), None);
        assert_eq!(straight_line(&[(1.0, 2.0, 1.0), (2.0, 3.0, 1.0), (f64::NAN, 1.0, 1.0)]), None);
        assert_eq!(straight_line(&[(1.0, 2.0, 1.0), (2.0, 4.0, 1.0)]).unwrap().slope, 2.0);
        let level = straight_line(&[(1.0, 0.1, 1.0), (2.0, 0.1, 1.0), (3.0, 0.1, 1.0)]).unwrap();
        assert_eq!((level.slope, level.intercept, level.r_squared), (0.0, 0.1, 1.0));
    }

    proptest! {
        #[test]
        fn no_other_line_is_nearer(
            points in prop::collection::vec((-50.0_f64..50.0, -50.0_f64..50.0, 0.1_f64..9.0), 3..30),
            (up, tilt) in (-1.0_f64..1.0, -1.0_f64..1.0),
        ) {
            let Some(found) = straight_line(&points) else { return Ok(()) };
            let squares = |intercept: f64, slope: f64| {
                points.iter().map(|(x, y, weight)| weight * (y - intercept - slope * x).powi(2)).sum::<f64>()
            };
            let (a, b) = (found.intercept, found.slope);
            prop_assert!(squares(a, b) <= squares(a + up, b + tilt) * (1.0 + 1e-9));
            prop_assert!((0.0..=1.0).contains(&found.r_squared));
        }

        #[test]
        fn nothing_panics(points in prop::collection::vec((any::<f64>(), any::<f64>(), any::<f64>()), 0..10)) {
            let _ = straight_line(&points);
        }
    }
}
