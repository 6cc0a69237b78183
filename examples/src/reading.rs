//! Computations on a record's figures.

use chronoscope_harness::record::study::{Cell, Estimate, StudyRecord};
use chronoscope_harness::stats::over_processes;

/// A quotient whose interval spans more than this factor is discarded.
const MOST_UNCERTAIN: f64 = 4.0;

/// One case's time less another's on one thread: the median over processes of the difference in each, no better known than
/// the clock tells both of them.
pub(crate) fn subtracted(record: &StudyRecord, case: &str, baseline: &str, tokens: u64) -> Option<Estimate> {
    let (minuend, subtrahend) = (record.cell(case, tokens, 1)?, record.cell(baseline, tokens, 1)?);
    let found = over_processes(&[minuend, subtrahend], record.study().plan.confidence, |ns| ns[0] - ns[1])?;
    Some(found.at_least(open_ns(minuend) + open_ns(subtrahend)))
}

/// What the clock leaves open of a cell's time: all of it, if that cannot be told from nothing.
fn open_ns(cell: &Cell) -> f64 {
    let of_time = cell.time_ns.map_or(0.0, |time| time.estimate * cell.clock_share_pct / 100.0);
    cell.below_ns.unwrap_or(of_time)
}

/// After an interval that has zero in it: which says neither that there is a difference nor that there is none.
pub(crate) const MAY_BE_ZERO: &str = ", which may be zero";

/// What too few processes leave open, after an estimate, which says its confidence: `, from too few processes: inconclusive`. Empty
/// where its interval has confidence.
pub(crate) fn doubt(of: &Estimate) -> String {
    match (of.has_confidence(), of.has_interval()) {
        (true, _) => String::new(),
        (false, true) => ", from too few processes: inconclusive".to_owned(),
        (false, false) => ", from a single process: inconclusive".to_owned(),
    }
}

/// The ratio of `numerator` to `denominator`. None if uncertain by more than a factor of two either way, for example
/// where the denominator may be zero: such a quotient is noise.
pub(crate) fn quotient(numerator: &Estimate, denominator: &Estimate) -> Option<Estimate> {
    let is_known =
        |found: &Estimate| found.has_confidence() && found.low > 0.0 && found.high <= found.low * MOST_UNCERTAIN;
    numerator.over(denominator).filter(is_known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::interval;

    #[test]
    fn too_few_processes_are_said() {
        let half = Estimate { confidence: 0.5, ..interval(1.9, 0.01) };
        assert_eq!(doubt(&half), ", from too few processes: inconclusive");
        assert_eq!(doubt(&Estimate::without_interval(1.9)), ", from a single process: inconclusive");
        assert_eq!(doubt(&interval(1.9, 0.01)), "");
    }

    #[test]
    fn no_quotient_is_made_of_noise() {
        let six = interval(5.9, 0.2);
        let by = |low: f64, high: f64| quotient(&six, &interval((low + high) / 2.0, (high - low) / 2.0));
        assert_eq!(by(-0.1, 0.1), None);
        assert_eq!(by(0.0, 0.1), None);
        assert_eq!(by(1e-6, 8e-6), None, "millions of times");
        let found = by(1.0, 1.2).unwrap();
        assert!((found.low - 4.75).abs() < 0.01 && (found.high - 6.1).abs() < 0.01, "{found:?}");
        let lone = Estimate::without_interval(5.9);
        assert_eq!(quotient(&lone, &interval(1.0, 0.1)), None, "one process");
    }
}
