//! Intervals between successive reads of one thread, with a reader and a CPU hog on every CPU.

use std::hint::black_box;
use std::thread;

use bench_clock::bracket::Bracket;
use bench_common::cpus::{self, beside_hogs};
use bench_common::{Count, Failure, Run, Section, Table, Value};

/// Turns of an empty loop between two reads, from none up to this: a microsecond or two. What a stopped thread does to the
/// others shows only where threads are stopped, so the intervals are to last a while.
const LONGEST_GAP: u64 = 4_096;
/// What lies further apart was interrupted.
const INTERRUPTED_NS: u64 = 100_000;
/// The advance is taken between brackets that are no wider.
const NARROW_NS: u64 = 1_000;

/// What the intervals of one reader have shown.
#[derive(Debug, Default, PartialEq)]
struct Tally {
    /// Intervals that the brackets at both ends do not allow.
    off: Count,
    worst_ns: u64,
    /// Intervals in which the thread had to wait for its CPU.
    interrupted: u64,
    /// By how much `CLOCK_MONOTONIC` went on further than ours between two narrow brackets, at most.
    largest_advance_ns: Option<i64>,
    last_narrow: Option<Bracket>,
}

pub(crate) fn measure(run: &Run, section: &mut Section) -> Result<(), Failure> {
    let (cpus, intervals) = (cpus::allowed()?, run.pick(10_000_000, 100_000));
    run.now(format!("intervals, {intervals} on each of {} CPUs, beside hogs", cpus.len()));
    let read_on = |cpu: u32| cpus::bind(cpu).map(|()| read(intervals));
    let tallies: Vec<Result<Tally, Failure>> = beside_hogs(&cpus, || {
        thread::scope(|scope| {
            let readers: Vec<_> = cpus.iter().map(|cpu| scope.spawn(move || read_on(*cpu))).collect();
            let panicked = |_| Err(Failure::run("a reader panicked"));
            // All are waited for, also if one has failed.
            Ok(readers.into_iter().map(|reader| reader.join().unwrap_or_else(panicked)).collect())
        })
    })?;
    let mut table = Table::new(1, "CPU | off | worst, ns off | over 100 µs | largest advance, µs");
    for (cpu, tally) in cpus.iter().zip(tallies) {
        let Tally { off, worst_ns, interrupted, largest_advance_ns, .. } = tally?;
        let advance =
            largest_advance_ns.map_or("no two brackets within 1 µs".into(), |ns| Value::number(ns as f64 / 1e3, 3));
        table.row([cpu.to_string().into(), off.into(), worst_ns.into(), interrupted.into(), advance]);
    }
    section.table(table);
    Ok(())
}

fn read(intervals: u64) -> Tally {
    let mut tally = Tally::default();
    let mut last = Bracket::of_ours();
    for turn in 0..intervals {
        for step in 0..turn % LONGEST_GAP {
            black_box(step);
        }
        let next = Bracket::of_ours();
        tally.interval(last, next);
        last = next;
    }
    tally
}

impl Tally {
    fn interval(&mut self, from: Bracket, to: Bracket) {
        let least_ns = to.before_ns.saturating_sub(from.after_ns);
        let most_ns = to.after_ns.saturating_sub(from.before_ns);
        let ours_ns = to.clock_ns.wrapping_sub(from.clock_ns) as i64;
        let off_ns = (least_ns as i64 - ours_ns).max(ours_ns - most_ns as i64).max(0) as u64;
        self.off = self.off + Count::of([off_ns > 0]);
        self.worst_ns = self.worst_ns.max(off_ns);
        self.interrupted += u64::from(most_ns > INTERRUPTED_NS);
        if to.width_ns() <= NARROW_NS
            && let Some(last) = self.last_narrow.replace(to)
        {
            self.largest_advance_ns = self.largest_advance_ns.max(Some(advance_ns(last, to)));
        }
    }
}

/// How far `CLOCK_MONOTONIC` went from the middle of one bracket to that of the other, less how far ours did.
fn advance_ns(from: Bracket, to: Bracket) -> i64 {
    let middle_ns = |bracket: Bracket| bracket.before_ns + bracket.width_ns() / 2;
    let system_ns = middle_ns(to).wrapping_sub(middle_ns(from)) as i64;
    system_ns - to.clock_ns.wrapping_sub(from.clock_ns) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(before_ns: u64, clock_ns: u64, after_ns: u64) -> Bracket {
        Bracket { before_ns, clock_ns, after_ns }
    }

    fn tally(brackets: &[Bracket]) -> Tally {
        let mut tally = Tally::default();
        brackets.windows(2).for_each(|pair| tally.interval(pair[0], pair[1]));
        tally
    }

    #[test]
    fn an_interval_may_use_all_that_its_brackets_leave() {
        let narrow = tally(&[at(0, 40, 40), at(100, 100, 140)]);
        let wide = tally(&[at(0, 0, 40), at(100, 140, 140)]);
        assert_eq!((narrow.off, wide.off.of), (Count { of: 0, all: 1 }, 0));
    }

    #[test]
    fn a_clock_that_froze_leapt_or_went_back_is_off() {
        let froze = tally(&[at(0, 40, 40), at(100, 40, 140)]);
        let leapt = tally(&[at(0, 0, 40), at(100, 141, 140)]);
        let back = tally(&[at(1_000, 1_020, 1_040), at(1_100, 1_000, 1_140)]);
        assert_eq!([&froze, &leapt, &back].map(|tally| (tally.off.of, tally.worst_ns)), [(1, 60), (1, 1), (1, 80)]);
    }

    #[test]
    fn the_advance_is_that_between_successive_narrow_brackets() {
        let frozen = tally(&[at(0, 20, 40), at(100, 120, 140), at(200, 220, 90_000), at(90_100, 90_020, 90_140)]);
        assert_eq!(frozen.largest_advance_ns, Some(100));
        assert_eq!(tally(&[at(0, 0, 2_000), at(3_000, 3_000, 5_000)]).largest_advance_ns, None);
    }

    #[test]
    fn a_thread_that_waited_for_its_cpu_is_told() {
        let waited = tally(&[at(0, 20, 40), at(200_000, 200_020, 200_040)]);
        assert_eq!((waited.off.of, waited.interrupted), (0, 1));
    }
}
