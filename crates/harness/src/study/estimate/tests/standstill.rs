//! A clock that is stalled for most of a run, as `CLOCK_MONOTONIC` is between ticks on a CPU whose counter lags.

use super::*;
use crate::record::not_finite;

/// An iteration during which the clock was stalled, except for one batch in `every`.
fn still(round: u32, cell: usize, every: u32) -> IterationLog {
    let moves = round.is_multiple_of(every);
    let (batch_ns, probe) = if moves { (4_000_000, 40.0) } else { (0, 0.0) };
    let thread = ThreadLog { turn_ns: [0.0, probe], link_ns: [0.0, probe], ..thread(1, &[0, batch_ns, 0], 0, 100) };
    IterationLog { cell, ..iteration(round, vec![thread]) }
}

#[test]
fn a_probe_without_a_tick_is_not_the_quietest() {
    for every in [1, 30, 1_000_000] {
        let log = |process: usize| (1..=60).map(|round| still(round + process as u32, 0, every)).collect();
        let report = reported(&["operation"], &[], 0.0, Mode::AverageTime, 1, 11, log);
        let quietest = report
            .interference_probe
            .map(|interference_probe| (interference_probe.quiet_turn_ns, interference_probe.quiet_link_ns));
        assert_eq!(quietest, Some(if every < 1_000_000 { (40.0, 40.0) } else { (0.0, 0.0) }), "{every}");
    }
}

#[test]
fn no_number_is_infinite_where_the_clock_stood_still() {
    for (every, mode) in [1, 2, 30, 1_000_000]
        .into_iter()
        .flat_map(|every| [(every, Mode::AverageTime), (every, Mode::Throughput), (every, Mode::SampleTime)])
    {
        let log = |process: usize| {
            (1..=60)
                .flat_map(|round| [0, 1].map(|cell| still(round + process as u32 + cell as u32, cell, every)))
                .collect()
        };
        let report = reported(&["a", "b"], &[("a", "b")], 3.0, mode, 1, 11, log);
        assert_eq!(not_finite(&report), [""; 0], "{every} {mode:?}");
    }
}

#[test]
fn processes_without_a_tick_are_no_base_of_a_ratio() {
    let log = |process: usize| {
        let every = if process < 4 { 1 } else { 1_000_000 };
        (1..=60).flat_map(|round| [0, 1].map(|cell| still(round, cell, every))).collect()
    };
    let report = reported(&["a", "b"], &[("a", "b")], 3.0, Mode::AverageTime, 1, 11, log);
    assert_eq!(not_finite(&report), [""; 0]);
    assert_eq!(report.comparisons[0].points[0].ratio.estimate, 1.0);
}
