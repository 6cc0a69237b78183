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
    for _ in 0..5 {
        // Each code layout has its own time, up to 15 % apart; processes start with another.
        let level = |process: usize, round: u32| 100.0 * (1.0 + 0.05 * f64::from((process as u32 + round) % LAYOUTS));
        let found = steadiness(&run(&mut random, level));
        assert!(!found.is_unsteady() && found.within_process_pct.is_some(), "{found:?}");
    }
}

#[test]
fn what_depends_on_an_address_is_no_change_over_time() {
    let mut random = Random::new(205);
    let draws = std::cell::RefCell::new(Random::new(206));
    for _ in 0..20 {
        // Each iteration makes its buffer anew.
        let level = |_: usize, _: u32| [10.3, 17.9, 26.5][(draws.borrow_mut().unit() * 3.0) as usize];
        let found = steadiness(&run(&mut random, level));
        assert!(!found.is_unsteady(), "{found:?}");
    }
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
fn an_operation_that_grows_in_every_process_is_found_beside_a_busy_thread() {
    let mut random = Random::new(204);
    let busy = std::cell::RefCell::new(Random::new(207));
    for share in [0.0, 0.3] {
        // By 60 % from the first iteration to the last; in a share of them another thread takes as long.
        let level = |_: usize, round: u32| {
            let taken = if busy.borrow_mut().unit() < share { 100.0 } else { 0.0 };
            100.0 * (1.0 + 0.015 * f64::from(round)) + taken
        };
        let found = steadiness(&run(&mut random, level));
        let change = found.change_pct().unwrap();
        assert!(change.holds(100.0 * (1.495 / 1.2925 - 1.0)), "{found:?}");
        assert_eq!((found.within_process_pct, found.drift_over_run_pct), (Some(change), None));
    }
}

#[test]
fn what_grows_within_an_iteration_is_found() {
    let batches: Vec<u64> = (0..12).map(|batch| 100_000 + 2_000 * batch).collect();
    let log = |_: usize| (0..ROUNDS).map(|round| iteration(round, vec![thread(0, &batches, 0, 1_000)])).collect();
    let found = steadiness(&measured(1, PROCESSES, log));
    assert_eq!(found.change_pct(), found.within_iteration_pct);
    assert!(found.is_unsteady() && found.within_process_pct.is_some_and(|none| none.estimate == 0.0), "{found:?}");
    // One that only begins slowly has warmed up.
    let batches = [150_000, 120_000, 100_000, 100_000, 100_000, 100_000, 100_000, 100_000, 100_000];
    let log = |_: usize| (0..ROUNDS).map(|round| iteration(round, vec![thread(0, &batches, 0, 1_000)])).collect();
    assert!(!steadiness(&measured(1, PROCESSES, log)).is_unsteady());
}
