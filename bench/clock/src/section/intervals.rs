//! Intervals between successive reads of one thread, with a reader and a CPU hog on every CPU.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use chronoscope_clock::Clock;
use serde::Serialize;

use crate::bracket::Bracket;
use crate::cpus;
use crate::failure::Failure;
use crate::hog::hog;
use crate::size::Size;
use crate::table;

/// Turns of an empty loop between two reads, from none up to this: a microsecond or two. What a stopped thread does to the
/// others shows only where threads are stopped, so the intervals are to last a while.
const LONGEST_GAP: u64 = 4_096;
/// What lies further apart was interrupted.
const INTERRUPTED_NS: u64 = 100_000;
/// The advance is taken between brackets that are no wider.
const NARROW_NS: u64 = 1_000;

/// What the section saw.
#[derive(Debug, Serialize)]
pub(crate) struct Intervals {
    readers: Vec<Reader>,
}

#[derive(Debug, Serialize)]
struct Reader {
    cpu: usize,
    tally: Tally,
}

/// What the intervals of one reader have shown.
#[derive(Debug, Default, PartialEq, Serialize)]
struct Tally {
    intervals: u64,
    /// Intervals that the brackets at both ends do not allow.
    off: u64,
    worst_ns: u64,
    /// Intervals in which the thread had to wait for its CPU.
    interrupted: u64,
    /// By how much `CLOCK_MONOTONIC` went on further than ours between two narrow brackets, at most.
    largest_advance_ns: Option<i64>,
    #[serde(skip)]
    last_narrow: Option<Bracket>,
}

/// All readers together.
#[derive(Debug)]
pub(crate) struct Totals {
    pub(crate) intervals: u64,
    pub(crate) off: u64,
    pub(crate) worst_ns: u64,
    pub(crate) largest_advance_ns: Option<i64>,
}

pub(crate) fn measure(size: &Size) -> Result<Intervals, Failure> {
    let cpus = cpus::allowed()?;
    eprintln!("bench-clock: intervals, {} on each of {} CPUs, beside hogs", size.intervals, cpus.len());
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let hogs: Vec<_> = cpus.iter().map(|cpu| scope.spawn(|| cpus::bind(*cpu).map(|()| hog(&stop)))).collect();
        let readers: Vec<_> = cpus
            .iter()
            .map(|cpu| scope.spawn(|| cpus::bind(*cpu).map(|()| Reader { cpu: *cpu, tally: read(size.intervals) })))
            .collect();
        let panicked = |_| Err(Failure::because("a thread panicked"));
        // All are waited for, also if one has failed.
        let ended: Vec<_> = readers.into_iter().map(|reader| reader.join().unwrap_or_else(panicked)).collect();
        stop.store(true, Relaxed);
        hogs.into_iter().try_for_each(|hog| hog.join().unwrap_or_else(|_| Err(Failure::because("a hog panicked"))))?;
        Ok(Intervals { readers: ended.into_iter().collect::<Result<_, _>>()? })
    })
}

fn read(intervals: u64) -> Tally {
    let bracket = || Bracket::around(|| Clock::or_system().now().as_nanos());
    let mut tally = Tally::default();
    let mut last = bracket();
    for turn in 0..intervals {
        for step in 0..turn % LONGEST_GAP {
            black_box(step);
        }
        let next = bracket();
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
        self.intervals += 1;
        self.off += u64::from(off_ns > 0);
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

impl Intervals {
    pub(crate) fn totals(&self) -> Totals {
        let tallies = || self.readers.iter().map(|reader| &reader.tally);
        Totals {
            intervals: tallies().map(|tally| tally.intervals).sum(),
            off: tallies().map(|tally| tally.off).sum(),
            worst_ns: tallies().map(|tally| tally.worst_ns).max().unwrap_or(0),
            largest_advance_ns: tallies().filter_map(|tally| tally.largest_advance_ns).max(),
        }
    }

    pub(crate) fn show(&self) -> String {
        let rows = self.readers.iter().map(|Reader { cpu, tally }| {
            vec![
                cpu.to_string(),
                tally.intervals.to_string(),
                tally.interrupted.to_string(),
                tally.off.to_string(),
                tally.worst_ns.to_string(),
                table::or_dash(tally.largest_advance_ns.map(|ns| ns.to_string())),
            ]
        });
        let headings = ["CPU", "intervals", "over 100 µs", "off", "worst, ns off", "largest advance, ns"];
        format!(
            "{}\n\nA reader of Clock::now and a hog on each CPU. Each read is taken between two of CLOCK_MONOTONIC; an\n\
             interval is off where it is shorter or longer than the brackets at its ends allow. Advance: how far\n\
             CLOCK_MONOTONIC went less how far ours did, between the middles of successive brackets of at most 1 µs.",
            table::numbers(&headings, rows)
        )
    }
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
        assert_eq!((narrow.intervals, narrow.off, wide.off), (1, 0, 0));
    }

    #[test]
    fn a_clock_that_froze_leapt_or_went_back_is_off() {
        let froze = tally(&[at(0, 40, 40), at(100, 40, 140)]);
        let leapt = tally(&[at(0, 0, 40), at(100, 141, 140)]);
        let back = tally(&[at(1_000, 1_020, 1_040), at(1_100, 1_000, 1_140)]);
        assert_eq!([&froze, &leapt, &back].map(|tally| (tally.off, tally.worst_ns)), [(1, 60), (1, 1), (1, 80)]);
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
        assert_eq!((waited.off, waited.interrupted), (0, 1));
    }
}
