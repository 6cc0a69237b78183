//! What is steady, what is not, and what only looks unsteady.

use super::{iteration, measured, thread};
use crate::record::study::{Cell, Steadiness};
use crate::stats::Random;
use crate::study::schedule::LAYOUTS;

const PROCESSES: usize = 24;
const ROUNDS: u32 = 40;

/// A run of an operation that takes `level(process, round)` nanoseconds, give or take a percent in each batch and half a percent
/// in each process.
fn run(random: &mut Random, level: impl Fn(usize, u32) -> f64) -> Cell {
    let log = |process: usize| {
        let own = 1.0 + 0.005 * random.normal();
        let mut batch = |round: u32| (1e3 * own * level(process, round) * (1.0 + 0.01 * random.normal())) as u64;
        (0..ROUNDS)
            .map(|round| iteration(round, vec![thread(0, &[batch(round), batch(round), batch(round)], 0, 1_000)]))
            .collect()
    };
    measured(1, PROCESSES, log)
}

fn steadiness(cell: &Cell) -> Steadiness {
    cell.steadiness.unwrap()
}

#[test]
fn layouts_that_differ_are_no_change_over_time() {
    let mut random = Random::new(201);
    let mut never = 0;
    for _ in 0..5 {
        // Each code layout has its own time, up to 15 % apart.
        let found = steadiness(&run(&mut random, |_, round| 100.0 * (1.0 + 0.05 * f64::from(round % LAYOUTS))));
        assert_eq!(found.judged(), PROCESSES as u64, "{found:?}");
        never += found.never();
    }
    assert!(never <= 2, "{never} of {}", 5 * PROCESSES);
}

#[test]
fn a_drift_of_three_percent_over_the_run_is_found() {
    let mut random = Random::new(202);
    let length = PROCESSES as f64 * f64::from(ROUNDS);
    let found = (0..30).filter(|_| {
        let drifting = |process: usize, round: u32| {
            100.0 * (1.0 + 0.03 * (process as f64 * f64::from(ROUNDS) + f64::from(round)) / length)
        };
        let drift = steadiness(&run(&mut random, drifting)).drift_over_run_pct;
        drift.is_some_and(|pct| (1.5..4.5).contains(&pct))
    });
    let found = found.count();
    assert!(found >= 28, "found in {found} of 30 runs");
}

#[test]
fn a_run_without_a_drift_has_none() {
    let mut random = Random::new(203);
    let found = (0..60).filter(|_| steadiness(&run(&mut random, |_, _| 100.0)).drift_over_run_pct.is_some()).count();
    assert_eq!(found, 0);
}

#[test]
fn an_operation_that_grows_in_every_process_is_a_trend() {
    let mut random = Random::new(204);
    let found = steadiness(&run(&mut random, |_, round| 100.0 * (1.0 + 0.01 * f64::from(round))));
    assert!(found.trend as usize >= PROCESSES - 1, "{found:?}");
    assert!((found.trend_ns_per_batch.unwrap() - 1.0).abs() < 0.2, "{found:?}");
    assert_eq!(found.drift_over_run_pct, None);
}
