use std::iter::Sum;

use super::observations::Observations;
use crate::stats::median;
use crate::study::protocol::{IterationLog, ThreadLog};

/// Time spent in operations, and how many they were.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Timed {
    pub(super) ns: f64,
    pub(super) operations: f64,
}

impl Timed {
    /// The mean time per operation. None without operations, or if they took no time.
    pub(super) fn mean_ns(self) -> Option<f64> {
        let mean_ns = self.ns / self.operations;
        (mean_ns.is_finite() && mean_ns > 0.0).then_some(mean_ns)
    }
}

impl Sum for Timed {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), |all, part| Self {
            ns: all.ns + part.ns,
            operations: all.operations + part.operations,
        })
    }
}

/// One iteration as a process reported it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Received<'a> {
    pub(super) process: usize,
    /// Whether nothing disturbed it.
    pub(super) quiet: bool,
    pub(super) log: &'a IterationLog,
}

/// One iteration, reduced to what estimates need.
#[derive(Clone, Debug)]
pub(super) struct Iteration<'a> {
    pub(super) process: usize,
    pub(super) quiet: bool,
    /// For each role: all of its threads' operations while every thread of the iteration measured.
    pub(super) timed: Vec<Timed>,
    /// The threads of each role.
    pub(super) roles: Vec<Vec<&'a ThreadLog>>,
    pub(super) log: &'a IterationLog,
}

/// The iterations of each cell that have a time.
pub(super) fn values<'a>(seen: &Observations<'a>, received: &[Vec<Received<'a>>]) -> Vec<Vec<Iteration<'a>>> {
    let of_cell =
        |iterations: &Vec<Received<'a>>| iterations.iter().filter_map(|iteration| reduce(seen, *iteration)).collect();
    received.iter().map(of_cell).collect()
}

/// The share of the time during which all threads measured, in a typical iteration: one whose threads never met has none, and counts
/// here too.
pub(super) fn typical_overlap(received: &[Received<'_>]) -> Option<f64> {
    median(received.iter().map(|iteration| overlap_share(&iteration.log.threads)))
}

/// None if its threads were never all in their measured part, or those of a role ran no operation meanwhile.
fn reduce<'a>(seen: &Observations<'a>, Received { process, quiet, log }: Received<'a>) -> Option<Iteration<'a>> {
    let spec = seen.cells.get(log.cell)?;
    let roles = match seen.case(spec) {
        Some(case) if case.roles.len() > 1 => {
            let mut left = log.threads.iter();
            let of_role = |threads: Option<u32>| threads.map_or(usize::MAX, |threads| threads as usize);
            case.roles.iter().map(|role| left.by_ref().take(of_role(role.threads)).collect()).collect()
        }
        _ => vec![log.threads.iter().collect::<Vec<_>>()],
    };
    let (from_ns, to_ns) = common_window(&log.threads)?;
    let within = |role: &Vec<&ThreadLog>| role.iter().map(|thread| timed_within(thread, from_ns, to_ns)).sum();
    let timed: Vec<Timed> = roles.iter().map(within).collect();
    // Those that took no time on a coarse clock stay: without them, the mean would be of the others only.
    timed.iter().all(|timed| timed.operations > 0.0).then_some(Iteration { process, quiet, timed, roles, log })
}

/// Operations in each batch, also where several are logged as one; 1 where single ones are.
pub(super) fn operations_per_batch(thread: &ThreadLog) -> f64 {
    if !thread.singles.is_empty() {
        return 1.0;
    }
    let logged = thread.batches_ns.len().max(1) as f64;
    thread.operations as f64 / (logged * thread.merged.max(1) as f64)
}

/// Operations in each logged time: those of a batch, or of as many as are logged as one.
pub(super) fn operations_per_time(thread: &ThreadLog) -> f64 {
    (thread.operations as f64 / thread.batches_ns.len().max(1) as f64).max(1.0)
}

/// Nanoseconds per operation of each batch, or of as many as are logged as one.
pub(super) fn batches_ns(thread: &ThreadLog) -> impl Iterator<Item = f64> {
    let operations = operations_per_time(thread);
    thread.batches_ns.iter().map(move |ns| *ns as f64 / operations)
}

/// The time during which every thread was in its measured part; None if there was none. That of a thread alone is its own, even
/// if the clock did not advance in it.
fn common_window(threads: &[ThreadLog]) -> Option<(u64, u64)> {
    let from = threads.iter().map(|thread| thread.from_ns).max()?;
    let to = threads.iter().map(|thread| thread.to_ns).min()?;
    (to > from || threads.len() == 1).then_some((from, to))
}

/// The share of the time, from the first thread's start to the last one's end, during which all were in their measured
/// part.
fn overlap_share(threads: &[ThreadLog]) -> f64 {
    let from = threads.iter().map(|thread| thread.from_ns).min().unwrap_or(0);
    let to = threads.iter().map(|thread| thread.to_ns).max().unwrap_or(0);
    common_window(threads).map_or(0.0, |(a, b)| (b - a) as f64 / (to - from).max(1) as f64)
}

/// A thread's timed operations between two moments. A batch that a moment cuts counts by its share; single operations cannot
/// be placed, and all of them count. What a thread does between batches is not timed and counts for nothing.
fn timed_within(thread: &ThreadLog, from_ns: u64, to_ns: u64) -> Timed {
    if thread.batches_ns.is_empty() {
        let of = |(ns, count): &(u64, u64)| Timed { ns: *ns as f64 * *count as f64, operations: *count as f64 };
        return thread.singles.iter().map(of).sum();
    }
    let (from, to) = (from_ns as f64, to_ns as f64);
    let per_batch = thread.operations as f64 / thread.batches_ns.len() as f64;
    let summed_ns: f64 = thread.batches_ns.iter().map(|ns| *ns as f64).sum();
    // When each batch began is not logged: the time between batches is assumed to be alike after each.
    let stretch = thread.to_ns.saturating_sub(thread.from_ns) as f64 / summed_ns.max(1.0);
    let mut start = thread.from_ns as f64;
    let each = thread.batches_ns.iter().map(|ns| {
        let length = *ns as f64 * stretch;
        // A batch in which the clock did not advance is inside or it is not.
        let share = match length > 0.0 {
            true => (((start + length).min(to) - start.max(from)) / length).clamp(0.0, 1.0),
            false => f64::from(u8::from((from..=to).contains(&start.round()))),
        };
        start += length;
        Timed { ns: *ns as f64 * share, operations: per_batch * share }
    });
    each.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn thread(from_ns: u64, batches_ns: &[u64]) -> ThreadLog {
        let to_ns = from_ns + batches_ns.iter().sum::<u64>();
        let operations = batches_ns.len() as u64 * 10;
        ThreadLog { from_ns, to_ns, operations, batches_ns: batches_ns.to_vec(), ..ThreadLog::default() }
    }

    #[test]
    fn the_common_window_is_where_all_run() {
        let threads = [thread(100, &[50, 50]), thread(120, &[100])];
        assert_eq!(common_window(&threads), Some((120, 200)));
        assert!((overlap_share(&threads) - 80.0 / 120.0).abs() < 1e-12);
        assert_eq!(common_window(&[thread(0, &[10]), thread(20, &[10])]), None);
    }

    #[test]
    fn threads_that_take_turns_do_no_more_than_one_cpu_can() {
        // Each thread runs 10 operations in 10 ns while it has the CPU; a batch that includes a wait takes 30.
        let threads = [thread(0, &[10, 30, 10, 30]), thread(20, &[10, 30, 10, 30])];
        let (from_ns, to_ns) = common_window(&threads).unwrap();
        let all: Timed = threads.iter().map(|thread| timed_within(thread, from_ns, to_ns)).sum();
        let rate = threads.len() as f64 * 1e9 / all.mean_ns().unwrap();
        assert!(rate <= 1e9 * 1.01, "{rate}");
    }

    proptest! {
        #[test]
        fn the_whole_window_holds_all_operations(from in 0_u64..1000, batches in prop::collection::vec(0_u64..100, 1..20)) {
            let thread = thread(from, &batches);
            let all = timed_within(&thread, thread.from_ns, thread.to_ns);
            prop_assert!((all.operations - thread.operations as f64).abs() < 1e-6);
            prop_assert!((all.ns - batches.iter().sum::<u64>() as f64).abs() < 1e-6);
        }
    }
}
