//! The shortest intervals that the product prints, tried again from outside: work of known length, each time between two reads of the
//! standard library's clock.

use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

use bench_common::process::{all, document};
use bench_common::value::median;
use bench_common::{Failure, Run, Section, Table, Value};
use serde_json::Value as Json;

use crate::operation::chain_1;

/// The clock of the standard library.
const CLOCK: &str = "CLOCK_MONOTONIC";
const TOLERANCES: [(&str, f64); 2] = [("within_1pct", 0.01), ("within_10pct", 0.1)];
/// Pairs of reads, in groups between two batches that say how long a link takes.
const GROUPS: usize = 40;
const PAIRS: usize = 50;
const BATCH_LINKS: u64 = 100_000;
/// Lengths tried are up to so many times what is printed: it is a promise of all longer ones.
const LONGEST: f64 = 1.2;
/// The work before a pair, so that it begins in any phase of the clock's tick, in links.
const PHASES: u64 = 1_000;
/// The share of pairs within the tolerance that is printed.
const SHARE: f64 = 0.95;

/// What one trial of a printed interval found.
struct Trial {
    printed_ns: f64,
    share: f64,
}

pub(crate) fn measure(run: &Run, section: &mut Section) -> Result<(), Failure> {
    let quick: &[&str] = run.pick(&[], &["--quick"]);
    let trials = run.repeat("shortest intervals", 20, 1, |_| {
        let record = document(&run.chronoscope, &[&["clocks"], quick].concat())?;
        let mut clocks = all(&record["content"]["sections"]["clocks"]["report"]["clocks"]);
        let clock = clocks.find(|clock| clock["name"] == CLOCK).cloned().unwrap_or_default();
        Ok(TOLERANCES.map(|(field, tolerance)| tried(&clock, field, tolerance)))
    })?;
    let mut table = Table::new(1, &format!("{CLOCK} within | holds | not printed | printed ns | pairs within it, %"));
    for (at, (_, tolerance)) in TOLERANCES.into_iter().enumerate() {
        let found: Vec<&Trial> = trials.iter().filter_map(|both| both[at].as_ref()).collect();
        table.row([
            format!("{} %", tolerance * 100.0).into(),
            Value::count(found.iter().map(|trial| trial.share >= SHARE)),
            ((trials.len() - found.len()) as u64).into(),
            Value::extremes(found.iter().map(|trial| trial.printed_ns), 0),
            Value::extremes(found.iter().map(|trial| trial.share * 100.0), 1),
        ]);
    }
    section.table(table);
    section.say(format!(
        "Medians with extremes. Lengths up to {LONGEST} times what is printed, {} pairs each, from any phase of the tick.",
        GROUPS * PAIRS
    ));
    Ok(())
}

/// The interval that is printed for a tolerance, tried; None if none is.
fn tried(clock: &Json, field: &str, tolerance: f64) -> Option<Trial> {
    let printed_ns = clock["intervals"]["direct_interval_ns"][field].as_f64()?;
    Some(Trial { printed_ns, share: share_within(printed_ns, tolerance) })
}

/// The share of pairs of reads that time work of about `ns` within `tolerance`.
fn share_within(ns: f64, tolerance: f64) -> f64 {
    let random = RandomState::new();
    let (mut value, mut within, mut made) = (1, 0, 0);
    for group in 0..GROUPS {
        let link_ns = link_ns(&mut value);
        let call_ns = call_ns(&mut value, (ns / link_ns) as u64, link_ns);
        let pairs: Vec<(u64, Duration)> = (0..PAIRS)
            .map(|pair| {
                let drawn = random.hash_one((group, pair));
                let share = (drawn >> 32) as f64 / f64::from(u32::MAX);
                let links = (ns * (1.0 + (LONGEST - 1.0) * share) / link_ns).round() as u64;
                value = chain(value, drawn % PHASES);
                let began = Instant::now();
                value = chain(value, links);
                (links, began.elapsed())
            })
            .collect();
        let after_ns = self::link_ns(&mut value);
        // Work that changed its pace meanwhile has no known length.
        if (after_ns / link_ns - 1.0).abs() > tolerance / 4.0 {
            continue;
        }
        let link_ns = f64::midpoint(link_ns, after_ns);
        made += PAIRS;
        let is_within = |(links, took): &&(u64, Duration)| {
            let truth_ns = *links as f64 * link_ns + call_ns;
            (took.as_nanos() as f64 / truth_ns - 1.0).abs() <= tolerance
        };
        within += pairs.iter().filter(is_within).count();
    }
    std::hint::black_box(value);
    within as f64 / made as f64
}

#[inline(never)]
fn chain(mut value: u64, links: u64) -> u64 {
    for _ in 0..links {
        value = chain_1(value);
    }
    value
}

/// The time of a link, in nanoseconds.
fn link_ns(value: &mut u64) -> f64 {
    let took = (0..5).map(|_| {
        let began = Instant::now();
        *value = chain(*value, BATCH_LINKS);
        began.elapsed().as_nanos() as f64 / BATCH_LINKS as f64
    });
    median(took.collect::<Vec<f64>>()).unwrap_or(f64::NAN)
}

/// What a call takes beyond its links, where no two calls in a row have as many: the end of the loop is not foreseen.
fn call_ns(value: &mut u64, links: u64, link_ns: f64) -> f64 {
    const CALLS: u64 = 64;
    let random = RandomState::new();
    let took = (0..5_u64).map(|batch| {
        let lengths = (0..CALLS).map(|call| links + random.hash_one((batch, call)) % (links / 5 + 2));
        let lengths: Vec<u64> = lengths.collect();
        let began = Instant::now();
        *value = lengths.iter().fold(*value, |value, links| chain(value, *links));
        let taken_ns = began.elapsed().as_nanos() as f64;
        (taken_ns - lengths.iter().sum::<u64>() as f64 * link_ns) / CALLS as f64
    });
    median(took.collect::<Vec<f64>>()).unwrap_or(f64::NAN).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_a_millisecond_are_timed_by_any_clock_and_those_of_a_nanosecond_by_none() {
        assert!(share_within(1e6, 0.1) > 0.5);
        assert!(share_within(1.0, 0.01) < 0.5);
    }
}
