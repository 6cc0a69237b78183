//! Studies of the harness: how a benchmark runs one, and what it takes from the record.
//!
//! Time per operation, ratios and differences between operations, and scaling over threads come from studies. A benchmark
//! keeps a loop of its own only for what a study does not measure, and says why there.

use std::time::Duration;

use chronoscope_harness::record::Tool;
use chronoscope_harness::record::study::{CellProcess, Comparison, ComparisonPoint, Estimate, StudyRecord};
use chronoscope_harness::stats::median_interval;
use chronoscope_harness::{Study, StudyOptions};

use crate::failure::Failure;
use crate::spread::rounded;

/// How long a study takes.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Time for all processes together.
    pub budget: Duration,
    /// Worker processes, each of which visits every cell in every round.
    pub processes: u32,
}

/// Runs `study` for the benchmark called `program`.
///
/// # Errors
/// If the study cannot run, or one of its cases failed.
pub fn run(program: &str, study: &Study, effort: Effort) -> Result<StudyRecord, Failure> {
    let wish = StudyOptions { budget: Some(effort.budget), forks: Some(effort.processes), ..StudyOptions::default() };
    let tool = Tool { name: program.into(), version: env!("CARGO_PKG_VERSION").into() };
    let record =
        study.run(&wish, tool, &mut ()).map_err(|error| Failure::because(format!("{}: {error}", study.name())))?;
    match record.failures.first() {
        Some(failed) => Err(Failure::because(format!("{}, {}: {}", failed.case, failed.at, failed.reason))),
        None => Ok(record),
    }
}

/// How `case` compares with `baseline` where the cells are as `is_wanted` says, from visits in the same rounds; None if the
/// study did not compare them.
pub fn compared_where<'r>(
    record: &'r StudyRecord,
    case: &str,
    baseline: &str,
    is_wanted: impl Fn(&Comparison) -> bool,
) -> Option<&'r ComparisonPoint> {
    let is_of = |comparison: &&Comparison| (comparison.case.as_str(), comparison.baseline.as_str()) == (case, baseline);
    record.comparisons.iter().filter(is_of).find(|comparison| is_wanted(comparison))?.points.first()
}

/// The time of `case` over that of `baseline`, where the study sweeps nothing.
pub fn ratio(record: &StudyRecord, case: &str, baseline: &str) -> Option<Estimate> {
    compared_where(record, case, baseline, |_| true).map(|point| point.ratio)
}

/// What follows from the times of several cells, process by process: the median over processes, with its interval. `derive` is
/// given the cells' times in nanoseconds, in the order of `cells`. None if no process measured all of them.
///
/// For what compares more than two cells, or cells that differ in more than their case: a study's own comparisons do not.
pub fn over_processes(cells: &[&[CellProcess]], confidence: f64, derive: impl Fn(&[f64]) -> f64) -> Option<Estimate> {
    let time_ns = |cell: &[CellProcess], fork: u32| cell.iter().find(|other| other.fork == fork)?.time_ns;
    let of_process = |process: &CellProcess| {
        let times: Option<Vec<f64>> = cells.iter().map(|cell| time_ns(cell, process.fork)).collect();
        Some(derive(&times?))
    };
    let values: Vec<f64> = cells.first()?.iter().filter_map(of_process).collect();
    median_interval(&values, confidence).map(Estimate::from)
}

/// An estimate of so many units as one of a `part`-th of them.
pub fn divided(of: Estimate, part: f64) -> Estimate {
    let Estimate { estimate, low, high, confidence } = of;
    Estimate { estimate: estimate / part, low: low / part, high: high / part, confidence }
}

/// An estimate with its interval, with `decimals` places.
pub fn show(estimate: &Estimate, decimals: usize) -> String {
    let [middle, low, high] = [estimate.estimate, estimate.low, estimate.high].map(|value| rounded(value, decimals));
    format!("{middle} [{low}–{high}]")
}

/// What a study's numbers rest on, as a sentence.
pub fn basis(record: &StudyRecord) -> String {
    let visits = record
        .canary
        .map_or(String::new(), |canary| format!("; {} of {} visits undisturbed", canary.visits_quiet, canary.visits));
    format!(
        "{} processes, {} rounds each{visits}. Intervals in brackets: {} %, over processes.",
        record.forks.len(),
        record.plan.rounds,
        (record.plan.confidence * 1e3).round() / 10.0,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(times: &[Option<f64>]) -> Vec<CellProcess> {
        let fork = |(fork, time_ns): (usize, &Option<f64>)| CellProcess {
            fork: fork as u32,
            time_ns: *time_ns,
            ..CellProcess::default()
        };
        times.iter().enumerate().map(fork).collect()
    }

    #[test]
    fn a_process_that_lacks_a_cell_does_not_count() {
        let (one, other) = (cell(&[Some(10.0), Some(20.0), Some(90.0)]), cell(&[Some(5.0), Some(10.0), None]));
        let ratio = over_processes(&[&one, &other], 0.999, |times| times[0] / times[1]).unwrap();
        assert_eq!((ratio.estimate, ratio.low, ratio.high), (2.0, 2.0, 2.0));
        assert_eq!(over_processes(&[&one, &cell(&[None; 3])], 0.999, |times| times[0]), None);
        assert_eq!(over_processes(&[], 0.999, |_| 1.0), None);
    }

    #[test]
    fn an_interval_stands_in_brackets() {
        let estimate = Estimate { estimate: 1.234, low: -0.001, high: 2.5, confidence: 0.999 };
        assert_eq!(show(&estimate, 2), "1.23 [0.00–2.50]");
    }
}
