use super::median::median_interval;
use crate::record::study::{Cell, Estimate, Leading};

/// A quantity derived from the times of several cells, process by process: the median over processes with its interval.
/// `derive` gets the cells' times in nanoseconds, in the order of `cells`: the means if the mean leads for any of them, else the typical
/// values. None if no process measured all of them.
///
/// For contrasts of more than two cells, or of cells that differ in more than their case. What a process does to all of its
/// cells cancels, since they are measured in the same rounds.
///
/// # Examples
/// ```
/// # let text = include_str!("../../tests/fixtures/study.json");
/// # let record: chronoscope_harness::record::study::StudyRecord = serde_json::from_str(text)?;
/// use chronoscope_harness::stats::over_processes;
///
/// let cell = |case| record.cell(case, 0, 1).unwrap();
/// let cells = [cell("seq_cst"), cell("relaxed")];
/// let ratio = over_processes(&cells, 0.95, |ns| ns[0] / ns[1]).unwrap();
/// assert!(ratio.low > 1.0);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn over_processes(cells: &[&Cell], confidence: f64, derive: impl Fn(&[f64]) -> f64) -> Option<Estimate> {
    let leads = cells.iter().map(|cell| cell.leads).max().unwrap_or(Leading::Typical);
    let time_ns =
        |cell: &Cell, process: u32| cell.processes.iter().find(|other| other.process == process)?.number(leads);
    let of_process = |process: u32| {
        let times: Option<Vec<f64>> = cells.iter().map(|cell| time_ns(cell, process)).collect();
        Some(derive(&times?))
    };
    median_interval(cells.first()?.processes.iter().filter_map(|process| of_process(process.process)), confidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::made_up;

    #[test]
    fn a_process_that_lacks_a_cell_does_not_count() {
        let (one, mut other) =
            (made_up::cell("one", 0, &[10.0, 20.0, 90.0]), made_up::cell("other", 0, &[5.0, 10.0, 1.0]));
        other.processes[2].typical_ns = None;
        let ratio = over_processes(&[&one, &other], 0.999, |times| times[0] / times[1]).unwrap();
        assert_eq!((ratio.estimate, ratio.low, ratio.high), (2.0, 2.0, 2.0));
        other.processes.iter_mut().for_each(|process| process.typical_ns = None);
        assert_eq!(over_processes(&[&one, &other], 0.999, |times| times[0]), None);
        assert_eq!(over_processes(&[], 0.999, |_| 1.0), None);
    }

    #[test]
    fn cells_are_compared_by_one_number() {
        let (one, mut other) = (made_up::cell("one", 0, &[10.0; 3]), made_up::cell("other", 0, &[10.0; 3]));
        other.leads = Leading::Mean;
        other.processes.iter_mut().for_each(|process| process.mean_ns = Some(30.0));
        assert_eq!(over_processes(&[&one, &other], 0.999, |ns| ns[1] / ns[0]).unwrap().estimate, 3.0);
    }
}
