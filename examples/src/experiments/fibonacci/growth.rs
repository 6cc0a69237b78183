use chronoscope_harness::record::study::{Estimate, StudyRecord};
use chronoscope_harness::stats::{mean_interval, straight_line};

use super::cases::{CALLS, TIMED_OUTSIDE};

/// A line goes through medians of so many blocks.
const BLOCKS: usize = 200;

/// How the time per call goes on, in each process.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Growth {
    /// Nanoseconds per call of each batch; one series per process.
    series: Vec<Vec<f64>>,
    confidence: f64,
}

/// A straight line through the time per call over the index of the call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Line {
    /// Nanoseconds at call 0.
    pub(super) a_ns: Estimate,
    /// What each call adds, in nanoseconds.
    pub(super) b_ns: Estimate,
    /// The share of the variance of the medians that the line explains, the least of all processes.
    pub(super) r_squared: f64,
    /// How many medians it goes through, the fewest of all processes.
    pub(super) medians: usize,
    /// The mean time of a call by the line, in nanoseconds, over the calls that every process made.
    pub(super) mean_ns: f64,
}

impl Line {
    /// Calls before this one of which the line says nothing: up to it, the time at call 0 is known less well than the line
    /// grows. None where the slope is not resolved.
    pub(super) fn vague_before(&self) -> Option<u64> {
        let is_resolved = self.b_ns.confidence > 0.0 && self.b_ns.low > 0.0;
        is_resolved.then(|| (self.a_ns.half_width() / self.b_ns.estimate).ceil() as u64)
    }
}

impl Growth {
    pub(super) fn of(record: &StudyRecord) -> Self {
        let forks = record.cell(TIMED_OUTSIDE, 0, 1).map(|cell| cell.forks.as_slice()).unwrap_or_default();
        let series = forks.iter().map(|fork| fork.visits.iter().flat_map(|visit| visit.batches_ns.clone()).collect());
        Self::new(series.filter(|series: &Vec<f64>| !series.is_empty()).collect(), record.plan.confidence)
    }

    pub(super) fn new(series: Vec<Vec<f64>>, confidence: f64) -> Self {
        Self { series, confidence }
    }

    /// The batches that every process made.
    fn batches(&self) -> usize {
        self.series.iter().map(Vec::len).min().unwrap_or(0)
    }

    /// The calls that every process made.
    pub(super) fn calls(&self) -> u64 {
        self.batches() as u64 * CALLS
    }

    /// The mean time of the calls that are begun within the first `window_ns` of a process; none where a process did not
    /// run so long.
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

    /// The mean time of the batch in which call `index` lies.
    pub(super) fn at(&self, index: u64) -> Option<Estimate> {
        let batch = batch_of(index);
        // A few neighbours, so that one lost time slice does not stand for the whole; the last calls have fewer.
        let around = batch / 20;
        let to = self.batches().min(batch + around + 1);
        if batch < to { self.mean_of(batch.saturating_sub(around), to) } else { None }
    }

    /// The mean time of the calls that every process made.
    pub(super) fn mean(&self) -> Option<Estimate> {
        if self.batches() > 0 { self.mean_of(0, self.batches()) } else { None }
    }

    /// The mean over batches from one to before another; the median would hide the longer calls.
    fn mean_of(&self, from: usize, to: usize) -> Option<Estimate> {
        self.over(|series| Some(series.get(from..to)?.iter().sum::<f64>() / (to - from) as f64))
    }

    /// A figure of each process, with the interval of their mean: that of processes, not of calls.
    fn over(&self, figure: impl Fn(&[f64]) -> Option<f64>) -> Option<Estimate> {
        let figures: Option<Vec<f64>> = self.series.iter().map(|series| figure(series)).collect();
        mean_interval(&figures?, self.confidence)
    }

    /// The line, fitted in each process. It goes through medians of neighbouring batches, for a lost time slice is no
    /// call's length.
    pub(super) fn line(&self) -> Option<Line> {
        let fit = |series: &[f64]| straight_line(&blocks(series), self.confidence);
        let a_ns = self.over(|series| Some(fit(series)?.intercept.estimate))?;
        let b_ns = self.over(|series| Some(fit(series)?.slope.estimate))?;
        let r_squared = self.series.iter().filter_map(|series| Some(fit(series)?.r_squared));
        Some(Line {
            a_ns,
            b_ns,
            r_squared: r_squared.fold(f64::INFINITY, f64::min),
            medians: self.series.iter().map(|series| blocks(series).len()).min()?,
            // A line's mean is its value in the middle.
            mean_ns: a_ns.estimate + b_ns.estimate * self.calls() as f64 / 2.0,
        })
    }
}

/// The batch in which a call lies.
fn batch_of(call: u64) -> usize {
    usize::try_from(call / CALLS).unwrap_or(usize::MAX)
}

/// Medians of equal blocks of batches over the index of the call in their middle.
fn blocks(series: &[f64]) -> Vec<(f64, f64)> {
    let size = series.len().div_ceil(BLOCKS).max(1);
    let block = |(i, batches): (usize, &[f64])| {
        let mut sorted = batches.to_vec();
        sorted.sort_by(f64::total_cmp);
        let middle = (i * size) as f64 + batches.len() as f64 / 2.0;
        (middle * CALLS as f64, sorted[sorted.len() / 2])
    };
    series.chunks(size).enumerate().map(block).collect()
}
