//! The cost of a read.

use serde::{Deserialize, Serialize};

use crate::record::study::{Cell, CellProcess};
use crate::record::{Estimate, Histogram};
use crate::stats::{CONFIDENCE, Distribution, median_interval};

/// The cost of a read.
///
/// `estimate`, its interval and `processes` cover quiet iterations; the percentiles, `minimum` and `histogram` cover all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Latency {
    /// Median over processes of each process's mean time per read, in quiet iterations.
    pub estimate: f64,
    /// Lower end of the interval for the median over processes.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// Confidence of the interval: the exact coverage of its order statistics.
    pub confidence: f64,
    /// Median over all batches.
    pub p50: f64,
    /// 99th percentile over all batches: the cost per read in a disturbed batch.
    pub p99: f64,
    /// Smallest batch mean.
    pub minimum: f64,
    /// Batches measured, over all processes.
    pub batches: u64,
    /// Reads per batch.
    pub reads_per_batch: u64,
    /// Each process separately.
    pub processes: Vec<ProcessSummary>,
    /// Batch means of all processes.
    pub histogram: Histogram,
}

impl From<&Latency> for Estimate {
    fn from(of: &Latency) -> Self {
        Self { estimate: of.estimate, low: of.low, high: of.high, confidence: of.confidence }
    }
}

/// One worker process's contribution to a latency estimate: its quiet iterations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProcessSummary {
    /// Median batch mean.
    pub p50: f64,
    /// Smallest batch mean.
    pub minimum: f64,
    /// Batches measured.
    pub batches: u64,
}

/// The cost of a read as a study measured it. None for a cell that was not measured.
///
/// The estimate is the study's. A read indistinguishable from an empty loop, of which a study gives only a bound, has the median
/// over its processes: reports show the empty loop's next to it.
///
/// # Sources
/// The process as the statistical unit as in T. Kalibera, R. Jones, "Rigorous Benchmarking in Reasonable Time", 2013. The
/// interval is [`median_interval`]'s.
pub fn latency(cell: &Cell) -> Option<Latency> {
    let means = || cell.processes.iter().filter_map(|process| process.time_ns).collect::<Vec<f64>>();
    let Estimate { estimate, low, high, confidence } =
        cell.time_ns.or_else(|| median_interval(&means(), CONFIDENCE))?;
    let all = Distribution::of(cell.processes.iter().flat_map(|process| batches_ns(process, |_| true)).collect());
    Some(Latency {
        estimate,
        low,
        high,
        confidence,
        p50: all.quantile(0.5)?,
        p99: all.quantile(0.99)?,
        minimum: all.minimum()?,
        batches: all.total(),
        reads_per_batch: cell.operations_per_batch,
        processes: cell.processes.iter().filter_map(summary).collect(),
        histogram: all.histogram(),
    })
}

/// The batches of `process` that count: those of quiet iterations, or all where it saw none and counts all the same, since too few
/// processes did.
fn summary(process: &CellProcess) -> Option<ProcessSummary> {
    let quiet: Vec<f64> = batches_ns(process, |quiet| quiet).collect();
    let is_disturbed = quiet.is_empty() && process.time_ns.is_some();
    let counted = Distribution::of(if is_disturbed { batches_ns(process, |_| true).collect() } else { quiet });
    Some(ProcessSummary { p50: counted.quantile(0.5)?, minimum: counted.minimum()?, batches: counted.total() })
}

fn batches_ns(process: &CellProcess, counts: fn(bool) -> bool) -> impl Iterator<Item = f64> {
    let iterations = process.iterations.iter().filter(move |iteration| counts(iteration.quiet));
    iterations.flat_map(|iteration| &iteration.batches_ns).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::study::StudyIteration;
    use crate::study::made_up;

    /// Two quiet batches of each process took its mean, and a disturbed one longer.
    fn cell(means_ns: &[f64]) -> Cell {
        let mut cell = made_up::cell("now", 0, means_ns);
        for (process, mean_ns) in cell.processes.iter_mut().zip(means_ns) {
            let iteration = |quiet, batches_ns| StudyIteration { quiet, batches_ns };
            process.iterations = vec![iteration(false, vec![mean_ns + 50.0]), iteration(true, vec![*mean_ns; 2])];
        }
        cell
    }

    #[test]
    fn batches_that_do_not_count_move_the_percentiles_alone() {
        let means_ns: Vec<f64> = (0..11).map(|i| 20.0 + f64::from(i) * 0.01).collect();
        let found = latency(&Cell { time_ns: None, ..cell(&means_ns) }).unwrap();
        assert!((found.estimate - 20.05).abs() < 1e-9, "{}", found.estimate);
        assert!((found.low - 20.0).abs() < 1e-9 && (found.high - 20.1).abs() < 1e-9);
        assert!(found.confidence >= CONFIDENCE);
        assert!(found.p99 > 69.0);
        assert_eq!((found.batches, found.processes[0].batches), (33, 2));
    }

    #[test]
    fn the_estimate_is_the_studys() {
        let time_ns = Some(Estimate { estimate: 20.5, low: 19.0, high: 22.0, confidence: 0.999 });
        let found = latency(&Cell { time_ns, ..cell(&[20.0, 21.0, 22.0]) }).unwrap();
        assert_eq!((found.estimate, found.low, found.high, found.confidence), (20.5, 19.0, 22.0, 0.999));
    }

    #[test]
    fn a_process_without_a_quiet_iteration_that_counts_has_all_its_batches() {
        let mut disturbed = cell(&[20.0, 21.0]);
        disturbed.processes[1].iterations.iter_mut().for_each(|iteration| iteration.quiet = false);
        let found = latency(&disturbed).unwrap();
        assert_eq!(found.processes.iter().map(|process| process.batches).collect::<Vec<_>>(), [2, 3]);
        disturbed.processes[1].time_ns = None;
        assert_eq!(latency(&disturbed).unwrap().processes.len(), 1);
    }

    #[test]
    fn no_batches_are_no_estimate() {
        assert_eq!(latency(&Cell { time_ns: None, ..made_up::cell("now", 0, &[0.0]) }), None);
        assert_eq!(latency(&Cell { time_ns: None, processes: Vec::new(), ..made_up::cell("now", 0, &[0.0]) }), None);
    }

    #[test]
    fn few_processes_say_how_little_they_prove() {
        let found = latency(&Cell { time_ns: None, ..cell(&[20.0, 21.0, 22.0]) }).unwrap();
        assert!((found.confidence - 0.75).abs() < 1e-9);
    }
}
