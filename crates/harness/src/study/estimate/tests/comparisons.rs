//! Verdicts of comparisons within a run.

use super::*;
use crate::record::study::Difference;

/// Rounds of a process.
const ROUNDS: u32 = 20;

/// The verdict of the second of two operations against the first, whose batches take so long in a round.
fn verdict(processes: usize, comparisons: usize, batch_ns: f64, batches_ns: fn(u32) -> [u64; 2]) -> Difference {
    let log = |_| {
        let one = |cell: usize, round: u32| {
            let ns = batches_ns(round)[cell];
            IterationLog { cell, ..iteration(round, vec![thread(0, &[ns; 5], 0, 1_000)]) }
        };
        (0..ROUNDS).flat_map(|round| [one(0, round), one(1, round)]).collect()
    };
    let compared = vec![("second", "first"); comparisons];
    let report = reported(&["first", "second"], &compared, batch_ns, Mode::AverageTime, 1, processes, log);
    report.comparisons[0].points[0].verdict
}

#[test]
fn many_verdicts_take_more_processes() {
    let twice = |_: u32| [100_000, 200_000];
    assert_eq!(verdict(6, 1, 0.0, twice), Difference::Slower);
    assert_eq!(verdict(6, 20, 0.0, twice), Difference::Unresolved);
    assert_eq!(verdict(12, 20, 0.0, twice), Difference::Slower);
}

#[test]
fn what_the_clock_leaves_open_is_not_called_the_same() {
    let alike = |_: u32| [100_000, 100_100];
    assert_eq!(verdict(12, 1, 100.0, alike), Difference::Same);
    // A batch may be off by 5 %.
    assert_eq!(verdict(12, 1, 2_500.0, alike), Difference::Unresolved);
}

#[test]
fn a_rare_slow_call_is_not_the_same() {
    let rarely = |round: u32| [100_000, if round % 10 == 9 { 200_000 } else { 100_000 }];
    assert_eq!(verdict(12, 1, 0.0, rarely), Difference::Unresolved);
}

#[test]
fn what_is_faster_but_for_rare_slow_calls_is_not_faster() {
    let rarely = |round: u32| [100_000, if round % 10 == 9 { 1_100_000 } else { 95_000 }];
    assert_eq!(verdict(12, 1, 0.0, rarely), Difference::Unresolved);
    let turned = |round: u32| [if round % 10 == 9 { 1_100_000 } else { 95_000 }, 100_000];
    assert_eq!(verdict(12, 1, 0.0, turned), Difference::Unresolved);
}
