use super::median::median_interval;
use crate::record::study::{CellProcess, Estimate};

/// A quantity derived from the times of several cells, process by process: the median over processes with its interval.
/// `derive` gets the cells' times in nanoseconds, in the order of `cells`. None if no process measured all of them.
///
/// For contrasts of more than two cells, or of cells that differ in more than their case. What a process does to all of its
/// cells cancels, since they are measured in the same rounds.
///
/// # Examples
/// ```
/// use chronoscope_harness::record::study::CellProcess;
/// use chronoscope_harness::stats::over_processes;
///
/// let cell = |times: [f64; 6]| {
///     (0..).zip(times).map(|(process, ns)| CellProcess { process, time_ns: Some(ns), ..CellProcess::default() }).collect::<Vec<_>>()
/// };
/// let (one, two) = (cell([10.0, 20.0, 11.0, 12.0, 10.0, 9.0]), cell([11.0, 22.0, 12.1, 13.2, 11.0, 9.9]));
/// let ratio = over_processes(&[&one, &two], 0.95, |ns| ns[1] / ns[0]).unwrap();
/// assert!((ratio.low - 1.1).abs() < 1e-9 && (ratio.high - 1.1).abs() < 1e-9, "whatever the process");
/// ```
pub fn over_processes(cells: &[&[CellProcess]], confidence: f64, derive: impl Fn(&[f64]) -> f64) -> Option<Estimate> {
    let time_ns = |cell: &[CellProcess], process: u32| cell.iter().find(|other| other.process == process)?.time_ns;
    let of_process = |process: &CellProcess| {
        let times: Option<Vec<f64>> = cells.iter().map(|cell| time_ns(cell, process.process)).collect();
        Some(derive(&times?))
    };
    let values: Vec<f64> = cells.first()?.iter().filter_map(of_process).collect();
    median_interval(&values, confidence)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(times: &[Option<f64>]) -> Vec<CellProcess> {
        let process = |(process, time_ns): (usize, &Option<f64>)| CellProcess {
            process: process as u32,
            time_ns: *time_ns,
            ..CellProcess::default()
        };
        times.iter().enumerate().map(process).collect()
    }

    #[test]
    fn a_process_that_lacks_a_cell_does_not_count() {
        let (one, other) = (cell(&[Some(10.0), Some(20.0), Some(90.0)]), cell(&[Some(5.0), Some(10.0), None]));
        let ratio = over_processes(&[&one, &other], 0.999, |times| times[0] / times[1]).unwrap();
        assert_eq!((ratio.estimate, ratio.low, ratio.high), (2.0, 2.0, 2.0));
        assert_eq!(over_processes(&[&one, &cell(&[None; 3])], 0.999, |times| times[0]), None);
        assert_eq!(over_processes(&[], 0.999, |_| 1.0), None);
    }
}
