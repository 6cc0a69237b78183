//! How far two runs of an unchanged machine differ: more than the interval within one of them says.

use chronoscope_harness::record::Estimate;
use chronoscope_harness::stats::{confidence_of_each, two_draws};

use super::report::Noise;
use crate::figures::figure::{Figure, FigureIndex};

/// With fewer runs, the usual noise of the figure is assumed.
pub const FEWEST_RUNS: usize = 3;
/// With fewer runs, noise below the usual one is not believed.
pub const MANY_RUNS: usize = 10;
/// However alike runs are: a change of this is not of interest.
const LEAST_PCT: f64 = 1.0;

/// The noise of `figure` between runs of one machine, from the figures of such `runs`, where `compared` figures are judged at once.
///
/// Runs are taken as draws of one log-normal distribution. Two of them differ by more than Student's t with n − 1 degrees allows in
/// 5 % of all cases. With ten runs or more, the confidence is that of all figures at once.
pub fn between_runs(figure: &Figure, runs: &[FigureIndex<'_>], compared: usize) -> Noise {
    let usual_pct = figure.kind.usual_noise_pct;
    let levels: Vec<f64> = runs.iter().filter_map(|run| Some(run.find(figure)?.level().estimate.ln())).collect();
    let is_many = levels.len() >= MANY_RUNS;
    let each = if is_many { compared } else { 1 };
    let apart = two_draws(&levels, confidence_of_each(Estimate::LEAST_CONFIDENCE, each));
    let Some(seen_pct) = apart.map(|apart| 100.0 * apart.exp_m1()).filter(|seen| seen.is_finite()) else {
        return Noise { band_pct: usual_pct, runs: 0 };
    };
    // Values on a grid stay where they are for long, and then step: of these, no number of runs shows less noise than usual.
    let least_pct = if is_many && figure.kind.has_interval { LEAST_PCT } else { usual_pct };
    Noise { band_pct: seen_pct.max(least_pct), runs: u32::try_from(levels.len()).unwrap_or(u32::MAX) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::figure::FigureKind;
    use crate::sections::causality::figures::SKEW;
    use crate::sections::clocks::figures::LATENCY;

    fn figure(kind: &'static FigureKind, value: f64) -> Figure {
        Figure::bare(kind, "a", value).unwrap()
    }

    fn noise(kind: &'static FigureKind, values: &[f64], compared: usize) -> Noise {
        let runs: Vec<Vec<Figure>> = values.iter().map(|value| vec![figure(kind, *value)]).collect();
        between_runs(&figure(kind, 100.0), &runs.iter().map(|run| FigureIndex::of(run)).collect::<Vec<_>>(), compared)
    }

    #[test]
    fn few_runs_only_widen_the_band() {
        assert_eq!(noise(LATENCY, &[100.0, 101.0], 1), Noise { band_pct: 10.0, runs: 0 });
        assert_eq!(noise(LATENCY, &[100.0, 100.1, 99.9], 1), Noise { band_pct: 10.0, runs: 3 });
        let noisy = noise(LATENCY, &[100.0, 110.0, 90.0], 1);
        assert!(noisy.band_pct > 50.0 && noisy.runs == 3, "{noisy:?}");
    }

    #[test]
    fn many_runs_narrow_it_as_far_as_they_are_alike() {
        let alike: Vec<f64> = (0..12).map(|run| 100.0 + 0.05 * f64::from(run % 3)).collect();
        assert_eq!(noise(LATENCY, &alike, 100), Noise { band_pct: LEAST_PCT, runs: 12 });
        let some: Vec<f64> = (0..12).map(|run| 100.0 + 0.5 * f64::from(run % 3)).collect();
        let (one, hundred) = (noise(LATENCY, &some, 1), noise(LATENCY, &some, 100));
        assert!(one.band_pct < hundred.band_pct && hundred.band_pct < 5.0, "{one:?} {hundred:?}");
        assert_eq!(noise(SKEW, &alike, 1).band_pct, 100.0, "a bound is found on a grid");
    }

    #[test]
    fn runs_without_the_figure_say_nothing() {
        let others = [vec![figure(SKEW, 1.0)], vec![], vec![], vec![]];
        let others = others.each_ref().map(|run| FigureIndex::of(run));
        assert_eq!(between_runs(&figure(LATENCY, 100.0), &others, 1).runs, 0);
        assert_eq!(noise(LATENCY, &[f64::MIN_POSITIVE, 1.0, f64::MAX], 1).runs, 0, "beyond all numbers");
    }
}
