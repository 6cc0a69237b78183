use chronoscope_harness::record::study::{Estimate, StudyRecord};
use chronoscope_harness::stats::{mean_interval, straight_line};

use super::{CALLS, TIMED_OUTSIDE};

/// A line goes through medians of so many blocks.
const BLOCKS: usize = 200;

/// How the time per call goes on, in each process.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Growth {
    /// Nanoseconds per call of each batch; one series per process.
    series: Vec<Vec<f64>>,
    calls_per_batch: f64,
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
        Self::new(series.filter(|series: &Vec<f64>| !series.is_empty()).collect(), CALLS, record.plan.confidence)
    }

    pub(super) fn new(series: Vec<Vec<f64>>, calls_per_batch: u64, confidence: f64) -> Self {
        Self { series, calls_per_batch: calls_per_batch as f64, confidence }
    }

    /// The calls that every process made.
    pub(super) fn calls(&self) -> u64 {
        let batches = self.series.iter().map(Vec::len).min().unwrap_or(0);
        (batches as f64 * self.calls_per_batch) as u64
    }

    /// The mean time of the calls that are begun within the first `window_ns` of a process; none where a process did not
    /// run so long.
    pub(super) fn mean_of_window(&self, window_ns: f64) -> Option<Estimate> {
        let means: Option<Vec<f64>> = self.series.iter().map(|series| self.window(series, window_ns)).collect();
        mean_interval(&means?, self.confidence).map(Estimate::from)
    }

    fn window(&self, series: &[f64], window_ns: f64) -> Option<f64> {
        let (mut sum, mut batches) = (0.0, 0.0);
        for ns in series {
            sum += ns * self.calls_per_batch;
            batches += 1.0;
            if sum >= window_ns {
                return Some(sum / (batches * self.calls_per_batch));
            }
        }
        None
    }

    /// The mean time of the first `calls` calls.
    pub(super) fn mean_of_first(&self, calls: u64) -> Option<Estimate> {
        let batches = (calls as f64 / self.calls_per_batch) as usize;
        self.mean_of(0, batches.max(1))
    }

    /// The mean time of the batch in which call `index` lies.
    pub(super) fn at(&self, index: u64) -> Option<Estimate> {
        let batch = (index as f64 / self.calls_per_batch) as usize;
        // A few neighbours, so that one lost time slice does not stand for the whole.
        let around = batch / 20;
        // The last calls have fewer neighbours.
        let batches = self.series.iter().map(Vec::len).min()?;
        let to = if batch < batches { batches.min(batch + around + 1) } else { return None };
        self.mean_of(batch.saturating_sub(around), to)
    }

    /// The mean over batches from one to before another; the median would hide the longer calls.
    fn mean_of(&self, from: usize, to: usize) -> Option<Estimate> {
        let part = |series: &Vec<f64>| Some(series.get(from..to)?.iter().sum::<f64>() / (to - from) as f64);
        let means: Option<Vec<f64>> = self.series.iter().map(part).collect();
        mean_interval(&means?, self.confidence).map(Estimate::from)
    }

    /// The mean time of the calls that every process made.
    pub(super) fn mean(&self) -> Option<Estimate> {
        let batches = self.series.iter().map(Vec::len).min().filter(|batches| *batches > 0)?;
        self.mean_of(0, batches)
    }

    /// The line, fitted in each process: its interval is that of processes, not of calls. It goes through medians of
    /// neighbouring batches, for a lost time slice is no call's length.
    pub(super) fn line(&self) -> Option<Line> {
        let fits = self.series.iter().map(|series| straight_line(&self.blocks(series), self.confidence));
        let fits: Vec<_> = fits.collect::<Option<_>>()?;
        let over = |value: fn(&chronoscope_harness::stats::StraightLine) -> f64| {
            mean_interval(&fits.iter().map(value).collect::<Vec<_>>(), self.confidence).map(Estimate::from)
        };
        let (a_ns, b_ns) = (over(|line| line.intercept.estimate)?, over(|line| line.slope.estimate)?);
        Some(Line {
            a_ns,
            b_ns,
            r_squared: fits.iter().map(|line| line.r_squared).fold(f64::INFINITY, f64::min),
            medians: self.series.iter().map(|series| self.blocks(series).len()).min()?,
            // A line's mean is its value in the middle.
            mean_ns: a_ns.estimate + b_ns.estimate * self.calls() as f64 / 2.0,
        })
    }

    /// Medians of equal blocks of batches over the index of the call in their middle.
    fn blocks(&self, series: &[f64]) -> Vec<(f64, f64)> {
        let size = series.len().div_ceil(BLOCKS).max(1);
        let middle = |block: usize, batches: usize| (block * size) as f64 + batches as f64 / 2.0;
        series
            .chunks(size)
            .enumerate()
            .map(|(i, batches)| {
                let mut sorted = batches.to_vec();
                sorted.sort_by(f64::total_cmp);
                (middle(i, batches.len()) * self.calls_per_batch, sorted[sorted.len() / 2])
            })
            .collect()
    }
}
