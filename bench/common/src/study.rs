//! Studies of the harness: how a benchmark runs one, and what it takes from the record.
//!
//! Time per operation, ratios and differences between operations, and scaling over threads come from studies. A benchmark
//! keeps a loop of its own only for what a study does not measure, and says why there.

use std::time::Duration;

use chronoscope_harness::record::Tool;
use chronoscope_harness::record::study::{Comparison, ComparisonPoint, Estimate, StudyRecord};
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

/// The options of a study that takes so long.
pub fn options(effort: Effort) -> StudyOptions {
    StudyOptions { budget: Some(effort.budget), forks: Some(effort.processes), ..StudyOptions::default() }
}

/// Runs `study` for the benchmark called `program`.
///
/// # Errors
/// If the study cannot run, or one of its cases failed.
pub fn run(program: &str, study: &Study, effort: Effort) -> Result<StudyRecord, Failure> {
    let wish = options(effort);
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

    #[test]
    fn an_interval_stands_in_brackets() {
        let estimate = Estimate { estimate: 1.234, low: -0.001, high: 2.5, confidence: 0.999 };
        assert_eq!(show(&estimate, 2), "1.23 [0.00–2.50]");
    }
}
