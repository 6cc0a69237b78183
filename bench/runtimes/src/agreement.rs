//! Figures as we measured them and as a harness did, over rounds: whether the two agree.

use bench_common::{Section, Table, Value};
use chronoscope_harness::record::Estimate;
use chronoscope_harness::stats::median_interval;

use crate::language::Language;

/// Intervals hold the true median so often, or as often as so few values allow.
const CONFIDENCE: f64 = 0.95;
/// A side whose figure is more than this times its least was disturbed almost all the time, and says nothing against the
/// other.
const DISTURBED: f64 = 1.15;
/// An interval that is wider than this share of its median agrees with almost anything.
const WIDEST: f64 = 0.25;

/// What one side says of a clock in a round, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Side {
    pub(crate) ns: f64,
    /// The least of all batches or repetitions, which hardly anything disturbed; None where a side does not say.
    pub(crate) least_ns: Option<f64>,
}

/// What lies between the intervals of the two sides, as percent of the harness's median: 0 if they overlap and are narrow enough
/// to tell. In words if the machine was too busy to say.
fn apart(sides: [Estimate; 2], least_ns: [Option<f64>; 2]) -> Value {
    let [ours, theirs] = sides;
    let gap = (ours.low - theirs.high).max(theirs.low - ours.high).max(0.0) / theirs.estimate;
    let over_least = sides.iter().zip(least_ns).map(|(side, least)| least.map_or(1.0, |least| side.estimate / least));
    let disturbed = over_least.fold(1.0, f64::max);
    if gap > 0.0 && disturbed > DISTURBED {
        return format!("too busy: a figure is {disturbed:.2} × its least").into();
    }
    if gap == 0.0 && sides.iter().any(|side| (side.high - side.low) / side.estimate > WIDEST) {
        return "too busy: an interval is too wide".into();
    }
    Value::number(gap * 100.0, 1)
}

/// A row for each pair that some round has both sides of.
pub(crate) fn table(language: &Language, rounds: &[Vec<[Side; 2]>], section: &mut Section) {
    let columns = "clock | figure | its benchmark | ours ns | its ns | ours / its | apart, % | least ns, ours / its";
    let mut table = Table::new(3, columns);
    let mut note = String::new();
    for ((clock, figure, benchmark), rounds) in language.pairs.iter().zip(rounds) {
        let Some((figures, confidence)) = figures(rounds) else { continue };
        table.row([&[(*clock).into(), figure.words.into(), (*benchmark).into()], figures.as_slice()].concat());
        note = format!("Rounds: {}. In brackets: {:.1} % intervals.", rounds.len(), confidence * 100.0);
    }
    section.table(table);
    section.say(note);
}

/// With the confidence of its intervals.
fn figures(rounds: &[[Side; 2]]) -> Option<([Value; 5], f64)> {
    let interval = |of: fn(&[Side; 2]) -> f64| median_interval(rounds.iter().map(of), CONFIDENCE);
    let [ours, theirs] = [interval(|[ours, _]| ours.ns)?, interval(|[_, theirs]| theirs.ns)?];
    let ratio = interval(|[ours, theirs]| ours.ns / theirs.ns)?;
    let least_ns = [0, 1].map(|side| rounds.iter().filter_map(|round| round[side].least_ns).reduce(f64::min));
    let least = least_ns.map(|ns| ns.map_or("–".into(), |ns| format!("{ns:.2}"))).join(" / ");
    let [ours_ns, theirs_ns] = [ours, theirs].map(|ns| Value::estimate(ns, 2));
    let apart = apart([ours, theirs], least_ns);
    Some(([ours_ns, theirs_ns, Value::estimate(ratio, 3), apart, least.into()], ratio.confidence))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_must_agree_and_be_able_to_disagree() {
        let of = |low, high| Estimate { estimate: f64::midpoint(low, high), low, high, confidence: 0.95 };
        let unknown = [None, None];
        assert_eq!(apart([of(10.0, 11.0), of(11.0, 12.0)], unknown), Value::number(0.0, 1));
        assert_eq!(apart([of(10.0, 11.0), of(20.0, 21.0)], unknown), Value::number(9.0 / 20.5 * 100.0, 1));
        let busy = apart([of(10.0, 11.0), of(20.0, 21.0)], [Some(9.9), Some(10.0)]);
        assert_eq!(busy, "too busy: a figure is 2.05 × its least".into());
        assert_eq!(apart([of(5.0, 50.0), of(9.0, 10.0)], unknown), "too busy: an interval is too wide".into());
    }

    #[test]
    fn ratios_are_those_of_a_round() {
        let side = |ns: f64| Side { ns, least_ns: Some(ns - 1.0) };
        // Slow rounds are slow for both.
        let rounds: Vec<_> =
            (0..9).map(|round| f64::from(1 + round % 3) * 10.0).map(|ns| [side(ns), side(ns * 1.25)]).collect();
        let (found, _) = figures(&rounds).unwrap();
        let shown = found.map(|value| value.show());
        assert_eq!(shown[..3], ["20.00 [10.00–30.00]", "25.00 [12.50–37.50]", "0.800 [0.800–0.800]"]);
        assert_eq!(shown[4], "9.00 / 11.50");
        assert!(figures(&[]).is_none());
    }
}
