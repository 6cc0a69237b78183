//! The tail of what a read takes: every read on its own between two of the bare counter.
//!
//! No study: a study times loops of reads, in which a slow one disappears.

use std::hint::black_box;
use std::time::Duration;

use bench_clock::monotonic::monotonic_ns;
use bench_common::cpus::{self, beside_hogs, on_each};
use bench_common::value::{quantile, sorted};
use bench_common::{Failure, Run, Section, Table, Value};
use chronoscope_clock::{Clock, Granular};
use chronoscope_harness::record::Estimate;
use chronoscope_sources::arch::Counter;

static GRANULAR: Granular = Granular::new(Duration::from_micros(1));

/// Reads until it is the next one's turn: what disturbs the machine for longer disturbs all alike.
const BLOCK: u32 = 1_000;
/// Ticks that are counted by their number; the few reads that took more are kept one by one.
const FEW_TICKS: usize = 1 << 12;
const SHARES: [f64; 5] = [0.5, 0.99, 0.999_9, 0.999_99, 1.0];
const REFERENCE: &str = "clock_gettime MONOTONIC";
const CONFIDENCE: f64 = 0.95;

#[derive(Clone)]
struct Took {
    ticks: Vec<u64>,
    longer: Vec<u64>,
}

type Subject = (&'static str, Box<dyn Fn(&mut Took) + Send + Sync>);

pub(crate) fn measure(is_loaded: bool, run: &Run, section: &mut Section) -> Result<(), Failure> {
    let cpu = *cpus::allowed()?.last().ok_or_else(|| Failure::run("no CPU may be used"))?;
    let hogs = if is_loaded { vec![cpu] } else { Vec::new() };
    let blocks = run.pick(1_000, 20);
    let counter = Counter::new().map_err(|why| Failure::run(format!("the counter cannot be read: {why}")))?;
    let hz =
        Clock::or_system().trust().counter_hz.ok_or_else(|| Failure::run("the clock does not read the counter"))?;
    let ns = |ticks: u64| ticks as f64 * 1e9 / hz;
    let all = subjects(counter);
    let rounds = || {
        run.repeat(section.name, 10, 1, |_| {
            let mut took = vec![Took::new(); all.len()];
            for block in 0..blocks {
                order(block, all.len()).for_each(|at| all[at].1(&mut took[at]));
            }
            Ok(took)
        })
    };
    let rounds = beside_hogs(&hogs, || on_each(&[cpu], |_| rounds()))?.remove(0);

    let quantiles_of = |took: &Took| SHARES.map(|share| ns(took.quantile(share)));
    let by_round: Vec<Vec<_>> = rounds.iter().map(|took| took.iter().map(quantiles_of).collect()).collect();
    let reference = all.iter().position(|(name, _)| *name == REFERENCE).unwrap_or(0);
    let columns = "read | p50 ns | p99 ns | p99.99 ns | p99.999 ns | worst µs | p99.99 × p50 | p99.999 × clock_gettime's \
                   | worst × clock_gettime's";
    let mut table = Table::new(1, columns);
    for (at, (name, _)) in all.iter().enumerate() {
        let mut took = Took::new();
        rounds.iter().for_each(|round| took.add(&round[at]));
        let [p50, p99, p9999, p99999, worst] = quantiles_of(&took);
        let ratio =
            |of: usize, by: usize, to: usize| median(by_round.iter().map(|round| round[at][of] / round[by][to]), 2);
        table.row([
            (*name).into(),
            Value::number(p50, 1),
            Value::number(p99, 1),
            Value::number(p9999, 1),
            Value::number(p99999, 0),
            Value::number(worst / 1e3, 1),
            median(by_round.iter().map(|round| round[at][2] / round[at][0]), 2),
            ratio(3, reference, 3),
            ratio(4, reference, 4),
        ]);
    }
    section.table(table);
    section.say(format!(
        "{} rounds of {} reads each, {BLOCK} of each kind in turn, in another order each time, on CPU {cpu}{}. Each read lies between two of the bare counter, the first \
         row nothing; nothing is subtracted. Ratios are within rounds; in brackets: at least {} % intervals of their medians.",
        rounds.len(),
        u64::from(BLOCK) * blocks as u64,
        if is_loaded { " with a hog on the same CPU" } else { "" },
        CONFIDENCE * 1e2,
    ));
    Ok(())
}

/// Another kind first in each turn, and every other turn backwards, so that what comes periodically meets all alike.
fn order(block: usize, kinds: usize) -> impl Iterator<Item = usize> {
    (0..kinds)
        .map(move |place| if block.is_multiple_of(2) { place } else { kinds - 1 - place })
        .map(move |at| (at + block / 2) % kinds)
}

fn subjects(counter: Counter) -> [Subject; 7] {
    let (clock, quanta) = (Clock::or_system(), quanta::Clock::new());
    [
        timed(counter, "nothing", || ()),
        timed(counter, REFERENCE, monotonic_ns),
        timed(counter, "std Instant::now", std::time::Instant::now),
        timed(counter, "quanta Clock::now", move || quanta.now()),
        timed(counter, "our Clock::now", move || clock.now()),
        timed(counter, "our Unordered", move || clock.unordered().now()),
        timed(counter, "our Granular 1 µs", || GRANULAR.now()),
    ]
}

fn timed<T>(counter: Counter, name: &'static str, read: impl Fn() -> T + Send + Sync + 'static) -> Subject {
    let reads = move |took: &mut Took| {
        for _ in 0..BLOCK {
            let begun = counter.ordered();
            black_box(read());
            took.note(counter.ordered().wrapping_sub(begun));
        }
    };
    (name, Box::new(reads))
}

impl Took {
    fn new() -> Self {
        Self { ticks: vec![0; FEW_TICKS], longer: Vec::new() }
    }

    #[inline(always)]
    fn note(&mut self, ticks: u64) {
        match self.ticks.get_mut(ticks as usize) {
            Some(count) => *count += 1,
            None => self.longer.push(ticks),
        }
    }

    fn add(&mut self, more: &Self) {
        self.ticks.iter_mut().zip(&more.ticks).for_each(|(count, more)| *count += more);
        self.longer.extend(&more.longer);
    }

    /// The least that this share of all reads did not exceed.
    fn quantile(&self, share: f64) -> u64 {
        let few: u64 = self.ticks.iter().sum();
        let all = few + self.longer.len() as u64;
        let place = ((share * all as f64).ceil() as u64).clamp(1, all.max(1));
        let mut seen = 0;
        let is_there = |count: &u64| {
            seen += count;
            seen >= place
        };
        self.ticks.iter().position(is_there).map_or_else(
            || {
                let mut longer = self.longer.clone();
                longer.sort_unstable();
                longer.get((place - few) as usize - 1).copied().unwrap_or(0)
            },
            |ticks| ticks as u64,
        )
    }
}

/// The median over rounds, between the two rounds that hold that of all rounds with [`CONFIDENCE`] at least.
///
/// # Sources
/// H. A. David, H. N. Nagaraja, "Order Statistics", 3rd ed., 7.1.
fn median(rounds: impl Iterator<Item = f64>, decimals: usize) -> Value {
    let Some(rounds) = sorted(rounds) else { return Value::Nothing };
    let cut = cut_off(rounds.len());
    let estimate = quantile(&rounds, 0.5);
    let (low, high) = (rounds[cut], rounds[rounds.len() - 1 - cut]);
    Value::estimate(Estimate { estimate, low, high, confidence: CONFIDENCE }, decimals)
}

/// How many of so many values may be left out at both ends.
fn cut_off(values: usize) -> usize {
    // By a fair coin for each value: on which side of the median it lies.
    let mut probability = 0.5_f64.powi(values as i32);
    let mut outside = 0.0;
    for cut in 0..values / 2 {
        outside += 2.0 * probability;
        if outside > 1.0 - CONFIDENCE {
            return cut.saturating_sub(1);
        }
        probability *= (values - cut) as f64 / (cut + 1) as f64;
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_turn_at_every_place() {
        let mut places = [[0; 3]; 3];
        for block in 0..6 {
            let order: Vec<usize> = order(block, 3).collect();
            order.iter().enumerate().for_each(|(place, kind)| places[*kind][place] += 1);
        }
        assert_eq!(places, [[2; 3]; 3]);
    }

    #[test]
    fn quantiles_are_of_all_reads_long_ones_too() {
        let mut took = Took::new();
        (0..99).for_each(|_| took.note(40));
        took.note(1 << 20);
        assert_eq!([0.5, 0.99, 1.0].map(|share| took.quantile(share)), [40, 40, 1 << 20]);
        let mut twice = took.clone();
        twice.add(&took);
        twice.note(1 << 21);
        assert_eq!([0.98, 0.993, 1.0].map(|share| twice.quantile(share)), [40, 1 << 20, 1 << 21]);
        assert_eq!(Took::new().quantile(0.5), 0);
    }

    /// From tables of the confidence of order statistics: of 10 values the second and the ninth, 97.9 %; of 9 the same, 96.1 %.
    #[test]
    fn an_interval_of_the_median_leaves_out_what_tables_say() {
        assert_eq!([1, 5, 6, 9, 10, 20, 100].map(cut_off), [0, 0, 0, 1, 1, 5, 39]);
    }
}
