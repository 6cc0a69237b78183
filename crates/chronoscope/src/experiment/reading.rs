//! Finds things in a record.

use crate::record::study::{Cell, Comparison, ComparisonPoint, Estimate, StudyRecord};
use chronoscope_harness::stats::{Interval, mean_interval};

/// A record that is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading<'a>(pub(crate) &'a StudyRecord);

impl<'a> Reading<'a> {
    /// The cell of `case` at so many tokens and threads.
    pub(crate) fn cell(self, case: &str, tokens: u64, threads: u32) -> Option<&'a Cell> {
        let mut cells = self.0.cells.iter();
        cells.find(|cell| cell.case == case && cell.backoff_tokens == tokens && cell.threads == threads)
    }

    /// The cell of `case` with this value of a parameter, at so many threads.
    pub(crate) fn with(self, case: &str, parameter: &str, value: &str, threads: u32) -> Option<&'a Cell> {
        self.0.cells.iter().find(|cell| {
            let is_value = cell.parameters.get(parameter).is_some_and(|found| found == value);
            cell.case == case && cell.threads == threads && is_value
        })
    }

    /// The time per operation.
    pub(crate) fn time(self, case: &str, tokens: u64, threads: u32) -> Option<Estimate> {
        self.cell(case, tokens, threads)?.time_ns
    }

    /// The comparison of two cases.
    pub(crate) fn comparison(self, case: &str, baseline: &str, threads: u32) -> Option<&'a Comparison> {
        let mut all = self.0.comparisons.iter();
        all.find(|found| found.case == case && found.baseline == baseline && found.threads == threads)
    }

    /// The comparison of two cases at so many tokens.
    pub(crate) fn point(self, case: &str, baseline: &str, tokens: u64, threads: u32) -> Option<&'a ComparisonPoint> {
        let comparison = self.comparison(case, baseline, threads)?;
        comparison.points.iter().find(|point| point.backoff_tokens == tokens)
    }

    /// What subtracting one case's time from another's gives: the mean over processes of the difference in each.
    pub(crate) fn subtracted(self, case: &str, baseline: &str, tokens: u64, threads: u32) -> Option<Estimate> {
        let (minuend, subtrahend) = (self.cell(case, tokens, threads)?, self.cell(baseline, tokens, threads)?);
        let differences: Vec<f64> = minuend
            .forks
            .iter()
            .filter_map(|fork| {
                let other = subtrahend.forks.iter().find(|other| other.fork == fork.fork)?;
                Some(fork.time_ns? - other.time_ns?)
            })
            .collect();
        mean_interval(&differences, self.0.plan.confidence).map(estimate)
    }

    /// What so many tokens take, in nanoseconds.
    pub(crate) fn tokens_ns(self, tokens: u64) -> Option<f64> {
        Some(self.0.tokens.as_ref()?.ns(tokens))
    }

    /// The CPUs that were there for threads.
    pub(crate) fn cpus(self) -> u32 {
        u32::try_from(self.0.plan.cpus.len()).unwrap_or(u32::MAX).max(1)
    }
}

/// An interval as the record holds it.
pub(crate) fn estimate(interval: Interval) -> Estimate {
    let Interval { estimate, low, high, confidence } = interval;
    Estimate { estimate, low, high, confidence }
}

/// Why a cell has no time, in words.
pub(crate) fn why_no_time(cell: Option<&Cell>) -> String {
    let Some(cell) = cell else { return "not measured".to_owned() };
    match (cell.below_ns, &cell.reason_no_time) {
        (Some(below_ns), _) => format!("< {}", chronoscope_render::text::ns(below_ns)),
        (None, Some(reason)) => reason.clone(),
        (None, None) => "not measured".to_owned(),
    }
}
