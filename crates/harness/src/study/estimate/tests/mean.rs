//! The mean that heads every cell: of what is timed alone, and the same on any number of threads.

use super::{iteration, measured, thread};
use crate::study::protocol::ThreadLog;

const PROCESSES: usize = 12;

#[test]
fn what_is_not_timed_counts_on_no_number_of_threads() {
    // 100 operations of 285 ns per batch, and inputs that take as long again to make.
    let logs = |threads: u64| {
        move |_: usize| {
            let of = |offset: u64| thread(1_000 * offset, &[28_500; 10], 40_000, 100);
            (0..5).map(|round| iteration(round, (0..threads).map(of).collect())).collect()
        }
    };
    for threads in [1, 2, 4] {
        let cell = measured(threads, PROCESSES, logs(u64::from(threads)));
        let time = cell.time_ns.unwrap();
        assert!((time.estimate - 285.0).abs() < 1e-6, "{time:?} on {threads} threads");
        let throughput = cell.throughput_per_s.unwrap();
        assert!((throughput.estimate - f64::from(threads) * 1e9 / 285.0).abs() < 1.0, "{throughput:?}");
    }
}

#[test]
fn a_rare_slow_call_is_in_the_mean_and_not_in_the_typical_value() {
    // 54 ns each; every 24 000th call takes 1.3 ms more: one batch in ten of 2 400 calls. The mean is 108.2 ns.
    for threads in [1, 2] {
        let log = |_: usize| {
            let batches: Vec<u64> = (0..10).map(|i| 2_400 * 54 + if i == 4 { 1_300_000 } else { 0 }).collect();
            (0..6).map(|round| iteration(round, vec![thread(0, &batches, 0, 2_400); threads])).collect()
        };
        let cell = measured(threads as u32, PROCESSES, log);
        let (time, typical) = (cell.time_ns.unwrap(), cell.median_ns.unwrap());
        let mean = 54.0 + 1_300_000.0 / 24_000.0;
        assert!((time.estimate - mean).abs() < 1e-6, "{time:?} on {threads} threads");
        assert!((typical.estimate - 54.0).abs() < 1e-6, "{typical:?}");
        let throughput = cell.throughput_per_s.unwrap();
        assert!((throughput.estimate * mean / 1e9 - threads as f64).abs() < 1e-6, "{throughput:?}");
    }
}

#[test]
fn one_slow_process_in_ten_moves_neither_the_estimate_nor_the_truth_out_of_the_interval() {
    let log = |process: usize| {
        let ns = 1_000 + process as u64 + if process == 7 { 100 } else { 0 };
        (0..4).map(|round| iteration(round, vec![thread(0, &[ns * 100; 8], 0, 100)])).collect()
    };
    let time = measured(1, PROCESSES, log).time_ns.unwrap();
    assert!((1_005.0..=1_007.0).contains(&time.estimate), "{time:?}");
    assert!(time.low == 1_000.0 && time.high == 1_107.0, "order statistics of twelve: {time:?}");
    assert!(time.confidence >= 0.999, "{time:?}");
}

#[test]
fn what_is_shorter_than_a_step_of_the_clock_counts_in_the_mean() {
    // A clock of 40 ns steps shows one operation of 10 ns as 0 ns three times in four: batches of one, and an iteration with several.
    let log = |_: usize| {
        let single =
            |round: u32| iteration(round, vec![thread(0, &[if round.is_multiple_of(4) { 40 } else { 0 }], 0, 1)]);
        let several = iteration(8, vec![thread(0, &[0, 40, 0, 0], 0, 1)]);
        (0..8).map(single).chain([several]).collect()
    };
    let cell = measured(1, PROCESSES, log);
    assert_eq!((cell.iterations, cell.reason_no_time), (9 * PROCESSES as u64, None));
    assert!((cell.time_ns.unwrap().estimate - 10.0).abs() < 1e-9, "{:?}", cell.time_ns);
    assert_eq!((cell.median_ns, cell.minimum_ns), (None, Some(10.0)));
    let never = measured(1, PROCESSES, |_| (0..8).map(|round| iteration(round, vec![thread(0, &[0], 0, 1)])).collect());
    assert_eq!(
        (never.iterations, never.iterations_quiet, never.time_ns),
        (8 * PROCESSES as u64, 8 * PROCESSES as u64, None)
    );
    assert!(never.reason_no_time.is_some());
}

#[test]
fn batches_that_are_logged_together_are_still_batches() {
    let log = |_: usize| {
        let merged = ThreadLog { operations: 800, merged: 4, ..thread(0, &[2_000; 10], 0, 80) };
        vec![iteration(0, vec![merged])]
    };
    let cell = measured(1, PROCESSES, log);
    assert_eq!(cell.operations_per_batch, 20);
    assert_eq!(cell.time_ns.map(|time| time.estimate), Some(25.0));
    assert_eq!(cell.median_ns.map(|time| time.estimate), Some(25.0));
}

#[test]
fn iterations_whose_threads_never_met_are_counted_and_said() {
    let apart = |round: u32| iteration(round, vec![thread(0, &[10], 0, 1), thread(1_000, &[10], 0, 1)]);
    let cell = measured(2, PROCESSES, |_| (0..4).map(apart).collect());
    assert_eq!((cell.iterations, cell.time_ns, cell.overlap_share), (4 * PROCESSES as u64, None, Some(0.0)));
    assert!(cell.reason_no_time.unwrap().contains("overlapped"));
    let together = |round: u32| iteration(round, vec![thread(0, &[10], 0, 1), thread(0, &[10], 0, 1)]);
    let cell =
        measured(2, PROCESSES, |_| (0..4).map(|round| if round == 0 { together(0) } else { apart(round) }).collect());
    assert_eq!((cell.iterations, cell.overlap_share), (4 * PROCESSES as u64, Some(0.0)));
    assert_eq!(cell.time_ns.map(|time| time.estimate), Some(10.0));
    let cell = measured(2, PROCESSES, |_| Vec::new());
    assert_eq!((cell.iterations, cell.overlap_share, cell.reason_no_time.as_deref()), (0, None, Some("not measured")));
}
