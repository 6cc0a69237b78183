//! The cost of a read.

use serde::{Deserialize, Serialize};

use crate::record::study::{Cell, CellProcess, Leading};
use crate::record::{Estimate, Histogram};
use crate::stats::{CONFIDENCE, Distribution, median_interval};

/// The cost of a read.
///
/// Everything covers all iterations: interruptions are the tail of the batches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Latency {
    /// Median over processes of each process's median batch, per read, with the interval of its order statistics, which reaches at
    /// least the timer's error to each side.
    #[serde(flatten)]
    pub per_read: Estimate,
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

impl Latency {
    /// Whether the estimate lies among its processes' medians, as that of today's estimator does: documents of other builds may have
    /// another's.
    pub fn is_of_its_processes(&self) -> bool {
        let medians = || self.processes.iter().map(|process| process.p50);
        let (least, most) = (medians().fold(f64::INFINITY, f64::min), medians().fold(0.0, f64::max));
        self.processes.is_empty() || (least..=most).contains(&self.per_read.estimate)
    }
}

/// One worker process's contribution to a latency estimate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProcessSummary {
    /// Median batch mean, of which the estimate over processes is made.
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
    let numbers = || cell.processes.iter().filter_map(|process| process.number(cell.leads)).collect::<Vec<f64>>();
    let per_read = cell.time_ns.or_else(|| median_interval(numbers(), CONFIDENCE))?;
    let all = Distribution::of(cell.processes.iter().flat_map(batches_ns).collect());
    Some(Latency {
        per_read,
        p50: all.quantile(0.5)?,
        p99: all.quantile(0.99)?,
        minimum: all.minimum()?,
        batches: all.total(),
        reads_per_batch: cell.operations_per_batch,
        processes: cell.processes.iter().filter_map(|process| summary(process, cell.leads)).collect(),
        histogram: all.histogram(),
    })
}

/// None without a batch.
fn summary(process: &CellProcess, leads: Leading) -> Option<ProcessSummary> {
    let own = Distribution::of(batches_ns(process).collect());
    let p50 = process.number(leads).or_else(|| own.quantile(0.5))?;
    Some(ProcessSummary { p50, minimum: own.minimum()?, batches: own.total() })
}

fn batches_ns(process: &CellProcess) -> impl Iterator<Item = f64> {
    process.iterations.iter().flat_map(|iteration| &iteration.batches_ns).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::study::StudyIteration;
    use crate::study::made_up;

    /// Two batches of each process took its typical time, and a disturbed one longer.
    fn cell(means_ns: &[f64]) -> Cell {
        let mut cell = made_up::cell("now", 0, means_ns);
        for (process, mean_ns) in cell.processes.iter_mut().zip(means_ns) {
            let iteration = |quiet, batches_ns| StudyIteration { quiet, batches_ns };
            process.iterations = vec![iteration(false, vec![mean_ns + 50.0]), iteration(true, vec![*mean_ns; 2])];
        }
        cell
    }

    #[test]
    fn disturbed_batches_move_the_percentiles_alone() {
        let means_ns: Vec<f64> = (0..11).map(|i| 20.0 + f64::from(i) * 0.01).collect();
        let found = latency(&Cell { time_ns: None, ..cell(&means_ns) }).unwrap();
        assert!((found.per_read.estimate - 20.05).abs() < 1e-9, "{}", found.per_read.estimate);
        assert!((found.per_read.low - 20.0).abs() < 1e-9 && (found.per_read.high - 20.1).abs() < 1e-9);
        assert!(found.per_read.confidence >= CONFIDENCE);
        assert!(found.p99 > 69.0);
        assert_eq!((found.batches, found.processes[0].batches), (33, 3));
        // The interval's ends are those of the processes as shown.
        assert_eq!(found.processes.iter().map(|process| process.p50).collect::<Vec<_>>(), means_ns);
    }

    #[test]
    fn the_estimate_is_the_studys() {
        let time_ns = Some(Estimate { estimate: 20.5, low: 19.0, high: 22.0, confidence: 0.999 });
        let found = latency(&Cell { time_ns, ..cell(&[20.0, 21.0, 22.0]) }).unwrap();
        assert_eq!(Some(found.per_read), time_ns);
    }

    #[test]
    fn no_batches_are_no_estimate() {
        assert_eq!(latency(&Cell { time_ns: None, ..made_up::cell("now", 0, &[0.0]) }), None);
        assert_eq!(latency(&Cell { time_ns: None, processes: Vec::new(), ..made_up::cell("now", 0, &[0.0]) }), None);
    }

    #[test]
    fn few_processes_say_how_little_they_prove() {
        let found = latency(&Cell { time_ns: None, ..cell(&[20.0, 21.0, 22.0]) }).unwrap();
        assert!((found.per_read.confidence - 0.75).abs() < 1e-9);
    }
}
