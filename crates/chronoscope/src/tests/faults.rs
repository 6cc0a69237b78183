//! A fake clock with one fault at a time, taken through samples, estimates and rules: exactly its finding must result.

use std::sync::atomic::{AtomicU64, Ordering::Release};
use std::time::Duration;

use crate::document::Record;
use crate::engine::steps::observe;
use crate::judgement::rules::declared_resolution::RESOLUTION_IS_NOT_GRANULARITY;
use crate::judgement::rules::intervals::INTERVAL_NEAR_LATENCY;
use crate::judgement::rules::non_causal_read::{NON_CAUSAL_READ, UNORDERED_READ_NOT_CAUSAL};
use crate::rules::tests as conclusion;
use crate::rules::tests::blank;
use crate::sections::causality::rules::{CROSS_CPU_SKEW, OFFSET_NOT_CONSTANT};
use crate::sections::causality::{estimate as causality_estimate, litmus, offset};
use crate::sections::clocks::intervals::empty;
use crate::sections::clocks::report::ClockReport;
use crate::sections::clocks::rules::{CLOCK_STANDS_STILL, OS_CLOCK_COARSE};
use crate::sections::clocks::tick::task as tick;
use crate::sections::pauses::report::PauseWay;
use crate::sections::pauses::{estimate as pauses_estimate, task as pause};
use crate::shared_findings::{EARLY_PAUSE, NEGATIVE_ELAPSED};
use chronoscope_clock::{FakeClock, TickSource};
use chronoscope_harness::estimators::intervals::{TimedIntervals, claimed_intervals};
use chronoscope_harness::estimators::steps::{self, Steps};
use chronoscope_harness::estimators::tick as ticks;
use chronoscope_harness::finding::Kind;
use chronoscope_harness::record::{Disturbance, Path};
use chronoscope_harness::stats::Distribution;
use chronoscope_sources::{Guarantee, Rate, SourceId, causality::Board, os::OsClock};

const CLOCK: SourceId = SourceId::Os(OsClock::Monotonic);

/// A flawless clock that reads in 20 ns.
fn sound() -> FakeClock {
    let clock = FakeClock::new();
    clock.set_read_cost(Duration::from_nanos(20));
    clock
}

fn clock_report(clock: SourceId, declared_ns: f64) -> ClockReport {
    ClockReport {
        name: clock.into(),
        available: true,
        path: Some(Path::Vdso),
        ordered: true,
        causal_by_design: true,
        resolution_ns_declared: Some(declared_ns),
        ..ClockReport::default()
    }
}

/// The granularity part's result for `clock`, with `midway` called at one read.
fn granularity_of(clock: &FakeClock, declared_ns: f64, midway: impl Fn(&FakeClock)) -> Record {
    let mut record = blank();
    let mut report = clock_report(CLOCK, declared_ns);
    let source = Stepping { clock, after: 6_000, midway: &midway, reads: AtomicU64::new(0) };
    let steps = observe(&source, |steps| steps.reads >= 40_000);
    if let Some(found) = steps::granularity(&steps, Rate::NANOSECONDS) {
        (report.granularity_ns, report.granularity_is_latency) = found.told().unzip();
        report.granularity = Some(found.observed);
        report.step = report.step_by_evidence();
    }
    record.content.sections.clocks.report.clocks.push(report);
    record
}

/// A clock to which something happens at one read.
struct Stepping<'a, F> {
    clock: &'a FakeClock,
    after: u64,
    midway: &'a F,
    reads: AtomicU64,
}

impl<F: Fn(&FakeClock)> TickSource for Stepping<'_, F> {
    fn read(&self) -> u64 {
        if self.reads.fetch_add(1, Release) == self.after {
            (self.midway)(self.clock);
        }
        self.clock.read()
    }
}

fn found(record: &Record) -> Vec<Kind> {
    conclusion::conclude(record).into_iter().map(|finding| *crate::kinds::of_check(&finding.id).unwrap()).collect()
}

#[test]
fn a_sound_clock_gives_no_finding() {
    assert_eq!(found(&granularity_of(&sound(), 1.0, |_| {})), []);
}

#[test]
fn a_step_back_gives_negative_elapsed() {
    let record = granularity_of(&sound(), 1.0, |clock| clock.step_back(Duration::from_nanos(700)));
    assert_eq!(found(&record), [NEGATIVE_ELAPSED]);
    let finding = &conclusion::conclude(&record)[0];
    assert_eq!(finding.evidence.values["worst_ns"], 680.0);
    assert_eq!(finding.subject.as_deref(), Some(CLOCK.name()));
}

#[test]
fn a_coarsened_clock_gives_resolution_is_not_granularity() {
    let clock = sound();
    clock.coarsen(Duration::from_nanos(100));
    let record = granularity_of(&clock, 1.0, |_| {});
    assert_eq!(found(&record), [RESOLUTION_IS_NOT_GRANULARITY]);
    assert_eq!(conclusion::conclude(&record)[0].evidence.values["granularity_ns"], 100.0);
}

#[test]
fn a_tick_that_a_read_hides_gives_resolution_is_not_granularity() {
    let clock = FakeClock::new();
    clock.set_read_cost(Duration::from_nanos(669));
    clock.coarsen(Duration::from_nanos(100));
    let mut record = granularity_of(&clock, 1.0, |_| {});
    assert_eq!(found(&record), []);
    let works: Vec<u64> = (0..2_000_u64).map(|at| at * at * 2_654_435_761 % 8_191).collect();
    let work = |ns| clock.advance(Duration::from_nanos(ns));
    let readings = tick::at_irregular_times(&clock, &works, work, || false);
    let report = &mut record.content.sections.clocks.report.clocks[0];
    report.tick = Some(ticks::tick(&readings, Rate::NANOSECONDS));
    report.step = report.step_by_evidence();
    assert_eq!(found(&record), [RESOLUTION_IS_NOT_GRANULARITY]);
    let granularity_ns = conclusion::conclude(&record)[0].evidence.values["granularity_ns"];
    assert!((granularity_ns / 100.0 - 1.0).abs() < 1e-3, "{granularity_ns}");
}

#[test]
fn a_coarse_clock_that_says_so_gives_no_such_finding() {
    let clock = sound();
    clock.coarsen(Duration::from_nanos(400));
    assert_eq!(found(&granularity_of(&clock, 400.0, |_| {})), []);
}

#[test]
fn a_monotonic_clock_of_a_jiffy_is_coarse() {
    let clock = sound();
    clock.coarsen(Duration::from_micros(50));
    assert_eq!(found(&granularity_of(&clock, 50_000.0, |_| {})), [OS_CLOCK_COARSE]);
}

#[test]
fn a_stall_is_no_fault_of_the_steps() {
    assert_eq!(found(&granularity_of(&sound(), 1.0, |clock| clock.stall(100))), []);
}

#[test]
fn a_clock_that_stands_still_for_a_long_time_is_found() {
    let record = granularity_of(&sound(), 1.0, |clock| clock.stall(6_000));
    assert_eq!(found(&record), [CLOCK_STANDS_STILL]);
    let finding = &conclusion::conclude(&record)[0];
    assert_eq!(finding.evidence.values["longest_still_ns"], 5_999.0 * 20.0);
    // One whose steps explain it is coarse, and no more than that.
    let clock = sound();
    clock.coarsen(Duration::from_micros(100));
    assert_eq!(found(&granularity_of(&clock, 100_000.0, |_| {})), [OS_CLOCK_COARSE]);
}

#[test]
fn drift_alone_gives_no_finding() {
    let clock = sound();
    clock.drift(200);
    assert_eq!(found(&granularity_of(&clock, 1.0, |_| {})), []);
}

/// The litmus result for a reader whose view of the clock is `skew_ns` off the writer's.
fn litmus_of(id: SourceId, skew_ns: i64) -> Record {
    let clock = sound();
    clock.advance(Duration::from_millis(1));
    let mut samples = litmus::Samples::default();
    for _ in 0..100 {
        Board::new(clock.read()).observe(&clock.view(skew_ns), 10, &mut samples.seen, |_| ());
    }
    let request = litmus::LitmusTask { source: id.into(), writer: 0, reader: 1 };
    let mut record = blank();
    record.content.sections.causality.report.litmus.push(causality_estimate::litmus(
        &request,
        &samples,
        Rate::NANOSECONDS,
        Disturbance::default(),
    ));
    record
}

#[test]
fn a_skewed_reader_gives_a_non_causal_read() {
    let record = litmus_of(CLOCK, -5_000);
    assert_eq!(found(&record), [NON_CAUSAL_READ]);
    assert_eq!(conclusion::conclude(&record)[0].evidence.values["worst_ns"], 4_980.0);
    assert_eq!(found(&litmus_of(CLOCK, 0)), []);
}

#[test]
fn an_unordered_read_that_is_not_causal_is_expected() {
    let record = litmus_of(SourceId::CounterUnordered, -5_000);
    assert_eq!(found(&record), [UNORDERED_READ_NOT_CAUSAL]);
    let unordered = litmus_of(SourceId::Clock(Guarantee::Unordered), -5_000);
    assert_eq!(found(&unordered), [UNORDERED_READ_NOT_CAUSAL]);
}

#[test]
fn the_librarys_causal_clocks_must_not_go_back_at_all() {
    for guarantee in [Guarantee::Ordered, Guarantee::Granular] {
        assert_eq!(found(&litmus_of(SourceId::Clock(guarantee), -50)), [NON_CAUSAL_READ]);
    }
}

/// Windows' performance counter, the one clock that declares how far.
#[cfg(windows)]
#[test]
fn a_clock_may_go_back_by_less_than_it_declares() {
    let name = SourceId::Os(OsClock::Monotonic);
    let within = litmus_of(name, -119); // 20 ns less, for the read
    assert_eq!(found(&within), [UNORDERED_READ_NOT_CAUSAL]);
    let saw = &conclusion::conclude(&within)[0].evidence;
    assert!(saw.summary.contains("99.0"), "{}", saw.summary);
    assert_eq!(found(&litmus_of(name, -120)), [NON_CAUSAL_READ]);
}

#[test]
fn a_skew_beyond_its_error_bar_is_a_finding() {
    let request = offset::OffsetTask { source: CLOCK.into(), a: 0, b: 1, rounds: 10 };
    let with = |there, back| {
        let trips = offset::Trips { rounds: 10, there, back, violations: u64::from(there < 0) };
        let samples = offset::Samples { trips, round_trips: [20, 30], steps: Steps::default() };
        let mut record = blank();
        record.content.sections.causality.report.pairs.push(causality_estimate::pair_offset(
            &request,
            &samples,
            Rate::NANOSECONDS,
            0.0,
            Disturbance::default(),
        ));
        found(&record)
    };
    assert_eq!(with(-150, 330), [CROSS_CPU_SKEW]);
    assert_eq!(with(80, 100), []);
    // The clock stalls on one of them.
    assert_eq!(with(-59_000_000, 13_000_000), [OFFSET_NOT_CONSTANT]);
}

/// The intervals part's claim for `clock`, when the user asks about `interval`.
fn question(clock: &FakeClock, interval_ns: u64) -> Record {
    let empty = empty::observe(clock, 1000).into_iter().map(|ns| ns as f64).collect();
    let empty = Distribution::of(empty);
    let claim = claimed_intervals(&empty, None);
    let mut record = blank();
    record.content.sections.clocks.plan.questions_ns = vec![interval_ns as f64];
    let intervals = Some(TimedIntervals::claimed(claim));
    let clock = ClockReport { intervals, name: CLOCK.into(), ..Default::default() };
    record.content.sections.clocks.report.clocks.push(clock);
    record
}

#[test]
fn an_interval_near_the_latency_is_a_finding() {
    assert_eq!(found(&question(&sound(), 100)), [INTERVAL_NEAR_LATENCY]);
    assert_eq!(found(&question(&sound(), 200)), []);
    assert_eq!(found(&question(&sound(), 2_000)), []);
}

#[test]
fn a_pause_that_ends_early_is_found() {
    let pauses = |taken_ns: u64| pause::Samples {
        turns: vec![pause::Turn {
            way: PauseWay::StdSleep,
            requested_ns: 1_000,
            taken_ns: vec![(taken_ns, 3), (1_200, 97)],
            cpu_ns: None,
            wall_ns: 120_000,
            preempted: Some(0),
        }],
        unavailable: Vec::new(),
    };
    let mut record = blank();
    record.content.sections.pauses.report = pauses_estimate::pause(&[pauses(990)]);
    assert_eq!(found(&record), [EARLY_PAUSE]);
    let finding = &conclusion::conclude(&record)[0];
    assert!(
        ["3", "100", "1.00"].iter().all(|figure| finding.evidence.summary.contains(figure)),
        "{}",
        finding.evidence.summary
    );
    record.content.sections.pauses.report = pauses_estimate::pause(&[pauses(1_000)]);
    assert_eq!(found(&record), []);
}
