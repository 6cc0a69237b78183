//! The two numbers of a cell, and which of them leads.

use super::{iteration, measured, reported, thread};
use crate::record::study::{Leading, Mode};
use crate::stats::Random;
use crate::study::protocol::{IterationLog, ThreadLog};
use crate::study::schedule::EMPTY;

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
        let (found, typical) = (cell.mean_ns.unwrap(), cell.typical_ns.unwrap());
        let mean = 54.0 + 1_300_000.0 / 24_000.0;
        assert!((found.estimate - mean).abs() < 1e-6, "{found:?} on {threads} threads");
        assert!((typical.estimate - 54.0).abs() < 1e-6, "{typical:?}");
        let (throughput, time) = (cell.throughput_per_s.unwrap(), cell.time_ns.unwrap());
        assert!((throughput.estimate * time.estimate / 1e9 - threads as f64).abs() < 1e-6, "{throughput:?}");
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
    assert_eq!((cell.typical_ns, cell.leads), (None, Leading::Mean));
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
    assert_eq!(cell.typical_ns.map(|time| time.estimate), Some(25.0));
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

/// A cell of batches of 1 000 operations that take 100 ns each, among empty loops of 1 ns. Any batch, of either, is longer by 1 ms with
/// the chance of a busy machine; those of the operation also by `rare_ns`, one in ten.
fn beside_an_empty_loop(random: &mut Random, busy: f64, rare_ns: u64) -> crate::record::study::Cell {
    let log = |_: usize| {
        let mut interrupted = || if random.unit() < busy { 1_000_000 } else { 0 };
        let mut of_round = |round: u32| {
            let empty: Vec<u64> = (0..10).map(|_| 100_000 + interrupted()).collect();
            let own: Vec<u64> =
                (0..10).map(|batch| 100_000 + interrupted() + if batch == 3 { rare_ns } else { 0 }).collect();
            let of = |cell, thread| IterationLog { cell, ..iteration(round, vec![thread]) };
            [of(0, thread(0, &empty, 0, 100_000)), of(1, thread(0, &own, 0, 1_000))]
        };
        (0..20).flat_map(&mut of_round).collect()
    };
    reported(&[EMPTY, "operation"], &[], 0.0, Mode::AverageTime, 1, 24, log).cells.remove(0)
}

#[test]
fn the_typical_value_leads_where_interruptions_alone_part_the_two() {
    let mut random = Random::new(601);
    for busy in [0.0, 0.01, 0.05, 0.2] {
        let cell = beside_an_empty_loop(&mut random, busy, 0);
        assert_eq!((cell.leads, cell.rare_calls), (Leading::Typical, None), "{busy}");
        assert_eq!(cell.time_ns.unwrap().estimate, 100.0, "whatever the interruptions");
    }
}

#[test]
fn iterations_that_lose_their_cpu_by_being_long_do_not_make_the_mean_lead() {
    // The empty loop's are short: another thread takes the CPU from one in ten of them, and from half of the operation's.
    let mut random = Random::new(603);
    let log = |_: usize| {
        let mut of = |cell: usize, round: u32, share: f64, operations: u64| {
            let lost = random.unit() < share;
            let batches = [100_000, 100_000, 100_000, 100_000 + if lost { 3_000_000 } else { 0 }];
            let thread = ThreadLog { preempted: u64::from(lost), ..thread(0, &batches, 0, operations) };
            IterationLog { cell, ..iteration(round, vec![thread]) }
        };
        (0..20).flat_map(|round| [of(0, round, 0.1, 100_000), of(1, round, 0.5, 1_000)]).collect()
    };
    let cell = reported(&[EMPTY, "operation"], &[], 0.0, Mode::AverageTime, 1, 24, log).cells.remove(0);
    assert_eq!((cell.leads, cell.time_ns.unwrap().estimate), (Leading::Typical, 100.0));
}

#[test]
fn what_the_machine_does_once_in_a_while_does_not_make_the_mean_of_a_longer_cell_lead() {
    // The host takes 5 ms about once in 40 ms. The empty loop of 5 ms per process hardly ever meets it; 40 iterations of 3 ms do.
    let mut random = Random::new(604);
    let log = |_: usize| {
        let mut of = |cell: usize, round: u32, batch_ns: u64, operations: u64| {
            let batches: Vec<u64> = (0..10)
                .map(|_| batch_ns + if random.unit() * 40e6 < batch_ns as f64 { 5_000_000 } else { 0 })
                .collect();
            IterationLog { cell, ..iteration(round, vec![thread(0, &batches, 0, operations)]) }
        };
        let empty: Vec<IterationLog> = (0..10).map(|round| of(0, round * 4, 50_000, 50_000)).collect();
        empty.into_iter().chain((0..40).map(|round| of(1, round, 300_000, 3_000))).collect()
    };
    let cell = reported(&[EMPTY, "operation"], &[], 0.0, Mode::AverageTime, 1, 24, log).cells.remove(0);
    assert_eq!((cell.leads, cell.rare_calls), (Leading::Typical, None));
    assert!(cell.mean_ns.unwrap().holds(100.0 * (1.0 + 5.0 / 40.0)), "{:?}", cell.mean_ns);
}

#[test]
fn the_mean_leads_where_rare_long_calls_part_them() {
    let mut random = Random::new(602);
    for busy in [0.0, 0.01, 0.05] {
        let cell = beside_an_empty_loop(&mut random, busy, 1_350_000);
        assert_eq!(cell.leads, Leading::Mean, "{busy}");
        let mean = 100.0 + 0.1 * 1_350.0 + busy * 1_000.0;
        assert!(cell.time_ns.unwrap().holds(mean), "{:?} {mean}", cell.time_ns);
    }
    let rare = beside_an_empty_loop(&mut random, 0.0, 1_350_000).rare_calls.unwrap();
    assert!((rare.one_in - 10_000.0).abs() < 1.0 && (rare.ns - 1_350_100.0).abs() < 1.0, "{rare:?}");
}

#[test]
fn the_mean_leads_where_half_of_the_batches_hold_a_rare_long_call() {
    // Of 10 000 calls about 0.56 take 1.35 ms: the median batch of a process holds one, or does not.
    let mut random = Random::new(605);
    let mut calls = || match random.unit() {
        lot if lot < 0.57 => 0,
        lot if lot < 0.89 => 1,
        lot if lot < 0.98 => 2,
        _ => 3,
    };
    let log = |_: usize| {
        let of = |cell, round, batches: &[u64], operations| IterationLog {
            cell,
            ..iteration(round, vec![thread(0, batches, 0, operations)])
        };
        let mut round = |round: u32| {
            let own: Vec<u64> = (0..4).map(|_| 200_000 + 1_350_000 * calls()).collect();
            [of(0, round, &[200_000; 4], 200_000), of(1, round, &own, 10_000)]
        };
        (0..3).flat_map(&mut round).collect()
    };
    let cell = reported(&[EMPTY, "operation"], &[], 0.0, Mode::AverageTime, 1, 24, log).cells.remove(0);
    assert_eq!((cell.leads, cell.states.len()), (Leading::Mean, 0));
    let rare = cell.rare_calls.unwrap();
    assert!((rare.ns - 1_350_020.0).abs() < 1.0 && rare.others_ns == 20.0, "{rare:?}");
    let mean_ns = 20.0 + 1_350_000.0 / rare.one_in;
    assert!(cell.time_ns.unwrap().holds(mean_ns), "{:?} {mean_ns}", cell.time_ns);
}

#[test]
fn a_call_that_only_one_process_meets_is_in_the_interval_of_the_mean() {
    let log = |process: usize| {
        let last = if process == 5 { 9_000_000 } else { 100_000 };
        vec![iteration(0, vec![thread(0, &[100_000, 100_000, 100_000, last], 0, 1_000)])]
    };
    let cell = measured(1, PROCESSES, log);
    let (typical, mean) = (cell.typical_ns.unwrap(), cell.mean_ns.unwrap());
    let all = (100.0 * 47.0 + 9_000.0) / 48.0;
    assert!(mean.estimate == 100.0 && mean.holds(all), "{mean:?} {all}");
    assert_eq!((typical.low, typical.high), (100.0, 100.0));
}
