//! Verdicts of comparisons within a run.

use std::cell::RefCell;

use super::*;
use crate::record::study::{ComparisonPoint, Difference, Leading};
use crate::stats::Random;

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

/// Processes whose operations take so long in a batch of 100 µs, with rare calls in some of their batches.
fn point(processes: usize, batch_ns: impl Fn(usize, usize, u32) -> u64) -> ComparisonPoint {
    let log = |process: usize| {
        let one = |cell: usize, round: u32| {
            let batches: Vec<u64> = (0..5).map(|_| batch_ns(process, cell, round)).collect();
            IterationLog { cell, ..iteration(round, vec![thread(0, &batches, 0, 1_000)]) }
        };
        (0..ROUNDS).flat_map(|round| [one(0, round), one(1, round)]).collect()
    };
    let compared = [("second", "first")];
    let mut report = reported(&["first", "second"], &compared, 0.0, Mode::AverageTime, 1, processes, log);
    report.comparisons[0].points.remove(0)
}

#[test]
fn half_a_percent_is_told_from_one_beneath_interruptions() {
    let random = RefCell::new(Random::new(701));
    for (planted, is_told) in [(0, false), (500, true)] {
        let found = point(24, |_, cell, _| {
            let interrupted = random.borrow_mut().unit() < 0.2;
            let ns = 100_000 + (50.0 * random.borrow_mut().normal()) as i64 + if cell == 1 { planted } else { 0 };
            ns as u64 + if interrupted { 1_000_000 } else { 0 }
        });
        assert_eq!(!found.ratio.holds(1.0), is_told, "{found:?}");
        assert!(found.ratio.holds(1.0 + planted as f64 / 1e5), "{found:?}");
        assert_eq!((found.verdict, found.leads), (Difference::Same, Leading::Typical), "within the margin");
    }
}

#[test]
fn what_is_the_same_but_for_rare_slow_calls_says_both() {
    let found = point(12, |_, cell, round| if cell == 1 && round % 10 == 9 { 500_000 } else { 100_000 });
    assert_eq!(found.verdict, Difference::Same);
    let other = found.disagreement(1.0).unwrap();
    assert!((other.estimate - 1.4).abs() < 1e-9, "{other:?}");
}

#[test]
fn what_is_faster_but_for_rare_slow_calls_says_both() {
    let found = point(12, |_, cell, round| match (cell, round % 10) {
        (1, 9) => 1_100_000,
        (1, _) => 95_000,
        _ => 100_000,
    });
    assert_eq!(found.verdict, Difference::Faster);
    assert!(found.disagreement(1.0).is_some_and(|other| other.low > 1.0), "{found:?}");
}

#[test]
fn states_that_disagree_give_no_verdict() {
    // The layout of a process decides which of the two is slow.
    let found = point(24, |process, cell, _| if (process * 7 % 3 == 0) == (cell == 0) { 120_000 } else { 100_000 });
    assert!(found.has_states && found.verdict == Difference::Unresolved, "{found:?}");
    // Both suffer it alike, and one is slower.
    let found =
        point(24, |process, cell, _| if process * 7 % 3 == 0 { 120_000 } else { 100_000 } * (10 + cell as u64) / 10);
    assert!(!found.has_states && found.verdict == Difference::Slower, "{found:?}");
    // In either state it is slower.
    let found =
        point(24, |process, cell, _| 100_000 + cell as u64 * if process * 7 % 3 == 0 { 50_000 } else { 20_000 });
    assert!(!found.has_states && found.verdict == Difference::Slower, "{found:?}");
}
