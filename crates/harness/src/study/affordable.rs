//! What a process has the time for.

use std::collections::BTreeSet;

use super::protocol::{IterationLog, ThreadLog};

/// Cells that a process would spend the others' time on: those known to be the slowest, from the first that does not fit on, where
/// a visit to each takes `operations` of them. Cells that none has measured are always tried.
///
/// None if not even the fastest fits: then each process measures what it can begin.
pub(super) fn too_slow(operation_ns: &[Option<f64>], operations: f64, budget_ns: f64) -> BTreeSet<usize> {
    let mut known: Vec<(usize, f64)> =
        operation_ns.iter().enumerate().filter_map(|(cell, ns)| Some((cell, (*ns)?))).collect();
    known.sort_by(|(_, a), (_, b)| a.total_cmp(b));
    let mut spent_ns = 0.0;
    let affordable = known.iter().take_while(|(_, ns)| {
        spent_ns += ns * operations;
        spent_ns <= budget_ns
    });
    match affordable.count() {
        0 => BTreeSet::new(),
        fitting => known[fitting..].iter().map(|(cell, _)| *cell).collect(),
    }
}

/// Nanoseconds per operation of a visit, with all that is not timed, by its slowest thread. None without an operation.
pub(super) fn operation_ns(visit: &IterationLog) -> Option<f64> {
    visit.threads.iter().filter_map(of_thread).reduce(f64::max)
}

fn of_thread(log: &ThreadLog) -> Option<f64> {
    let batches = log.batches_ns.len() as u64 * log.merged.max(1);
    let singles: u64 = log.singles.iter().map(|(_, count)| count).sum();
    let operations = log.operations.saturating_mul(batches).max(singles.saturating_mul(1 + log.untimed_between));
    (operations > 0).then(|| log.to_ns.saturating_sub(log.from_ns) as f64 / operations as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left_out(operation_ns: &[Option<f64>], budget_ns: f64) -> Vec<usize> {
        too_slow(operation_ns, 3.0, budget_ns).into_iter().collect()
    }

    #[test]
    fn the_slowest_leave_the_others_their_time() {
        assert_eq!(left_out(&[Some(200.0), Some(1.0), Some(2.0)], 160.0), [0]);
        assert_eq!(left_out(&[Some(30.0), Some(1.0), Some(25.0)], 160.0), [0], "each fits, all of them do not");
        assert!(left_out(&[Some(30.0), Some(1.0)], 160.0).is_empty());
    }

    #[test]
    fn what_is_not_known_is_tried() {
        assert_eq!(left_out(&[None, Some(1.0), Some(60.0)], 160.0), [2]);
        assert!(left_out(&[None; 3], 1.0).is_empty());
    }

    #[test]
    fn where_nothing_fits_all_are_tried() {
        assert!(left_out(&[Some(100.0)], 160.0).is_empty());
        assert!(left_out(&[Some(100.0), Some(200.0)], 160.0).is_empty());
    }

    #[test]
    fn a_visit_tells_how_long_an_operation_takes() {
        let visit = |threads: Vec<ThreadLog>| IterationLog { cell: 0, round: 0, layout: 0, threads };
        let batches =
            |to_ns: u64| ThreadLog { to_ns, operations: 10, batches_ns: vec![90, 90], ..ThreadLog::default() };
        assert_eq!(operation_ns(&visit(vec![batches(200), batches(400)])), Some(20.0));
        let singles =
            ThreadLog { to_ns: 600, singles: vec![(7, 2), (9, 1)], untimed_between: 9, ..ThreadLog::default() };
        assert_eq!(operation_ns(&visit(vec![singles])), Some(20.0));
        assert_eq!(operation_ns(&visit(vec![ThreadLog::default()])), None);
    }
}
