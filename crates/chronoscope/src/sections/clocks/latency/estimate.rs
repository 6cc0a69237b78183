use crate::sections::clocks::report::{ForkSummary, Latency};
use chronoscope_harness::record::study::{Cell, Estimate};
use chronoscope_harness::stats::{CONFIDENCE, Distribution, median, median_interval};

/// The batches of one process.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProcessBatches {
    pub reads_per_batch: u64,
    /// Nanoseconds per read of every batch.
    pub all_ns: Vec<f64>,
    /// Of those that count.
    pub counted_ns: Vec<f64>,
    /// The mean over them.
    pub mean_ns: Option<f64>,
}

/// The cost of a read as a study measured it. None for a cell that was not measured.
///
/// The estimate is the study's. A read indistinguishable from an empty loop keeps its estimate: reports show the empty loop's next
/// to it.
pub fn of_cell(cell: &Cell) -> Option<Latency> {
    let processes: Vec<ProcessBatches> = cell
        .forks
        .iter()
        .map(|fork| {
            let batches = |counts: fn(bool) -> bool| {
                let visits = fork.visits.iter().filter(move |visit| counts(visit.quiet));
                visits.flat_map(|visit| &visit.batches_ns).copied().collect()
            };
            let (all_ns, quiet_ns): (Vec<f64>, Vec<f64>) = (batches(|_| true), batches(|quiet| quiet));
            // Where too few processes saw a quiet moment, disturbed ones count too.
            let is_disturbed = quiet_ns.is_empty() && fork.time_ns.is_some();
            ProcessBatches {
                reads_per_batch: cell.operations_per_batch,
                counted_ns: if is_disturbed { all_ns.clone() } else { quiet_ns },
                all_ns,
                mean_ns: fork.time_ns,
            }
        })
        .collect();
    let found = latency(&processes)?;
    let Some(time) = cell.time_ns else { return Some(found) };
    Some(Latency { estimate: time.estimate, low: time.low, high: time.high, confidence: time.confidence, ..found })
}

/// The cost of a read, from the batches of several processes. None without batches that count.
///
/// # Sources
/// The process as the statistical unit as in T. Kalibera, R. Jones, "Rigorous Benchmarking in Reasonable Time", 2013. The
/// interval is [`median_interval`]'s.
pub fn latency(processes: &[ProcessBatches]) -> Option<Latency> {
    let means: Vec<f64> = processes.iter().filter_map(|process| process.mean_ns).collect();
    let Estimate { estimate, low, high, confidence } = median_interval(&means, CONFIDENCE)?;
    let summary = |process: &ProcessBatches| {
        let counted = Distribution::of(process.counted_ns.clone());
        Some(ForkSummary {
            p50: counted.quantile(0.5)?,
            minimum: counted.minimum()?,
            maximum: counted.maximum()?,
            batches: counted.total(),
        })
    };
    let all = Distribution::of(processes.iter().flat_map(|process| &process.all_ns).copied().collect());
    let sizes = processes.iter().map(|process| process.reads_per_batch as f64).collect();
    Some(Latency {
        estimate,
        low,
        high,
        confidence,
        p50: all.quantile(0.5)?,
        p99: all.quantile(0.99)?,
        minimum: all.minimum()?,
        batches: all.total(),
        reads_per_batch: median(sizes)? as u64,
        forks: processes.iter().filter_map(summary).collect(),
        histogram: all.histogram(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(mean_ns: f64) -> ProcessBatches {
        let all_ns = vec![mean_ns + 50.0, mean_ns, mean_ns];
        ProcessBatches { reads_per_batch: 1000, counted_ns: all_ns[1..].to_vec(), all_ns, mean_ns: Some(mean_ns) }
    }

    #[test]
    fn batches_that_do_not_count_move_the_percentiles_alone() {
        let processes: Vec<ProcessBatches> = (0..11).map(|i| process(20.0 + f64::from(i) * 0.01)).collect();
        let found = latency(&processes).unwrap();
        assert!((found.estimate - 20.05).abs() < 1e-9, "{}", found.estimate);
        assert!((found.low - 20.0).abs() < 1e-9 && (found.high - 20.1).abs() < 1e-9);
        assert!(found.confidence >= CONFIDENCE);
        assert!(found.p99 > 69.0);
        assert_eq!((found.batches, found.forks[0].batches), (33, 2));
    }

    #[test]
    fn no_batches_are_no_estimate() {
        assert_eq!(latency(&[]), None);
        assert_eq!(latency(&[ProcessBatches { reads_per_batch: 10, ..ProcessBatches::default() }]), None);
    }

    #[test]
    fn few_processes_say_how_little_they_prove() {
        let found = latency(&[process(20.0), process(21.0), process(22.0)]).unwrap();
        assert!((found.confidence - 0.75).abs() < 1e-9);
    }
}
