//! Reads each clock at irregular times: between two readings lies work of random length.

use chronoscope_clock::TickSource;
use chronoscope_sources::SourceVisitor;
use chronoscope_sources::work::consume_cpu;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng};
use serde::{Deserialize, Serialize};

use crate::clock_id::ClockId;
use crate::engine::task::{Bench, Task};
use crate::engine::timer::{Deadline, Timer};
use chronoscope_harness::estimators::tick::{READINGS, SPREAD_NS};
use chronoscope_harness::record::Disturbance;

/// Readings between deadline checks.
const PIECE: usize = 500;
/// Work with which the search for that length begins.
const FIRST_TOKENS: u64 = 16;
/// More would take longer than that on any machine: the timer stands still.
const MOST_TOKENS: u64 = 1 << 26;
/// The sequence of random lengths: the same in every run, and as irregular in each.
const SEED: u64 = 1;

/// Reads these clocks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TickTask(pub Vec<ClockId>);

/// Readings of one clock, in its own ticks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Readings {
    /// Each reading less the one before.
    pub changes: Vec<i64>,
}

impl Task for TickTask {
    const NAME: &'static str = "tick";
    type Samples = Vec<Readings>;

    fn perform(&self, bench: &Bench) -> Result<(Self::Samples, Disturbance), String> {
        bench.alone(|| {
            let timer = bench.timer()?;
            let budget_ns = bench.budget_ms * 1_000_000 / self.0.len().max(1) as u64;
            let works = works(tokens_of(timer, SPREAD_NS));
            self.0.iter().map(|clock| clock.visit(Take { timer, budget_ns, works: &works })).collect()
        })
    }

    fn answered(&self, clocks: &Self::Samples) -> (usize, usize) {
        (clocks.iter().filter(|readings| !readings.changes.is_empty()).count(), self.0.len())
    }
}

/// The least power of two of tokens that take as long as `ns`.
fn tokens_of(timer: Timer, ns: u64) -> u64 {
    let took_ns = |tokens: u64| {
        let start = timer.now();
        consume_cpu(tokens);
        timer.ns_since(start)
    };
    let mut tokens = FIRST_TOKENS;
    // Of three, since one may be interrupted.
    while tokens < MOST_TOKENS && (0..3).map(|_| took_ns(tokens)).min().unwrap_or(0) < ns {
        tokens *= 2;
    }
    tokens
}

/// What to do before each reading: up to `most` tokens.
fn works(most: u64) -> Vec<u64> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED);
    (0..READINGS).map(|_| ((u128::from(random.next_u64()) * u128::from(most)) >> 64) as u64).collect()
}

struct Take<'a> {
    timer: Timer,
    budget_ns: u64,
    works: &'a [u64],
}

impl SourceVisitor for Take<'_> {
    type Output = Readings;

    fn visit<S: TickSource>(self, source: S) -> Readings {
        let deadline = Deadline::after_ns(self.timer, self.budget_ns);
        let values = at_irregular_times(&source, self.works, consume_cpu, || deadline.passed());
        Readings { changes: values.windows(2).map(|pair| pair[1].wrapping_sub(pair[0]) as i64).collect() }
    }
}

/// A reading of `source` after each of `works`, or of fewer if `stop` returns true between two pieces.
pub fn at_irregular_times<S: TickSource>(
    source: &S,
    works: &[u64],
    work: impl Fn(u64),
    stop: impl Fn() -> bool,
) -> Vec<u64> {
    // Written once, so that no page fault falls between two readings.
    let mut values = vec![1; works.len()];
    let mut taken = 0;
    for (values, works) in values.chunks_mut(PIECE).zip(works.chunks(PIECE)) {
        for (value, tokens) in values.iter_mut().zip(works) {
            work(*tokens);
            *value = source.read();
        }
        taken += values.len();
        if stop() {
            break;
        }
    }
    values.truncate(taken);
    values
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use chronoscope_clock::FakeClock;
    use chronoscope_sources::Rate;

    use super::*;
    use chronoscope_harness::estimators::tick::tick;

    /// The tick found behind reads of 669 ns of a clock that ticks every `tick`, with up to `most` nanoseconds between them.
    fn found(every: Duration, most: u64) -> Option<f64> {
        let clock = FakeClock::new();
        clock.set_read_cost(Duration::from_nanos(669));
        clock.coarsen(every);
        let work = |ns| clock.advance(Duration::from_nanos(ns));
        let readings = at_irregular_times(&clock, &works(most), work, || false);
        tick(&readings, Rate::NANOSECONDS).period_ns.map(|period| period.estimate)
    }

    #[test]
    fn a_tick_shorter_than_a_read_is_found() {
        for every in [10, 100, 279] {
            let period = found(Duration::from_nanos(every), 8_000).unwrap_or_else(|| panic!("{every}"));
            assert!((period / every as f64 - 1.0).abs() < 1e-6, "{period} instead of {every}");
        }
    }

    #[test]
    fn a_fine_clock_has_none() {
        assert_eq!(found(Duration::from_nanos(1), 8_000), None);
    }

    #[test]
    fn reads_at_regular_times_show_nothing() {
        let clock = FakeClock::new();
        clock.set_read_cost(Duration::from_nanos(669));
        let readings = at_irregular_times(&clock, &works(0), |_| (), || false);
        let seen = tick(&readings, Rate::NANOSECONDS);
        assert_eq!((seen.period_ns, seen.longest_ns, seen.readings), (None, None, READINGS as u64));
    }

    #[test]
    fn stopping_early_keeps_the_first_piece() {
        let readings = at_irregular_times(&FakeClock::new(), &works(0), |_| (), || true);
        assert_eq!(readings.len(), PIECE);
    }

    #[test]
    fn work_is_of_every_length() {
        let lengths = works(64);
        assert!((0..64).all(|length| lengths.contains(&length)) && lengths.iter().all(|length| *length < 64));
    }
}
