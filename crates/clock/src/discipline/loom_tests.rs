//! The publication of segments and the clock above it, under every interleaving that loom can think of.

use loom::sync::Arc;
use loom::sync::atomic::AtomicU64 as Shared;
use loom::thread;

use super::published::{Published, Segment};
use super::reference::Foundation;
use super::*;
use crate::Line;
use crate::sync::Ordering::{Relaxed, Release};
use crate::trust::Reasons;

const HZ: u64 = 2_000_000_000;
const FIRST_TICK: u64 = 1 << 40;
/// The length of a segment at this rate.
const SPAN: u64 = 1 << 18;

fn rate() -> Line {
    Line::with_frequency(HZ).unwrap()
}

/// A segment from which it can be told whether its parts belong together: it shows its own start at its start.
fn segment(start: u64) -> Segment {
    Segment { line: rate().through(start, start), start, span: 1 << 20 }
}

#[test]
fn loom_readers_never_see_halves_of_two_segments() {
    loom::model(|| {
        let published = Arc::new(Published::empty());
        published.publish(segment(1_000));
        let writer = {
            let published = published.clone();
            thread::spawn(move || {
                published.publish(segment(2_000));
                published.publish(segment(3_000));
            })
        };
        // A tick that only the first segment reaches.
        if let Ok(ns) = published.read(|| 1_500) {
            assert!(ns.abs_diff(1_250) <= 1, "{ns}");
        }
        if let Some(seen) = published.segment() {
            assert!(seen.line.ns(seen.start + 2).abs_diff(seen.start) <= 4, "{seen:?}");
        }
        writer.join().unwrap();
    });
}

/// One counter that all threads see in step: each read is later than every read before it.
struct Machine {
    ticks: Shared,
    /// What the system's clock gains on the counter, in parts per million: changed once, before the threads start.
    ppm: std::sync::atomic::AtomicI64,
}

struct View(Arc<Machine>);

impl View {
    fn tick(&self) -> u64 {
        self.0.ticks.fetch_add(2, Relaxed) + 2
    }

    fn system(&self) -> Line {
        let ppm = self.0.ppm.load(Relaxed);
        let rate = Line::with_frequency((HZ as i64 - HZ as i64 / 1_000_000 * ppm) as u64).unwrap();
        rate.through(FIRST_TICK, FIRST_TICK / 2)
    }
}

impl Reference for View {
    fn ticks(&self) -> u64 {
        self.tick()
    }

    fn system_ns(&self) -> u64 {
        self.system().ns(self.tick())
    }

    fn establish(&self) -> Foundation {
        Foundation { source: RateSource::KernelData, reasons: Reasons::NONE, rate: None }
    }

    fn kernel_look(&self) -> Option<(Line, u64)> {
        Some((self.system(), self.tick()))
    }

    fn is_still_fit(&self) -> bool {
        true
    }

    fn anchor(&self) -> Anchor {
        unreachable!("the kernel's data need no bracket")
    }
}

/// Two threads read a clock that is past its segment's end; one shows the other what it read. Between its start and its
/// read `pause` ticks pass, as when whoever makes the next segment is stopped in the middle of it.
fn causal(ppm: i64, is_founded: bool, pause: u64) {
    let mut model = loom::model::Builder::new();
    model.max_branches = 100_000; // a look at the reference is some dozens of loads and stores
    model.preemption_bound = model.preemption_bound.or(Some(2));
    model.check(move || {
        let machine = Arc::new(Machine { ticks: Shared::new(FIRST_TICK), ppm: 0.into() });
        let clock = Arc::new(Discipline::new(View(machine)));
        let read = |clock: &Discipline<View>| clock.read(|| clock.reference.ticks(), OnDistrust::ReadSystem);
        if is_founded {
            read(&clock);
            clock.reference.0.ticks.fetch_add(SPAN, Relaxed); // just past the end
        }
        clock.reference.0.ppm.store(ppm, Relaxed);
        let board = Arc::new(Shared::new(0));
        let other = {
            let (clock, board) = (clock.clone(), board.clone());
            thread::spawn(move || {
                clock.reference.0.ticks.fetch_add(pause, Relaxed);
                board.store(read(&clock), Release);
            })
        };
        let mine = read(&clock);
        let shown = board.load(Acquire);
        let next = read(&clock);
        assert!(next >= mine, "{next} after {mine} on one thread");
        assert!(next >= shown, "{next} after {shown} was shown");
        other.join().unwrap();
    });
}

#[test]
fn loom_the_first_reads_are_causal() {
    causal(0, false, 1_000);
}

#[test]
fn loom_reads_past_the_end_are_causal_while_the_system_falls_behind() {
    causal(-20_000, true, SPAN / 2);
}

#[test]
fn loom_reads_past_two_ends_are_causal() {
    causal(-20_000, true, 2 * SPAN);
}

#[test]
fn loom_reads_past_the_end_are_causal_while_the_system_runs_ahead() {
    causal(500, true, SPAN / 2);
}
