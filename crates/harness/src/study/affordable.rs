//! What a process has the time for.

use super::protocol::IterationLog;

/// Cells that a process leaves to others, since what all of them need does not fit its time: `need_ns` is the shortest visit to each,
/// as far as it is known.
///
/// Without this, a few slow cells take the time of all: every process tries them before it measures anything. Cells that need no
/// more than an equal share of the time stay. Of the others a process takes as many as fit, beginning with another one than the
/// process before it, so that all get their turn. Cells of unknown need are always tried. If nothing fits, nothing is left out: then
/// each process measures what it can begin.
pub(super) fn left_out(need_ns: &[Option<f64>], budget_ns: f64, fork: u32) -> Vec<usize> {
    let known: Vec<(usize, f64)> =
        need_ns.iter().enumerate().filter_map(|(cell, need_ns)| Some((cell, (*need_ns)?))).collect();
    let sum = |cells: &[(usize, f64)]| cells.iter().map(|(_, ns)| ns).sum::<f64>();
    if sum(&known) <= budget_ns {
        return Vec::new();
    }
    let share_ns = budget_ns / known.len() as f64;
    let (cheap, mut dear): (Vec<_>, Vec<_>) = known.iter().copied().partition(|(_, ns)| *ns <= share_ns);
    let mut left_ns = budget_ns - sum(&cheap);
    // Those that fit no process have no turn to wait for.
    let mut out: Vec<(usize, f64)> = dear.extract_if(.., |(_, ns)| *ns > left_ns).collect();
    if dear.is_empty() && cheap.is_empty() {
        return Vec::new();
    }
    let first = fork as usize % dear.len().max(1);
    dear.rotate_left(first);
    out.extend(dear.extract_if(.., |(_, ns)| {
        let fits = *ns <= left_ns;
        left_ns -= if fits { *ns } else { 0.0 };
        !fits
    }));
    let mut out: Vec<usize> = out.into_iter().map(|(cell, _)| cell).collect();
    out.sort_unstable();
    out
}

/// Nanoseconds per operation of a visit, by its slowest thread. None without an operation.
pub(super) fn operation_ns(visit: &IterationLog) -> Option<f64> {
    let threads = visit.threads.iter().filter(|log| log.operations > 0);
    threads.map(|log| log.to_ns.saturating_sub(log.from_ns) as f64 / log.operations as f64).reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::super::protocol::ThreadLog;
    use super::*;

    fn of(need_ns: &[f64], budget_ns: f64, fork: u32) -> Vec<usize> {
        left_out(&need_ns.iter().map(|ns| Some(*ns)).collect::<Vec<_>>(), budget_ns, fork)
    }

    #[test]
    fn what_fits_is_measured_by_every_process() {
        assert!(of(&[80.0, 1.0, 79.0], 160.0, 3).is_empty());
        assert!(of(&[160.0], 160.0, 0).is_empty());
    }

    #[test]
    fn a_slow_cell_leaves_the_others_their_time() {
        for fork in 0..4 {
            assert_eq!(of(&[400.0, 1.0, 2.0], 160.0, fork), [0]);
            assert_eq!(of(&[200.0, 100.0], 160.0, fork), [0]);
        }
    }

    #[test]
    fn where_some_fit_all_get_their_turn() {
        let turns: Vec<Vec<usize>> = (0..4).map(|fork| of(&[70.0, 70.0, 1.0, 70.0, 70.0], 160.0, fork)).collect();
        assert_eq!(turns, [vec![3, 4], vec![0, 4], vec![0, 1], vec![1, 3]]);
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
    fn a_visit_tells_how_long_an_operation_takes() {
        let visit = |threads: Vec<ThreadLog>| IterationLog { cell: 0, round: 0, layout: 0, threads };
        let batches =
            |to_ns: u64| ThreadLog { to_ns, operations: 20, batches_ns: vec![90, 90], ..ThreadLog::default() };
        assert_eq!(operation_ns(&visit(vec![batches(200), batches(400)])), Some(20.0));
        assert_eq!(operation_ns(&visit(vec![ThreadLog::default()])), None);
    }
}
