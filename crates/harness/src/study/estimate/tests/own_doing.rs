//! Whatever disturbs an iteration, it counts; and an operation that slows its core is compared with itself.

use super::{iteration, study, thread};
use crate::record::study::{Cell, Leading, Mode};
use crate::stats::Random;
use crate::study::protocol::{IterationLog, ThreadLog};

const PROCESSES: usize = 24;
const ROUNDS: u32 = 20;

/// Two operations in the same rounds: `first` and a plain one of 100 ns, of which the machine takes the CPU from every hundredth
/// iteration and slows every tenth.
fn beside_a_plain_one(mode: Mode, mut first: impl FnMut(&mut Random) -> ThreadLog) -> Vec<Cell> {
    let mut random = Random::new(401);
    let log = |_: usize| {
        let mut of_round = |round: u32| {
            let mut own = iteration(round, vec![first(&mut random)]);
            let mut plain = thread(0, &[100_000; 5], 0, 1_000);
            if random.unit() < 0.1 {
                plain.link_ns = [1.5; 2];
            }
            plain.preempted = u64::from(random.unit() < 0.01);
            own.cell = 0;
            [own, IterationLog { cell: 1, ..iteration(round, vec![plain]) }]
        };
        (0..ROUNDS).flat_map(&mut of_round).collect()
    };
    study(&["first", "plain"], mode, 1, PROCESSES, log)
}

#[test]
fn an_operation_that_slows_its_core_keeps_its_iterations() {
    // After wide vectors the chain takes 1.3 times as long, in every iteration.
    let cells = beside_a_plain_one(Mode::AverageTime, |_| ThreadLog {
        link_ns: [1.0, 1.3],
        turn_ns: [1.0, 1.3],
        ..thread(0, &[200_000; 5], 0, 1_000)
    });
    let (slows, plain) = (&cells[0], &cells[1]);
    assert_eq!(slows.iterations_quiet, slows.iterations);
    let share = plain.iterations_quiet as f64 / plain.iterations as f64;
    assert!((0.8..0.95).contains(&share), "{share}");
}

#[test]
fn an_operation_that_gives_up_its_cpu_keeps_what_it_takes() {
    // Every fifth iteration has a batch in which the operation yields: 4 ms until it runs again.
    let cells = beside_a_plain_one(Mode::AverageTime, |random| {
        let yields = random.unit() < 0.2;
        let last = if yields { 4_100_000 } else { 100_000 };
        ThreadLog { preempted: u64::from(yields), ..thread(0, &[100_000, 100_000, 100_000, 100_000, last], 0, 1_000) }
    });
    let (yields, plain) = (&cells[0], &cells[1]);
    // One iteration in five takes 900 ns per operation instead of 100: one batch in 25.
    let (typical, mean) = (yields.typical_ns.unwrap(), yields.mean_ns.unwrap());
    assert!(mean.low < 260.0 && mean.high > 260.0 && mean.estimate > 200.0, "{mean:?}");
    assert_eq!((typical.low, typical.high), (100.0, 100.0));
    assert!(plain.iterations_quiet < plain.iterations);
}

#[test]
fn the_tail_of_single_operations_is_whole_whoever_is_to_blame() {
    let single = |ns: u64, slow: u64| ThreadLog {
        from_ns: 0,
        to_ns: 1_000_000,
        operations: 1_000,
        singles: vec![(ns, 999), (slow, 1)],
        turn_ns: [1.0; 2],
        link_ns: [1.0; 2],
        ..ThreadLog::default()
    };
    for share in [0.2, 0.01] {
        let cells = beside_a_plain_one(Mode::SampleTime, |random| {
            let lost = random.unit() < share;
            ThreadLog { preempted: u64::from(lost), ..single(100, if lost { 4_000_000 } else { 150 }) }
        });
        let latencies = cells[0].latencies.clone().unwrap();
        assert_eq!((latencies.ns.max, cells[0].leads), (4_000_000.0, Leading::Mean), "{share}");
    }
}

#[test]
fn a_long_operation_is_not_chosen_by_its_length() {
    // Half of the calls take 20 ms and half 200; the machine takes the CPU three times a second, from every operation.
    let mut random = Random::new(403);
    let log = |_: usize| {
        let mut one = |cell: usize, round: u32| {
            let ns = if random.unit() < 0.5 { 20_000_000 } else { 200_000_000 };
            let lost = random.unit() < 1.0 - (-3.0 * ns as f64 / 1e9).exp();
            IterationLog {
                cell,
                ..iteration(round, vec![ThreadLog { preempted: u64::from(lost), ..thread(0, &[ns], 0, 1) }])
            }
        };
        (0..ROUNDS).flat_map(|round| [one(0, round), one(1, round)]).collect()
    };
    let cells = study(&["first", "second"], Mode::AverageTime, 1, PROCESSES, log);
    let mean = cells[0].mean_ns.unwrap();
    assert!((mean.estimate / 110e6 - 1.0).abs() < 0.1, "{mean:?}");
}
