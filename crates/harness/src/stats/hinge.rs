//! The fit of a line that falls and then stays level.

use super::line::{Point, level, straight_line};
use super::median::median;
use super::summary::{mean, variance};

/// A cost that falls linearly and then stays constant: max(floor, floor + slope·(at − x)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hinge {
    /// The remainder past the hinge.
    pub(super) floor: f64,
    /// How much one unit of x hides. At least 0.
    pub(super) slope: f64,
    /// The x at which the floor begins.
    pub(super) at: f64,
    misfit: f64,
}

impl Hinge {
    /// The exact weighted least-squares fit. Points are in order of x; at least three are needed.
    ///
    /// # Sources
    /// D. J. Hudson, "Fitting Segmented Curves Whose Join Points Have to Be Estimated", JASA 61, 1966: the join is
    /// either at a point, or where the separate fits of both sides meet.
    pub(super) fn fit(points: &[Point]) -> Option<Self> {
        let on_points = points.iter().skip(1).filter_map(|(x, _, _)| Self::at(points, *x));
        let between = (2..points.len()).filter_map(|split| {
            let (left, right) = points.split_at(split);
            let line = straight_line(left)?;
            let x = (line.intercept - level(right, |(_, y, _)| *y)?) / -line.slope;
            let inside = left.last()?.0 < x && x < right.first()?.0;
            inside.then(|| Self::at(points, x)).flatten()
        });
        on_points.chain(between).min_by(|one, other| one.misfit.total_cmp(&other.misfit))
    }

    /// The best fit with its hinge at `at`: a line over the distance to it.
    fn at(points: &[Point], at: f64) -> Option<Self> {
        let missing: Vec<Point> = points.iter().map(|(x, y, weight)| ((at - x).max(0.0), *y, *weight)).collect();
        let (floor, slope) = match straight_line(&missing) {
            Some(line) if line.slope >= 0.0 => (line.intercept, line.slope),
            _ => (level(&missing, |(_, y, _)| *y)?, 0.0),
        };
        let misfit = missing.iter().map(|(x, y, weight)| weight * (y - floor - slope * x).powi(2)).sum();
        Some(Self { floor, slope, at, misfit })
    }
}

/// Weights for columns of values, one column per x, in order: the inverse of a value's variance.
///
/// Variances from few values are unreliable: each is averaged with its neighbours', and is at least a thousandth of the
/// median. Weights are equal if there is no variance at all.
pub(super) fn weights(columns: &[Vec<f64>]) -> Vec<f64> {
    const LEAST_SHARE: f64 = 1e-3;
    let own: Vec<Option<f64>> = columns.iter().map(|column| variance(column)).collect();
    let smooth: Vec<Option<f64>> = (0..own.len())
        .map(|i| {
            let near = &own[i.saturating_sub(1)..(i + 2).min(own.len())];
            mean(&near.iter().copied().flatten().collect::<Vec<f64>>())
        })
        .collect();
    let typical = median(smooth.iter().copied().flatten().filter(|variance| *variance > 0.0));
    let Some(typical) = typical else { return vec![1.0; columns.len()] };
    smooth.into_iter().map(|variance| typical / variance.unwrap_or(typical).max(LEAST_SHARE * typical)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hinge(x: f64, floor: f64, slope: f64, at: f64) -> f64 {
        floor + slope * (at - x).max(0.0)
    }

    proptest! {
        #[test]
        fn exact_hinges_are_recovered(floor in -5.0_f64..5.0, slope in 0.1_f64..3.0, at in 2.5_f64..6.5) {
            let points: Vec<Point> =
                (0..10).map(f64::from).map(|x| (x, hinge(x, floor, slope, at), 1.0 + x)).collect();
            let found = Hinge::fit(&points).unwrap();
            prop_assert!((found.floor - floor).abs() < 1e-6 && (found.slope - slope).abs() < 1e-6, "{:?}", found);
            prop_assert!((found.at - at).abs() < 1e-6);
        }

        #[test]
        fn no_hinge_on_a_grid_is_nearer(
            points in prop::collection::vec((-5.0_f64..5.0, 0.1_f64..4.0), 3..9),
            steps in prop::array::uniform3(0.0_f64..1.0),
        ) {
            let points: Vec<Point> = (0..).map(f64::from).zip(points).map(|(x, (y, weight))| (x, y, weight)).collect();
            let found = Hinge::fit(&points).unwrap();
            for cell in 0..200 {
                let at = steps[0] + points.len() as f64 * f64::from(cell) / 200.0;
                let (floor, slope) = (10.0 * steps[1] - 5.0, 5.0 * steps[2]);
                let misfit: f64 = points.iter().map(|(x, y, w)| w * (y - hinge(*x, floor, slope, at)).powi(2)).sum();
                prop_assert!(found.misfit <= misfit + 1e-9);
                if let Some(best) = Hinge::at(&points, at.min(points.len() as f64 - 1.0)) {
                    prop_assert!(found.misfit <= best.misfit + 1e-9, "{:?} after {:?}", best, found);
                }
            }
        }
    }
}
