//! Two operations that never settle, compared call by call: no single ratio says how they compare.

use chronoscope_harness::quantity::RATIO;
use chronoscope_harness::record::study::{Estimate, StudyRecord};
use chronoscope_harness::stats::median_interval;
use chronoscope_render::text::count;

use super::cases::{CALLS, IN_DECIMAL, TIMED_OUTSIDE};
use super::growth::{around, batches_of, mean};
use super::says::CURVE;
use crate::{Block, Panel, Series, Spot, Unit, Value};

/// The batches of both operations, by the processes that made both.
pub(super) struct Rivals {
    pairs: Vec<[Vec<f64>; 2]>,
    confidence: f64,
}

/// How the two compare at a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Compared {
    call: u64,
    binary_ns: Estimate,
    decimal_ns: Estimate,
    /// Of pairs in the same process: decimal less binary, and over it.
    difference_ns: Estimate,
    ratio: Estimate,
}

impl Rivals {
    /// None where one of the two was not measured.
    pub(super) fn of(record: &StudyRecord) -> Option<Self> {
        let decimal = batches_of(record, IN_DECIMAL);
        let pair = |(process, binary): (u32, Vec<f64>)| {
            let (_, decimal) = decimal.iter().find(|(other, _)| *other == process)?;
            Some([binary, decimal.clone()])
        };
        let pairs: Vec<_> = batches_of(record, TIMED_OUTSIDE).into_iter().filter_map(pair).collect();
        (!pairs.is_empty()).then(|| Self { pairs, confidence: record.study().plan.confidence })
    }

    /// The batches that every process made of both.
    fn batches(&self) -> usize {
        self.pairs.iter().flatten().map(Vec::len).min().unwrap_or(0)
    }

    fn at(&self, call: u64) -> Option<Compared> {
        let range = around(call, self.batches())?;
        let over = |figure: fn([f64; 2]) -> f64| {
            let of_pair = |pair: &[Vec<f64>; 2]| Some(figure([mean(&pair[0], &range)?, mean(&pair[1], &range)?]));
            median_interval(self.pairs.iter().map(of_pair).collect::<Option<Vec<f64>>>()?, self.confidence)
        };
        Some(Compared {
            call,
            binary_ns: over(|[binary, _]| binary)?,
            decimal_ns: over(|[_, decimal]| decimal)?,
            difference_ns: over(|[binary, decimal]| decimal - binary)?,
            ratio: over(|[binary, decimal]| decimal / binary)?,
        })
    }

    /// At the calls of the curve that every process made of both, and at the last.
    pub(super) fn compared(&self) -> Vec<Compared> {
        let calls = self.batches() as u64 * CALLS;
        let shown = CURVE.into_iter().filter(|call| *call < calls).chain(calls.checked_sub(1));
        shown.filter_map(|call| self.at(call)).collect()
    }
}

/// The table, and what it says.
pub(super) fn say(block: &mut Block, compared: &[Compared]) {
    if compared.is_empty() {
        return;
    }
    let row = |one: &Compared| {
        vec![
            Value::Count(one.call),
            Value::Ns(one.binary_ns),
            Value::Ns(one.decimal_ns),
            Value::DifferenceNs(one.difference_ns),
            Value::Factor(one.ratio),
        ]
    };
    let columns = ["call", "binary", "decimal", "difference", "decimal / binary"];
    block.table(
        "Two operations that never settle: the next number in binary and in decimal, in the same processes",
        &columns,
        compared.iter().map(row).collect(),
    );
    block.conclude(verdict(compared));
}

/// What can be said of two operations without a steady state.
fn verdict(compared: &[Compared]) -> String {
    let known: Vec<&Compared> = compared.iter().filter(|one| one.ratio.has_confidence()).collect();
    let slower = known.iter().filter(|one| one.ratio.low > 1.0).count();
    let faster = known.iter().filter(|one| one.ratio.high < 1.0).count();
    // Where any call tells the two apart, those that do not are not quoted.
    let differ = |one: &&&Compared| slower + faster == 0 || one.ratio.low > 1.0 || one.ratio.high < 1.0;
    let told = || known.iter().filter(differ);
    let (Some(first), Some(last)) = (told().next(), told().next_back()) else {
        return "too few processes to compare the two call by call".to_owned();
    };
    let at = |one: &Compared| format!("{} at call {}", RATIO.amount(&one.ratio), count(one.call));
    let ends = format!("{}, {}", at(first), at(last));
    let has_moved = first.ratio.high < last.ratio.low || last.ratio.high < first.ratio.low;
    let no_number = if has_moved { ": no single ratio compares operations that never settle" } else { "" };
    match (slower, faster) {
        (0, 0) => format!("at no call do the two differ by more than their intervals: {ends}"),
        (1.., 1..) => format!("which of the two is faster depends on the call: {ends}{no_number}"),
        (all, 0) if all == known.len() => format!("decimal takes longer at every call compared: {ends}{no_number}"),
        (0, all) if all == known.len() => format!("decimal takes less time at every call compared: {ends}{no_number}"),
        (some, 0) => format!("decimal takes longer at {some} of {} calls: {ends}{no_number}", known.len()),
        (_, some) => format!("decimal takes less time at {some} of {} calls: {ends}{no_number}", known.len()),
    }
}

/// Decimal less binary over the index of the call, with the interval of pairs; None where nothing was compared.
pub(super) fn panel(compared: &[Compared]) -> Option<Panel> {
    let points = compared.iter().map(|one| Some(Spot::new(one.call as f64, one.difference_ns)));
    let series = Series::of("decimal less binary", points);
    let title = "the next number in decimal less that in binary, of the same process";
    (!compared.is_empty()).then(|| Panel::over("index of the call", title, Unit::DifferenceNs, vec![series]))
}

#[cfg(test)]
mod tests {
    use chronoscope_harness::record::study::Steadiness;

    use super::*;
    use crate::synthetic::{record, series};

    /// Binary takes 50 ns and a hundredth more per call; decimal 40 ns and `slope` more.
    fn rivals(slope: f64) -> Vec<Compared> {
        let batches = |a: f64, b: f64| -> Vec<f64> {
            (0..4_000).map(|batch| a + b * (f64::from(batch) + 0.5) * CALLS as f64).collect()
        };
        let mut made = record(&[0], &[1]);
        made.content.study.cells.push(series(TIMED_OUTSIDE, &batches(50.0, 0.01), Steadiness::default()));
        made.content.study.cells.push(series(IN_DECIMAL, &batches(40.0, slope), Steadiness::default()));
        Rivals::of(&made).unwrap().compared()
    }

    #[test]
    fn curves_are_compared_call_by_call() {
        let found = rivals(0.03);
        let at = |call: u64| *found.iter().find(|one| one.call == call).unwrap();
        assert!((at(100_000).difference_ns.estimate - 1_990.0).abs() < 30.0, "{:?}", at(100_000));
        assert!((at(100_000).ratio.estimate - 3_040.0 / 1_050.0).abs() < 0.05);
        // At the first calls decimal is the faster one.
        assert!(verdict(&found).starts_with("which of the two is faster depends on the call: "), "{}", verdict(&found));
        assert!(verdict(&found).ends_with("no single ratio compares operations that never settle"));
    }

    #[test]
    fn a_verdict_follows_the_ratios() {
        assert!(verdict(&rivals(0.001)).starts_with("decimal takes less time at every call compared"));
        assert_eq!(verdict(&[]), "too few processes to compare the two call by call");
        let alone = record(&[0], &[1]);
        assert!(Rivals::of(&alone).is_none(), "records of older versions have one operation");
    }

    #[test]
    fn differences_are_those_of_pairs() {
        // Processes differ by far more than the two operations in each.
        let pairs =
            (1..=12).map(|process| [vec![f64::from(process) * 100.0; 40], vec![f64::from(process) * 100.0 + 7.0; 40]]);
        let rivals = Rivals { pairs: pairs.collect(), confidence: 0.99 };
        let found = rivals.at(100).unwrap();
        assert_eq!((found.difference_ns.estimate, found.difference_ns.low, found.difference_ns.high), (7.0, 7.0, 7.0));
    }
}
