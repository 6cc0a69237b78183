use std::ops::Range;

use chronoscope_harness::record::study::{CellProcess, Estimate, StudyRecord};
use chronoscope_harness::stats::{median_interval, straight_line};

use super::cases::{CALLS, TIMED_OUTSIDE};

/// A line is fitted to the medians of this many blocks.
const BLOCKS: usize = 200;

/// How the time per call develops, in each process.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Growth {
    /// Nanoseconds per call of each batch; one series per process.
    series: Vec<Vec<f64>>,
    confidence: f64,
}

/// A straight line fitted to the time per call over the call's index.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Line {
    /// Nanoseconds at call 0.
    pub(super) a_ns: Estimate,
    /// The increase per call, in nanoseconds.
    pub(super) b_ns: Estimate,
    /// The share of the medians' variance that the line explains, the lowest of all processes.
    pub(super) r_squared: f64,
    /// How many medians it is fitted to, the fewest of all processes.
    pub(super) medians: usize,
    /// The mean time of a call according to the line, in nanoseconds, over the calls made by every process.
    pub(super) mean_ns: f64,
}

impl Line {
    /// How far the time at call 0 may be off: to the further end of its interval.
    pub(super) fn a_reach_ns(&self) -> f64 {
        (self.a_ns.estimate - self.a_ns.low).max(self.a_ns.high - self.a_ns.estimate)
    }

    /// The line is not informative before this call: up to it, the line grows by less than the time at call 0 may be off. Three
    /// digits of it, rounded up. None where the slope is not resolved.
    pub(super) fn vague_before(&self) -> Option<u64> {
        let is_resolved = self.b_ns.has_confidence() && self.b_ns.low > 0.0;
        let calls = self.a_reach_ns() / self.b_ns.estimate;
        let step = 10_f64.powf((calls.log10().floor() - 2.0).max(0.0));
        is_resolved.then(|| ((calls / step).ceil() * step) as u64)
    }
}

impl Growth {
    pub(super) fn of(record: &StudyRecord) -> Self {
        let series = batches_of(record, TIMED_OUTSIDE).into_iter().map(|(_, series)| series).collect();
        Self::new(series, record.study().plan.confidence)
    }

    pub(super) fn new(series: Vec<Vec<f64>>, confidence: f64) -> Self {
        Self { series, confidence }
    }

    /// The number of batches made by every process.
    fn batches(&self) -> usize {
        self.series.iter().map(Vec::len).min().unwrap_or(0)
    }

    /// The number of calls made by every process.
    pub(super) fn calls(&self) -> u64 {
        self.batches() as u64 * CALLS
    }

    /// The mean time of calls that begin within the first `window_ns` of a process; None if a process did not run that
    /// long.
    pub(super) fn mean_of_window(&self, window_ns: f64) -> Option<Estimate> {
        self.over(|series| {
            let mut sum = 0.0;
            let until = series.iter().position(|ns| {
                sum += ns * CALLS as f64;
                sum >= window_ns
            });
            Some(sum / ((until? + 1) as f64 * CALLS as f64))
        })
    }

    /// The mean time of the first `calls` calls.
    pub(super) fn mean_of_first(&self, calls: u64) -> Option<Estimate> {
        self.mean_of(0, batch_of(calls).max(1))
    }

    /// The mean time of the batch that contains call `index`.
    pub(super) fn at(&self, index: u64) -> Option<Estimate> {
        let range = around(index, self.batches())?;
        self.mean_of(range.start, range.end)
    }

    /// The mean time of the calls made by every process.
    pub(super) fn mean(&self) -> Option<Estimate> {
        if self.batches() > 0 { self.mean_of(0, self.batches()) } else { None }
    }

    /// The mean over batches `from..to`; the median would hide the longer calls.
    fn mean_of(&self, from: usize, to: usize) -> Option<Estimate> {
        self.over(|series| mean(series, &(from..to)))
    }

    /// A figure of each process, with the interval of their median: that of processes, not of calls.
    fn over(&self, figure: impl Fn(&[f64]) -> Option<f64>) -> Option<Estimate> {
        let figures: Option<Vec<f64>> = self.series.iter().map(|series| figure(series)).collect();
        median_interval(&figures?, self.confidence)
    }

    /// The line, fitted in each process to medians of neighbouring batches, since a preemption is not part of a call's
    /// time.
    pub(super) fn line(&self) -> Option<Line> {
        let fit = |series: &[f64]| straight_line(&blocks(series));
        let a_ns = self.over(|series| Some(fit(series)?.intercept))?;
        let b_ns = self.over(|series| Some(fit(series)?.slope))?;
        let r_squared = self.series.iter().filter_map(|series| Some(fit(series)?.r_squared));
        Some(Line {
            a_ns,
            b_ns,
            r_squared: r_squared.fold(f64::INFINITY, f64::min),
            medians: self.series.iter().map(|series| blocks(series).len()).min()?,
            // A line's mean is its value at the midpoint.
            mean_ns: a_ns.estimate + b_ns.estimate * self.calls() as f64 / 2.0,
        })
    }
}

/// Nanoseconds per call of each batch of a case, by process; none of a process that made no batch.
pub(super) fn batches_of(record: &StudyRecord, case: &str) -> Vec<(u32, Vec<f64>)> {
    let processes = record.cell(case, 0, 1).map(|cell| cell.processes.as_slice()).unwrap_or_default();
    let batches = |process: &CellProcess| {
        let iterations = process.iterations.iter();
        (process.process, iterations.flat_map(|iteration| iteration.batches_ns.clone()).collect())
    };
    processes.iter().map(batches).filter(|(_, batches): &(u32, Vec<f64>)| !batches.is_empty()).collect()
}

/// The batch of so many that contains a call, and a few neighbours, so that one preemption does not dominate; the last calls have fewer. None
/// for a call that was not made.
pub(super) fn around(call: u64, batches: usize) -> Option<Range<usize>> {
    let batch = batch_of(call);
    let neighbours = batch / 20;
    let to = batches.min(batch.saturating_add(neighbours).saturating_add(1));
    (batch < to).then(|| batch.saturating_sub(neighbours)..to)
}

/// The mean over these batches, if all were made.
pub(super) fn mean(series: &[f64], range: &Range<usize>) -> Option<f64> {
    Some(series.get(range.clone())?.iter().sum::<f64>() / range.len() as f64)
}

/// The batch that contains a call.
fn batch_of(call: u64) -> usize {
    usize::try_from(call / CALLS).unwrap_or(usize::MAX)
}

/// Medians of equal blocks of batches, over the index of the middle call; all count the same.
fn blocks(series: &[f64]) -> Vec<(f64, f64, f64)> {
    let size = series.len().div_ceil(BLOCKS).max(1);
    let block = |(i, batches): (usize, &[f64])| {
        let mut sorted = batches.to_vec();
        sorted.sort_by(f64::total_cmp);
        let middle = (i * size) as f64 + batches.len() as f64 / 2.0;
        (middle * CALLS as f64, sorted[sorted.len() / 2], 1.0)
    };
    series.chunks(size).enumerate().map(block).collect()
}
