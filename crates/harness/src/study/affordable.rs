//! What a process has the time for.

use super::protocol::IterationLog;

/// The golden section, by whose multiples turns begin: however many cells there are, few processes begin all over them.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// Cells that a process leaves to others, since what all of them need does not fit its time: `need_ns` is the shortest iteration of each,
/// as far as it is known.
///
/// Without this, a few slow cells take the time of all: every process tries them before it measures anything. Cells that fit no
/// process are left to the one that has measured them. Of the others, those that need no more than an equal share of the time stay,
/// if they leave room for each of the rest; the rest take turns. Cells of unknown need are always tried. If nothing fits, nothing is
/// left out: then each process measures what it can begin.
pub(super) fn left_out(need_ns: &[Option<f64>], budget_ns: f64, process: u32) -> Vec<usize> {
    let known = need_ns.iter().enumerate().filter_map(|(cell, need_ns)| Some((cell, (*need_ns)?)));
    let (mut left, too_slow): (Vec<(usize, f64)>, Vec<_>) = known.partition(|(_, ns)| *ns <= budget_ns);
    if left.is_empty() {
        return Vec::new();
    }
    let mut out: Vec<usize> = too_slow.into_iter().map(|(cell, _)| cell).collect();
    let sum = |cells: &[(usize, f64)]| cells.iter().map(|(_, ns)| ns).sum::<f64>();
    if sum(&left) > budget_ns {
        let share_ns = budget_ns / left.len() as f64;
        let (cheap, dear): (Vec<_>, Vec<_>) = left.iter().copied().partition(|(_, ns)| *ns <= share_ns);
        let mut left_ns = budget_ns - sum(&cheap);
        if dear.iter().all(|(_, ns)| *ns <= left_ns) {
            left = dear;
        } else {
            left_ns = budget_ns;
        }
        let first = (f64::from(process) * GOLDEN).fract() * left.len() as f64;
        left.rotate_left(first as usize);
        for (cell, ns) in left {
            if ns <= left_ns {
                left_ns -= ns;
            } else {
                out.push(cell);
            }
        }
    }
    out.sort_unstable();
    out
}

/// Nanoseconds per operation of an iteration, by its slowest thread. None without an operation.
pub(super) fn operation_ns(iteration: &IterationLog) -> Option<f64> {
    let threads = iteration.threads.iter().filter(|log| log.operations > 0);
    threads.map(|log| log.to_ns.saturating_sub(log.from_ns) as f64 / log.operations as f64).reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::super::protocol::ThreadLog;
    use super::*;

    fn of(need_ns: &[f64], budget_ns: f64, process: u32) -> Vec<usize> {
        left_out(&need_ns.iter().map(|ns| Some(*ns)).collect::<Vec<_>>(), budget_ns, process)
    }

    #[test]
    fn what_fits_is_measured_by_every_process() {
        assert!(of(&[80.0, 1.0, 79.0], 160.0, 3).is_empty());
        assert!(of(&[160.0], 160.0, 0).is_empty());
    }

    #[test]
    fn a_slow_cell_leaves_the_others_their_time() {
        for process in 0..4 {
            assert_eq!(of(&[400.0, 1.0, 2.0], 160.0, process), [0]);
            assert_eq!(of(&[200.0, 100.0], 160.0, process), [0]);
        }
    }

    /// In how many of 24 processes each cell is measured.
    fn turns(need_ns: &[f64], budget_ns: f64) -> Vec<usize> {
        let out: Vec<Vec<usize>> = (0..24).map(|process| of(need_ns, budget_ns, process)).collect();
        (0..need_ns.len()).map(|cell| out.iter().filter(|out| !out.contains(&cell)).count()).collect()
    }

    #[test]
    fn where_some_fit_all_get_their_turn() {
        let found = turns(&[70.0, 70.0, 1.0, 70.0, 70.0], 160.0);
        assert_eq!(found[2], 24, "the quick one");
        assert!(found.iter().all(|processes| *processes >= 11), "{found:?}");
        for alike in [[100.0, 70.0], [100.0, 81.0]] {
            assert!(
                turns(&alike, 160.0).iter().all(|processes| *processes >= 9),
                "{alike:?}: {:?}",
                turns(&alike, 160.0)
            );
        }
        let one_slow = turns(&[[50.0; 10].as_slice(), &[510.0]].concat(), 975.0);
        assert!(one_slow.iter().all(|processes| *processes >= 8), "{one_slow:?}");
        let many = turns(&[20.0; 40], 60.0);
        assert!(many.iter().all(|processes| *processes >= 1), "{many:?}");
    }

    #[test]
    fn where_nothing_fits_all_are_tried() {
        assert!(of(&[300.0], 160.0, 0).is_empty());
        assert!(of(&[300.0, 200.0], 160.0, 1).is_empty());
    }

    #[test]
    fn what_is_not_known_is_tried() {
        assert_eq!(left_out(&[None, Some(1.0), Some(160.0)], 160.0, 0), [2]);
        assert!(left_out(&[None; 3], 1.0, 0).is_empty());
    }

    #[test]
    fn a_iteration_tells_how_long_an_operation_takes() {
        let iteration = |threads: Vec<ThreadLog>| IterationLog { cell: 0, round: 0, layout: 0, threads };
        let batches =
            |to_ns: u64| ThreadLog { to_ns, operations: 20, batches_ns: vec![90, 90], ..ThreadLog::default() };
        assert_eq!(operation_ns(&iteration(vec![batches(200), batches(400)])), Some(20.0));
        assert_eq!(operation_ns(&iteration(vec![ThreadLog::default()])), None);
    }
}
