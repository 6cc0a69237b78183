//! Measures the counter's frequency against `CLOCK_MONOTONIC`.

use std::time::{Duration, Instant};

use chronoscope_clock::{TickSource, Unavailable};
use chronoscope_sources::arch::Counter;
use chronoscope_sources::os::OsClock;
use chronoscope_sources::{SourceId, SourceVisitor};
use serde::{Deserialize, Serialize};

use super::steps::OneLook;
use super::task::{Bench, Task};
use chronoscope_harness::estimators::steps::Steps;
use chronoscope_harness::record::Disturbance;

/// How long the reference is watched at each end, where it moves: over at least one of the kernel's updates, after which it
/// may stall.
const WATCHED: Duration = Duration::from_millis(10);
/// How long a change is waited for where it does not.
const PATIENCE: Duration = Duration::from_millis(200);
/// Reads between looks at the deadline.
const CHUNK: u64 = 256;
/// Changes kept of a reference that moves in steps.
const MOST_EDGES: usize = 64;

/// To measure it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct FrequencyTask;

/// Two anchors of the counter on `CLOCK_MONOTONIC`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Samples {
    /// Ticks from the first anchor to the second.
    pub ticks: u64,
    /// Nanoseconds from the first anchor to the second.
    pub reference_ns: u64,
    /// Sum of both anchors' half-widths, with how unevenly the reference moved around them.
    pub half_width_ticks: u64,
    /// Changes of the counter between consecutive reads, which show whether it moves in steps.
    pub steps: Steps,
}

impl Task for FrequencyTask {
    const NAME: &'static str = "frequency";
    type Samples = Samples;

    fn perform(&self, bench: &Bench) -> Result<(Samples, Disturbance), String> {
        bench.alone(|| run(bench.budget_ms))
    }
}

fn run(budget_ms: u64) -> Result<Samples, String> {
    let unavailable = |unavailable: Unavailable| unavailable.to_string();
    let counter = Counter::new().map_err(unavailable)?;
    let steps = SourceId::CounterOrdered.visit(OneLook).map_err(unavailable)?;
    let ends = SourceId::Os(OsClock::Monotonic).visit(Measure { counter, budget_ms }).map_err(unavailable)?;
    between(&ends[0], &ends[1], steps)
}

struct Measure {
    counter: Counter,
    budget_ms: u64,
}

impl SourceVisitor for Measure {
    type Output = [Watched; 2];

    fn visit<S: TickSource>(self, reference: S) -> [Watched; 2] {
        let end = || {
            let began = Instant::now();
            watch(
                || self.counter.bracket(),
                &reference,
                |watched| {
                    let patience = if watched.edges.is_empty() { PATIENCE } else { WATCHED };
                    began.elapsed() >= patience
                },
            )
        };
        let first = end();
        chronoscope_harness::rest(Duration::from_millis(self.budget_ms));
        [first, end()]
    }
}

/// A change of the reference: the counter's value around it, and the new value.
///
/// A stalled clock is right only at the moment it changes. On a CPU whose counter lags the kernel's last update,
/// `CLOCK_MONOTONIC` stalls until the next update, and any reading in between is late by up to one update interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Edge {
    ticks: u64,
    half_width_ticks: u64,
    reference_ns: u64,
}

/// How the reference moved while it was watched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Watched {
    /// The change that is known best.
    best: Option<Edge>,
    /// The first changes.
    edges: Vec<Edge>,
    reads: u64,
    /// Reads that returned the same value as the read before.
    unchanged: u64,
    /// The longest that the reference returned one value, in ticks.
    longest_still_ticks: u64,
}

impl Watched {
    /// Whether the reference moves in steps that are longer than reads.
    fn moves_in_steps(&self) -> bool {
        self.unchanged > self.reads / 2
    }
}

/// Watches `reference` until `is_enough`.
fn watch(counter: impl Fn() -> u64, reference: &impl TickSource, is_enough: impl Fn(&Watched) -> bool) -> Watched {
    let mut watched = Watched::default();
    let mut before = counter();
    let mut value = reference.read();
    // After the first read that returned this value.
    let mut from = None;
    while !is_enough(&watched) {
        for _ in 0..CHUNK {
            let between = counter();
            let now = reference.read();
            if now == value {
                watched.unchanged += 1;
                let still = between.saturating_sub(*from.get_or_insert(between));
                watched.longest_still_ticks = watched.longest_still_ticks.max(still);
            } else {
                let width = counter().saturating_sub(before);
                let half_width_ticks = width.div_ceil(2);
                let edge = Edge { ticks: before.saturating_add(width / 2), half_width_ticks, reference_ns: now };
                if watched.best.is_none_or(|best| half_width_ticks < best.half_width_ticks) {
                    watched.best = Some(edge);
                }
                if watched.edges.len() < MOST_EDGES {
                    watched.edges.push(edge);
                }
                (from, value) = (None, now);
            }
            before = between;
        }
        watched.reads += CHUNK;
    }
    watched
}

/// The measurement between two watches.
fn between(first: &Watched, second: &Watched, steps: Steps) -> Result<Samples, String> {
    let ends = first.best.zip(second.best);
    let advanced = ends.map(|(a, b)| (b.ticks.saturating_sub(a.ticks), b.reference_ns.saturating_sub(a.reference_ns)));
    let (Some((a, b)), Some((ticks @ 1.., reference_ns @ 1..))) = (ends, advanced) else {
        return Err("the counter or CLOCK_MONOTONIC did not advance".to_owned());
    };
    let ticks_per_ns = ticks as f64 / reference_ns as f64;
    let unevenness = [first, second].map(|watched| match watched.moves_in_steps() {
        true => spread(&watched.edges, ticks_per_ns),
        // It advances, but stalled for this long: either end may lie before or after the stall.
        false => watched.longest_still_ticks,
    });
    let brackets = a.half_width_ticks.saturating_add(b.half_width_ticks);
    let half_width_ticks = unevenness.into_iter().fold(brackets, u64::saturating_add);
    Ok(Samples { ticks, reference_ns, half_width_ticks, steps })
}

/// How far the counter's values at these changes are from a straight line of this slope, at most, in ticks.
fn spread(edges: &[Edge], ticks_per_ns: f64) -> u64 {
    let Some(first) = edges.first() else { return 0 };
    let off = |edge: &Edge| {
        let ticks = edge.ticks.wrapping_sub(first.ticks) as i64 as f64;
        ticks - edge.reference_ns.wrapping_sub(first.reference_ns) as i64 as f64 * ticks_per_ns
    };
    let (least, most) = edges.iter().map(off).fold((0.0, 0.0), |(least, most), off| (off.min(least), off.max(most)));
    (most - least).ceil() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// A counter at 2 GHz, and a reference that is `shown` of true time in nanoseconds. Each read takes 20 ns.
    struct Machine<F> {
        now_ns: Cell<u64>,
        shown: F,
    }

    impl<F: Fn(u64) -> u64> Machine<F> {
        fn pass(&self) -> u64 {
            self.now_ns.set(self.now_ns.get() + 20);
            self.now_ns.get()
        }
    }

    struct Reference<'a, F>(&'a Machine<F>);

    impl<F: Fn(u64) -> u64> TickSource for Reference<'_, F> {
        fn read(&self) -> u64 {
            (self.0.shown)(self.0.pass())
        }
    }

    fn measured(shown: impl Fn(u64) -> u64) -> Result<Samples, String> {
        let machine = Machine { now_ns: Cell::new(1_234_567), shown };
        let end = || {
            let began = machine.now_ns.get();
            watch(|| 2 * machine.pass(), &Reference(&machine), |_| machine.now_ns.get() - began >= 10_000_000)
        };
        let first = end();
        machine.now_ns.set(machine.now_ns.get() + 301_700_000);
        between(&first, &end(), Steps::default())
    }

    /// The frequency in hertz and its half-width in parts per million.
    fn frequency(shown: impl Fn(u64) -> u64) -> (f64, f64) {
        let found = measured(shown).unwrap();
        let hz = found.ticks as f64 / found.reference_ns as f64 * 1e9;
        (hz, found.half_width_ticks as f64 / found.ticks as f64 * 1e6)
    }

    const TICK_NS: u64 = 4_000_000;

    /// The truth lies within the half-width, which is no wider than this.
    fn holds(shown: impl Fn(u64) -> u64, at_most_ppm: f64) {
        let (hz, half_ppm) = frequency(shown);
        assert!((hz / 2e9 - 1.0).abs() * 1e6 <= half_ppm, "{hz} Hz ± {half_ppm} ppm");
        assert!(half_ppm <= at_most_ppm, "{hz} Hz ± {half_ppm} ppm");
    }

    #[test]
    fn a_clock_that_moves_all_the_time_is_bracketed_by_reads() {
        holds(|now| now, 1.0);
    }

    #[test]
    fn a_clock_that_stands_still_between_ticks_is_bracketed_by_its_changes() {
        holds(|now| now / TICK_NS * TICK_NS, 1.0);
    }

    #[test]
    fn changes_that_come_late_widen_the_interval() {
        // The kernel's update is seen up to 30 µs late.
        let late = |tick: u64| tick * 7_919 % 30_000;
        holds(|now| (now - late(now / TICK_NS).min(now % TICK_NS)) / TICK_NS * TICK_NS, 400.0);
        let seen_late = |now: u64| {
            let tick = now / TICK_NS;
            if now % TICK_NS < late(tick) { (tick - 1) * TICK_NS } else { tick * TICK_NS }
        };
        let (hz, half_ppm) = frequency(seen_late);
        assert!((hz / 2e9 - 1.0).abs() * 1e6 <= half_ppm && half_ppm < 400.0, "{hz} Hz ± {half_ppm} ppm");
    }

    #[test]
    fn a_clock_that_stands_still_for_a_while_after_each_tick_says_so() {
        // A counter 1 ms behind: after each tick the clock waits for it.
        let behind = 1_000_000;
        let shown = |now: u64| (now / TICK_NS * TICK_NS).max(now - behind);
        holds(shown, 8_000.0);
        assert!(frequency(shown).1 > 1_000.0);
    }

    #[test]
    fn a_clock_that_never_moves_gives_no_frequency() {
        assert!(measured(|_| 7).is_err());
    }
}
