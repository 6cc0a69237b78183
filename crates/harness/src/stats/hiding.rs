//! Whether backoff hides a cost: the shape of cost over backoff.

use super::hinge::{Hinge, weights};
use super::line::{Point, level};
use super::median::median_interval;
use crate::record::study::{CostShape, Estimate};

/// The cost has levelled off if so many backoffs lie past the interval of the hinge: fewer fit any straight fall.
const LEVEL_POINTS: usize = 3;
/// The curve's ends, whose difference tells its shape, are this share of it each.
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
    /// The backoff at which the cost has come down to the residual. Only for a hidden shape that is known to level off: with
    /// three backoffs past the upper end of this interval.
    pub hidden_past: Option<Estimate>,
}

/// How a cost `processes[p][i]`, the difference b − a in process p, depends on `backoff[i]`. None if a backoff is not finite, or
/// without a process that has a finite difference at each. b is the side that costs more: a gain that is lost counts as a cost that
/// grows.
///
/// Each process gives one value of everything: the weighted mean of the last third of its curve less that of the first third
/// (above 0 it grows, below 0 it is hidden), and if it is hidden, the hinge d(k) = max(d∞, d0 − s·k) fitted by weighted least
/// squares. Estimates are medians over processes with the intervals of their order statistics. The weights are the inverse
/// variances over processes: differences at large backoffs scatter by as much as the work itself does, and would drown the
/// others.
///
/// # Sources
/// The hinge: D. J. Hudson, JASA 61, 1966. Intervals: W. R. Thompson, 1936, as for
/// [`median_interval`](super::median_interval()). Backoff as independent work before a fence is after A. Shipilëv's
/// benchmarks of volatile access.
///
/// # Examples
/// ```
/// use chronoscope_harness::record::study::CostShape;
/// use chronoscope_harness::stats::hiding;
///
/// // 8 ns exposed; each token hides half a nanosecond; 1 ns stays. Eight processes that differ by a tenth.
/// let backoff = [0.0, 4.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0];
/// let process = |p: u32| {
///     let cost = |(i, k): (u32, f64)| (8.0 - 0.5 * k).max(1.0) + 0.1 * f64::from((p * 5 + i * 3) % 7) - 0.3;
///     (0..).zip(backoff).map(cost).collect()
/// };
/// let found = hiding(&backoff, &(0..8).map(process).collect::<Vec<Vec<f64>>>(), 0.95).unwrap();
/// assert_eq!(found.shape, CostShape::Hidden);
/// assert!((found.residual.estimate - 1.0).abs() < 0.2);
/// assert!((found.hidden_past.unwrap().estimate - 14.0).abs() < 1.0);
/// ```
pub fn hiding(backoff: &[f64], processes: &[Vec<f64>], confidence: f64) -> Option<Hiding> {
    let are_finite = |values: &[f64]| values.len() == backoff.len() && values.iter().all(|value| value.is_finite());
    // From here on in the order of backoff.
    let mut order: Vec<usize> = (0..backoff.len()).filter(|_| are_finite(backoff)).collect();
    order.sort_by(|a, b| backoff[*a].total_cmp(&backoff[*b]));
    let whole: Vec<&Vec<f64>> = processes.iter().filter(|process| are_finite(process)).collect();
    let columns: Vec<Vec<f64>> = order.iter().map(|i| whole.iter().map(|process| process[*i]).collect()).collect();
    let exposed = median_interval(columns.first()?, confidence)?;
    let weights = weights(&columns);
    let point = |process: &[f64], (i, weight): (&usize, &f64)| (backoff[*i], process[*i], *weight);
    let curve = |process: &&Vec<f64>| order.iter().zip(&weights).map(|of| point(process, of)).collect();
    let curves: Vec<Vec<Point>> = whole.iter().map(curve).collect();
    let end = (order.len() / END_SHARE).max(1);
    let cost = |(_, cost, _): &Point| *cost;
    let last = |curve: &Vec<Point>| level(&curve[curve.len() - end..], cost);
    let changes = curves.iter().filter_map(|curve| Some(last(curve)? - level(&curve[..end], cost)?));
    let shape = match median_interval(changes, confidence) {
        Some(change) if order.len() > 1 => shape(&change, &exposed),
        _ => CostShape::Unresolved,
    };
    let hinge = if shape == CostShape::Hidden { hinge(&curves, confidence) } else { None };
    let (residual, hidden_past) = match hinge {
        Some((residual, hidden_past)) => (residual, Some(hidden_past)),
        None => (median_interval(curves.iter().filter_map(last), confidence)?, None),
    };
    Some(Hiding { shape, residual, hidden_past })
}

fn shape(change: &Estimate, exposed: &Estimate) -> CostShape {
    let limit = CONSTANT_SHARE * exposed.estimate.abs();
    let costs = exposed.low > 0.0 || exposed.high < 0.0;
    if !change.has_confidence() {
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

/// The residual and where the curves reach it. None unless they are known to level off.
fn hinge(curves: &[Vec<Point>], confidence: f64) -> Option<(Estimate, Estimate)> {
    let hinges: Vec<Hinge> = curves.iter().filter_map(|curve| Hinge::fit(curve)).collect();
    let past = median_interval(hinges.iter().map(|hinge| hinge.at), confidence)?;
    let points = curves.first()?;
    let (level_from, ..) = points[points.len().checked_sub(LEVEL_POINTS)?];
    let floor = median_interval(hinges.iter().map(|hinge| hinge.floor), confidence)?;
    (past.high <= level_from).then_some((floor, past))
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;
    use proptest::prelude::*;

    const BACKOFF: [f64; 12] = [1.0, 2.0, 4.0, 8.0, 16.0, 24.0, 32.0, 48.0, 64.0, 128.0, 256.0, 512.0];

    /// Processes around a curve, with noise that grows with the backoff, like that of the work itself.
    fn processes(random: &mut Random, count: usize, noise: f64, curve: impl Fn(f64) -> f64) -> Vec<Vec<f64>> {
        (0..count)
            .map(|_| BACKOFF.iter().map(|k| curve(*k) + (noise + 0.005 * k) * random.normal()).collect())
            .collect()
    }

    #[test]
    fn a_hinge_is_recovered_beneath_growing_noise() {
        let mut random = Random::new(101);
        let (mut residuals, mut ends, runs) = (0, 0, 20);
        for _ in 0..runs {
            let processes = processes(&mut random, 12, 0.3, |k| (20.0 - 0.5 * k).max(2.0));
            let found = hiding(&BACKOFF, &processes, 0.95).unwrap();
            assert_eq!(found.shape, CostShape::Hidden);
            let past = found.hidden_past.unwrap();
            assert!((found.residual.estimate - 2.0).abs() < 1.0 && (past.estimate - 36.0).abs() < 4.0, "{found:?}");
            residuals += u32::from(found.residual.low <= 2.0 && 2.0 <= found.residual.high);
            ends += u32::from(past.low <= 36.0 && 36.0 <= past.high);
        }
        assert!(residuals >= 18 && ends >= 18, "{residuals}, {ends}");
    }

    #[test]
    fn each_shape_is_told() {
        let mut random = Random::new(102);
        let mut told = |noise: f64, curve: &dyn Fn(f64) -> f64, shape: CostShape| {
            let hits = (0..12)
                .filter(|_| hiding(&BACKOFF, &processes(&mut random, 6, noise, curve), 0.95).unwrap().shape == shape)
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
        let processes: Vec<Vec<f64>> =
            [0.0, 0.1, 0.2, 0.1, 0.1, 0.1].map(|f| (0..6).map(|k| 20.0 + f - f64::from(k)).collect()).to_vec();
        let found = hiding(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], &processes, 0.95).unwrap();
        assert_eq!((found.shape, found.hidden_past), (CostShape::Hidden, None));
        assert!((found.residual.estimate - 15.6).abs() < 1e-6);
    }

    #[test]
    fn a_straight_fall_beneath_noise_has_no_end() {
        let mut random = Random::new(103);
        let ended = (0..60)
            .filter(|run| {
                let slope = 18.0 / 512.0 * (1.0 + f64::from(run % 3) / 10.0);
                let processes = processes(&mut random, 12, 0.3, |k| 20.0 - slope * k);
                hiding(&BACKOFF, &processes, 0.999).unwrap().hidden_past.is_some()
            })
            .count();
        assert_eq!(ended, 0);
    }

    #[test]
    fn two_backoffs_have_a_shape_but_no_hinge() {
        let processes: Vec<Vec<f64>> = [1.0, 1.2, 1.1, 1.1, 1.0, 1.2].map(|left| vec![7.0 + left, left]).to_vec();
        let found = hiding(&[1.0, 100.0], &processes, 0.95).unwrap();
        assert_eq!((found.shape, found.hidden_past), (CostShape::Hidden, None));
        assert!((found.residual.estimate - 1.1).abs() < 1e-9);
        let turned: Vec<Vec<f64>> = processes.iter().map(|process| vec![process[1], process[0]]).collect();
        let other = hiding(&[100.0, 1.0], &turned, 0.95).unwrap();
        assert_eq!(other, found);
    }

    #[test]
    fn too_little_is_unresolved_or_none() {
        let one = hiding(&BACKOFF, &[vec![5.0; 12]], 0.95).unwrap();
        assert_eq!((one.shape, one.residual.confidence), (CostShape::Unresolved, 0.0));
        let single = hiding(&[1.0], &[vec![5.0], vec![5.1]], 0.95).unwrap();
        assert_eq!(single.shape, CostShape::Unresolved);
        assert_eq!(hiding(&[], &[], 0.95), None);
        assert_eq!(hiding(&[1.0, 2.0], &[vec![1.0], vec![1.0, f64::NAN]], 0.95), None);
        assert_eq!(hiding(&[f64::NAN], &[vec![1.0]], 0.95), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn nothing_panics(
            backoff in prop::collection::vec(prop_oneof![0.0_f64..1e6, any::<f64>()], 0..5),
            processes in prop::collection::vec(prop::collection::vec(any::<f64>(), 0..6), 0..5),
        ) {
            let _ = hiding(&backoff, &processes, 0.95);
        }
    }
}
