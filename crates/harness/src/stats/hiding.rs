use super::bootstrap::percentile_interval;
use super::hinge::{Hinge, Point, level, weights};
use super::mean::mean_interval;
use super::random::Random;
use crate::record::study::{CostShape, Estimate};

/// Resamples for the intervals of the hinge.
const RESAMPLES: usize = 2000;
/// The curve's shape follows from the difference between its ends, each this fraction (one in this many) of it.
const END_SHARE: usize = 3;
/// A curve is constant if its whole change is known to be less than this share of the exposed cost.
const CONSTANT_SHARE: f64 = 0.5;

/// A cost as a function of backoff, with a fitted model.
///
/// # Units
/// Costs have the unit of the differences, backoffs that of the backoffs.
#[derive(Clone, Debug, PartialEq)]
pub struct Hiding {
    /// The shape of the curve.
    pub shape: CostShape,
    /// The remainder at large backoffs: past the hinge if the shape is hidden, else the mean of the last third.
    pub residual: Estimate,
    /// The backoff at which the cost has fallen to the residual. Only for a hidden shape that levels off before the
    /// largest backoff, with at least three backoffs.
    pub hidden_past: Option<Estimate>,
}

/// How a cost `forks[f][i]`, the difference b − a in fork f, depends on `backoff[i]`. None if a backoff is not finite,
/// or has no finite difference. b is the more expensive side: a shrinking gain counts as a growing cost.
///
/// Per fork, Student's t tests the weighted mean of the last third of the curve minus that of the first third: above 0
/// the cost grows, below 0 it is hidden. If hidden, the hinge d(k) = max(d∞, d0 − s·k) is fitted to the means over
/// forks by weighted least squares, with intervals from resampling forks. The weights are the inverse variances over
/// forks: differences at large backoffs scatter as much as the work itself and would drown out the others. The hinge's
/// confidence is at most 1 − 2^(1−n) for n forks.
///
/// # Guarantees
/// The same seed gives the same intervals.
///
/// # Sources
/// The hinge: D. J. Hudson, JASA 61, 1966. Intervals: T. C. Hesterberg's expanded percentiles, as for
/// [`bootstrap`](super::bootstrap()). Backoff as independent work before a fence is after A. Shipilëv's benchmarks of
/// volatile access.
///
/// # Examples
/// ```
/// use chronoscope_harness::record::study::CostShape;
/// use chronoscope_harness::stats::hiding;
///
/// // 8 ns exposed; each token hides half a nanosecond; 1 ns stays. Six forks that differ by a tenth.
/// let backoff = [0.0, 4.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0];
/// let fork = |f: u32| {
///     let cost = |(i, k): (u32, f64)| (8.0 - 0.5 * k).max(1.0) + 0.1 * f64::from((f * 5 + i * 3) % 7) - 0.3;
///     (0..).zip(backoff).map(cost).collect()
/// };
/// let found = hiding(&backoff, &(0..6).map(fork).collect::<Vec<Vec<f64>>>(), 0.95, 1).unwrap();
/// assert_eq!(found.shape, CostShape::Hidden);
/// assert!((found.residual.estimate - 1.0).abs() < 0.2);
/// assert!((found.hidden_past.unwrap().estimate - 14.0).abs() < 1.0);
/// ```
pub fn hiding(backoff: &[f64], forks: &[Vec<f64>], confidence: f64, seed: u64) -> Option<Hiding> {
    if !backoff.iter().all(|backoff| backoff.is_finite()) {
        return None;
    }
    let cell = |fork: &[f64], i: usize| fork.get(i).copied().filter(|value| value.is_finite());
    let column = |i: usize| forks.iter().filter_map(|fork| cell(fork, i)).collect::<Vec<f64>>();
    // In order of backoff below this line.
    let mut order: Vec<usize> = (0..backoff.len()).collect();
    order.sort_by(|a, b| backoff[*a].total_cmp(&backoff[*b]));
    let columns: Vec<Vec<f64>> = order.iter().map(|i| column(*i)).collect();
    let exposed = mean_interval(columns.first()?, confidence)?;
    if columns.iter().any(Vec::is_empty) {
        return None;
    }
    let weights = weights(&columns);
    let rows: Vec<Vec<Option<f64>>> =
        forks.iter().map(|fork| order.iter().map(|i| cell(fork, *i)).collect::<Vec<_>>()).collect();
    let rows: Vec<Vec<Option<f64>>> = rows.into_iter().filter(|row| row.iter().any(Option::is_some)).collect();

    let end = (order.len() / END_SHARE).max(1);
    let part = |row: &[Option<f64>], from: usize, to: usize| {
        let points: Vec<Point> = (from..to).filter_map(|i| Some((0.0, row[i]?, weights[i]))).collect();
        level(&points)
    };
    let last = |row: &Vec<Option<f64>>| part(row, order.len() - end, order.len());
    let changes: Vec<f64> = rows.iter().filter_map(|row| Some(last(row)? - part(row, 0, end)?)).collect();
    let shape = match mean_interval(&changes, confidence) {
        Some(change) if order.len() > 1 => shape(&change, &exposed),
        _ => CostShape::Unresolved,
    };
    let ends: Vec<f64> = rows.iter().filter_map(last).collect();
    let at: Vec<f64> = order.iter().map(|i| backoff[*i]).collect();
    let hinge =
        if shape == CostShape::Hidden && at.len() >= 3 { fit(&at, &weights, &rows, confidence, seed) } else { None };
    let (residual, hidden_past) = match hinge {
        Some((residual, hidden_past)) => (residual, hidden_past),
        None => (mean_interval(&ends, confidence)?, None),
    };
    Some(Hiding { shape, residual, hidden_past })
}

fn shape(change: &Estimate, exposed: &Estimate) -> CostShape {
    let limit = CONSTANT_SHARE * exposed.estimate.abs();
    let costs = exposed.low > 0.0 || exposed.high < 0.0;
    if change.confidence <= 0.0 {
        CostShape::Unresolved
    } else if change.low > 0.0 {
        CostShape::Growing
    } else if change.high < 0.0 {
        CostShape::Hidden
    } else if costs && -limit < change.low && change.high < limit {
        CostShape::Constant
    } else {
        CostShape::Unresolved
    }
}

/// The residual and where the curve reaches it, with intervals over forks.
fn fit(
    at: &[f64],
    weights: &[f64],
    rows: &[Vec<Option<f64>>],
    confidence: f64,
    seed: u64,
) -> Option<(Estimate, Option<Estimate>)> {
    let hinge = |drawn: &[usize]| {
        let points: Vec<Point> = (0..at.len())
            .filter_map(|i| {
                let cells: Vec<Point> = drawn.iter().filter_map(|fork| Some((0.0, rows[*fork][i]?, 1.0))).collect();
                // A backoff that fewer forks reached has less weight.
                let weight = weights[i] * cells.len() as f64 / drawn.len() as f64;
                Some((at[i], level(&cells)?, weight))
            })
            .collect();
        Hinge::fit(&points).filter(|hinge| hinge.slope > 0.0)
    };
    let everyone: Vec<usize> = (0..rows.len()).collect();
    let whole = hinge(&everyone)?;
    let mut random = Random::new(seed);
    let (mut floors, mut ends) = (Vec::with_capacity(RESAMPLES), Vec::with_capacity(RESAMPLES));
    for _ in 0..RESAMPLES {
        let drawn: Vec<usize> = everyone.iter().map(|_| random.below(rows.len())).collect();
        if let Some(found) = hinge(&drawn) {
            floors.push(found.floor);
            ends.push(found.at);
        }
    }
    let residual = percentile_interval(whole.floor, floors, confidence, rows.len());
    let levels_off = at.last().is_some_and(|largest| whole.at < *largest);
    Some((residual, levels_off.then(|| percentile_interval(whole.at, ends, confidence, rows.len()))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BACKOFF: [f64; 12] = [1.0, 2.0, 4.0, 8.0, 16.0, 24.0, 32.0, 48.0, 64.0, 128.0, 256.0, 512.0];

    /// Forks around a curve, with noise that grows with the backoff, like that of the work itself.
    fn forks(random: &mut Random, count: usize, noise: f64, curve: impl Fn(f64) -> f64) -> Vec<Vec<f64>> {
        (0..count)
            .map(|_| BACKOFF.iter().map(|k| curve(*k) + (noise + 0.005 * k) * random.normal()).collect())
            .collect()
    }

    #[test]
    fn a_hinge_is_recovered_beneath_growing_noise() {
        let mut random = Random::new(101);
        let (mut residuals, mut ends, runs) = (0, 0, 20);
        for seed in 0..runs {
            let forks = forks(&mut random, 8, 0.3, |k| (20.0 - 0.5 * k).max(2.0));
            let found = hiding(&BACKOFF, &forks, 0.95, seed).unwrap();
            assert_eq!(found.shape, CostShape::Hidden);
            let past = found.hidden_past.unwrap();
            assert!((found.residual.estimate - 2.0).abs() < 1.0 && (past.estimate - 36.0).abs() < 4.0, "{found:?}");
            residuals += u32::from(found.residual.low <= 2.0 && 2.0 <= found.residual.high);
            ends += u32::from(past.low <= 36.0 && 36.0 <= past.high);
        }
        assert!(residuals >= 17 && ends >= 17, "{residuals} and {ends} of {runs}");
    }

    #[test]
    fn each_shape_is_told() {
        let mut random = Random::new(102);
        let mut told = |noise: f64, curve: &dyn Fn(f64) -> f64, shape: CostShape| {
            let hits = (0..12)
                .filter(|seed| {
                    hiding(&BACKOFF, &forks(&mut random, 6, noise, curve), 0.95, *seed).unwrap().shape == shape
                })
                .count();
            assert!(hits >= 10, "{hits} of 12 {shape:?}");
        };
        told(0.3, &|_| 22.0, CostShape::Constant);
        told(0.3, &|k| 22.0 + 2.0 * k.log2(), CostShape::Growing);
        told(0.3, &|k| (22.0 - k).max(0.0), CostShape::Hidden);
        told(0.3, &|_| 0.0, CostShape::Unresolved);
        told(100.0, &|k| (22.0 - k).max(0.0), CostShape::Unresolved);
    }

    #[test]
    fn a_fall_to_the_last_backoff_has_no_end() {
        let forks: Vec<Vec<f64>> =
            [0.0, 0.1, 0.2, 0.1].map(|f| (0..6).map(|k| 20.0 + f - f64::from(k)).collect()).to_vec();
        let found = hiding(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], &forks, 0.8, 1).unwrap();
        assert_eq!((found.shape, found.hidden_past), (CostShape::Hidden, None));
        assert!((found.residual.estimate - 15.1).abs() < 1e-6);
    }

    #[test]
    fn two_backoffs_have_a_shape_but_no_hinge() {
        let forks = vec![vec![8.0, 1.0], vec![8.1, 1.2], vec![7.9, 1.1]];
        let found = hiding(&[1.0, 100.0], &forks, 0.95, 1).unwrap();
        assert_eq!((found.shape, found.hidden_past), (CostShape::Hidden, None));
        assert!((found.residual.estimate - 1.1).abs() < 1e-9);
        let turned: Vec<Vec<f64>> = forks.iter().map(|fork| vec![fork[1], fork[0]]).collect();
        let other = hiding(&[100.0, 1.0], &turned, 0.95, 1).unwrap();
        assert_eq!(other, found, "in whatever order the backoffs come");
    }

    #[test]
    fn too_little_is_unresolved_or_none() {
        let one = hiding(&BACKOFF, &[vec![5.0; 12]], 0.95, 1).unwrap();
        assert_eq!((one.shape, one.residual.confidence), (CostShape::Unresolved, 0.0));
        let single = hiding(&[1.0], &[vec![5.0], vec![5.1]], 0.95, 1).unwrap();
        assert_eq!(single.shape, CostShape::Unresolved);
        assert_eq!(hiding(&[], &[], 0.95, 1), None);
        assert_eq!(hiding(&[1.0, 2.0], &[vec![1.0], vec![1.0, f64::NAN]], 0.95, 1), None);
        assert_eq!(hiding(&[f64::NAN], &[vec![1.0]], 0.95, 1), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn nothing_panics(
            backoff in prop::collection::vec(prop_oneof![0.0_f64..1e6, any::<f64>()], 0..5),
            forks in prop::collection::vec(prop::collection::vec(any::<f64>(), 0..6), 0..5),
        ) {
            let _ = hiding(&backoff, &forks, 0.95, 7);
        }
    }
}
