use std::iter::Sum;

use super::disturbed::Disturbed;
use super::observations::{Observations, median};
use crate::study::protocol::{IterationLog, ThreadLog};

/// This many are enough not to be strays.
pub(super) const FEW: usize = 3;

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
    process: usize,
    pub(super) disturbed: Disturbed,
    pub(super) log: &'a IterationLog,
}

/// One iteration, reduced to what estimates need.
#[derive(Clone, Debug)]
pub(super) struct Iteration<'a> {
    pub(super) process: usize,
    pub(super) disturbed: Disturbed,
    /// Whether it counts: undisturbed, or in a cell with too few undisturbed ones.
    pub(super) counts: bool,
    /// For each role: all of its threads' operations while every thread of the iteration measured.
    pub(super) timed: Vec<Timed>,
    /// For each role: mean time per operation and thread. 0 where the clock did not advance meanwhile.
    pub(super) time_ns: Vec<f64>,
    /// The threads of each role.
    pub(super) roles: Vec<Vec<&'a ThreadLog>>,
    pub(super) log: &'a IterationLog,
}

impl Iteration<'_> {
    /// Operations per second of all threads of a role, as many as their mean time allows.
    pub(super) fn per_s(&self, role: usize) -> f64 {
        self.roles[role].len() as f64 * 1e9 / self.time_ns[role]
    }
}

/// The iterations of each cell, in the order in which they were made.
pub(super) fn received<'a>(seen: &Observations<'a>, disturbed: &[Vec<Disturbed>]) -> Vec<Vec<Received<'a>>> {
    let mut found: Vec<Vec<Received<'a>>> = vec![Vec::new(); seen.cells.len()];
    for (process, (iterations, disturbed)) in seen.processes.iter().zip(disturbed).enumerate() {
        for (log, disturbed) in iterations.iter().zip(disturbed) {
            if let Some(of_cell) = found.get_mut(log.cell) {
                of_cell.push(Received { process, disturbed: *disturbed, log });
            }
        }
    }
    found
}

/// Those of them that have a time.
pub(super) fn values<'a>(seen: &Observations<'a>, received: &[Vec<Received<'a>>]) -> Vec<Vec<Iteration<'a>>> {
    let mut found = reduced(seen, received);
    for (cell, iterations) in found.iter_mut().enumerate() {
        let least = seen.least.get(cell).copied().unwrap_or(Disturbed::No);
        let level = level(iterations, seen.processes.len()).max(least);
        iterations.iter_mut().for_each(|iteration| iteration.counts = iteration.disturbed <= level);
    }
    found
}

/// How disturbed iterations of each cell count.
pub(super) fn levels(seen: &Observations<'_>, received: &[Vec<Received<'_>>]) -> Vec<Disturbed> {
    reduced(seen, received).iter().map(|iterations| level(iterations, seen.processes.len())).collect()
}

fn reduced<'a>(seen: &Observations<'a>, received: &[Vec<Received<'a>>]) -> Vec<Vec<Iteration<'a>>> {
    let of_cell =
        |iterations: &Vec<Received<'a>>| iterations.iter().filter_map(|iteration| reduce(seen, *iteration)).collect();
    received.iter().map(of_cell).collect()
}

/// The share of the time during which all threads measured, in a typical iteration of those as undisturbed as the `iterations` that count:
/// one whose threads never met has none, and counts here too.
pub(super) fn typical_overlap(received: &[Received<'_>], iterations: &[Iteration<'_>]) -> Option<f64> {
    let counted = iterations.iter().filter(|iteration| iteration.counts).map(|iteration| iteration.disturbed);
    let level = counted.max().unwrap_or(Disturbed::Yes);
    let alike = received.iter().filter(|iteration| iteration.disturbed <= level);
    median(alike.map(|iteration| overlap_share(&iteration.log.threads)))
}

/// How disturbed the iterations of a cell count: the undisturbed ones alone, if enough processes have one.
fn level(iterations: &[Iteration<'_>], processes: usize) -> Disturbed {
    counted_up_to(|level| {
        let mut seen = vec![0; processes];
        iterations
            .iter()
            .filter(|iteration| iteration.disturbed <= level)
            .for_each(|iteration| seen[iteration.process] += 1);
        seen
    })
}

/// The highest disturbance level that counts: the lowest that leaves half the processes, and at least three, with a few
/// iterations each (three, or all that they have), since a single one may be a stray. `seen` returns each process's count
/// up to a level.
pub(super) fn counted_up_to(seen: impl Fn(Disturbed) -> Vec<usize>) -> Disturbed {
    let whole = seen(Disturbed::Yes);
    let all = whole.iter().filter(|count| **count > 0).count();
    let is_enough = |level: &Disturbed| {
        let some =
            seen(*level).into_iter().zip(&whole).filter(|(count, whole)| *count > 0 && *count >= FEW.min(**whole));
        let with_some = some.count();
        with_some * 2 >= all && with_some >= all.min(3)
    };
    [Disturbed::No, Disturbed::Shared].into_iter().find(is_enough).unwrap_or(Disturbed::Yes)
}

/// None if its threads were never all in their measured part, or those of a role ran no operation meanwhile.
fn reduce<'a>(seen: &Observations<'a>, Received { process, disturbed, log }: Received<'a>) -> Option<Iteration<'a>> {
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
    // Without those that took no time on a coarse clock, the mean would be of the others only.
    let mean_ns = |timed: &Timed| (timed.operations > 0.0).then(|| timed.ns / timed.operations);
    let time_ns = timed.iter().map(mean_ns).collect::<Option<Vec<f64>>>()?;
    Some(Iteration { process, disturbed, counts: true, timed, time_ns, roles, log })
}

/// Operations in each batch, also where several are logged as one.
pub(super) fn operations_per_batch(thread: &ThreadLog) -> f64 {
    let logged = thread.batches_ns.len().max(1) as f64;
    thread.operations as f64 / (logged * thread.merged.max(1) as f64)
}

/// Nanoseconds per operation of each batch, or of as many as are logged as one.
pub(super) fn batches_ns(thread: &ThreadLog) -> impl Iterator<Item = f64> {
    let operations = (thread.operations as f64 / thread.batches_ns.len().max(1) as f64).max(1.0);
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

    #[test]
    fn what_counts_is_as_undisturbed_as_half_of_the_processes_allow() {
        let level = |quiet: usize, shared: usize| {
            counted_up_to(move |level| match level {
                Disturbed::No => (0..8).map(|process| if process < quiet { 3 } else { 1 }).collect(),
                Disturbed::Shared => (0..8).map(|process| if process < quiet + shared { 3 } else { 1 }).collect(),
                Disturbed::Yes => vec![9; 8],
            })
        };
        assert_eq!(level(4, 0), Disturbed::No);
        assert_eq!(level(3, 1), Disturbed::Shared);
        assert_eq!(level(2, 1), Disturbed::Yes);
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
