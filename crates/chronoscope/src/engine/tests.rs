//! Complete runs with scripted workers: exact, immediate, and faulty in any way.

use std::cell::{Cell, RefCell};

use chronoscope_sources::SourceId;
use chronoscope_sources::causality::Observations;
use chronoscope_sources::os::OsClock;
use serde_json::{Value, json};

use super::task::{Request, Task};
use super::*;
use crate::clock_id::ClockId;
use crate::clock_id::ptp_clock::{PtpClock, fake};
use crate::engine::latency_study::NOTHING;
use crate::engine::rules::NO_WORKERS;
use crate::part::Part;
use crate::sections::causality::plan::{LITMUS, OFFSETS};
use crate::sections::causality::{litmus, offset};
use crate::sections::clocks::granularity::task as granularity;
use crate::sections::clocks::intervals::{empty, task as interval};
use crate::sections::clocks::library_clock::report::{LibraryClock, LibraryClockState};
use crate::sections::clocks::library_clock::task as library_clock;
use crate::sections::clocks::paths::task as path;
use crate::sections::clocks::tick::task as tick;
use crate::sections::reads::plan::READS;
use crate::sections::reads::task as reads;
use chronoscope_harness::estimators::intervals::{Batch, Reading, Round, TimedIntervals};
use chronoscope_harness::estimators::reads::Samples;
use chronoscope_harness::estimators::steps::Steps;
use chronoscope_harness::finding::{Finding, Kind};
use chronoscope_harness::record::{Disturbance, Known, Path};
use chronoscope_harness::study_rules::{INTERRUPTED, PART_UNAVAILABLE};
use chronoscope_harness::worker::{Hear, Terms, WorkerFailure, line};
use std::time::Duration;

const MONOTONIC: &str = SourceId::Os(OsClock::Monotonic).name();
const REALTIME: &str = SourceId::Os(OsClock::Realtime).name();
const PARTS: [Part; 8] =
    [clocks::PATHS, clocks::LATENCY, clocks::GRANULARITY, clocks::TICK, clocks::INTERVALS, READS, OFFSETS, LITMUS];
/// The cost of every read, and the size of every step.
const READ_NS: u64 = 20;
/// Processes that time batches.
const PROCESSES: usize = 11;

type Answer = Result<String, WorkerFailure>;

/// Workers that answer as on a flawless machine, unless the script says otherwise.
struct Script<'s> {
    /// The outcome of the nth request for a task, counted from 0; None for the flawless answer.
    upset: &'s dyn Fn(&str, usize) -> Option<Answer>,
    /// The requested tasks.
    asked: RefCell<Vec<String>>,
}

impl<'s> Script<'s> {
    fn new(upset: &'s dyn Fn(&str, usize) -> Option<Answer>) -> Self {
        Self { upset, asked: RefCell::default() }
    }

    fn times(&self, task: &str) -> usize {
        self.asked.borrow().iter().filter(|asked| *asked == task).count()
    }
}

/// The task of a study's worker.
const STUDY: &str = "study";

impl Script<'_> {
    /// The messages of a worker between its identity and its end.
    fn answer(&self, request: &str) -> Result<Vec<String>, WorkerFailure> {
        let unparsable = "the engine writes what a worker reads";
        let request: Value = serde_json::from_str(request).expect(unparsable);
        let task = request["task"].as_str().expect(unparsable);
        let nth = self.times(task);
        self.asked.borrow_mut().push(task.to_owned());
        match (self.upset)(task, nth) {
            Some(answer) => Ok(vec![answer?]),
            None if task == STUDY => Ok(flawless_study(&request["plan"]["cases"])),
            None => {
                let request: Request<Value> = serde_json::from_value(request).expect(unparsable);
                Ok(vec![flawless(&request.task, request.request)])
            }
        }
    }
}

impl Launch for Script<'_> {
    fn converse(&self, request: &str, hearer: &mut dyn Hear, terms: Terms<'_>) -> Result<(), WorkerFailure> {
        if (terms.cancelled)() {
            return Err(WorkerFailure::Cancelled);
        }
        let messages = self.answer(request)?;
        let identity = json!({ "type": "identity", "protocol": 1, "runtime": "native", "version": "0" }).to_string();
        let end = json!({ "type": "end", "disturbance": Disturbance::default() }).to_string();
        for message in [identity].into_iter().chain(messages).chain([end]) {
            hearer.line(line(&message).trim_end()).map_err(WorkerFailure::ProtocolError)?;
        }
        assert!(hearer.is_complete());
        Ok(())
    }
}

/// What a study's worker reports on a quiet machine: a turn of a loop takes a quarter of a nanosecond, and a read 20 more.
fn flawless_study(cases: &Value) -> Vec<String> {
    const ROUNDS: u32 = 8;
    const OPERATIONS: u64 = 1_000;
    let case_ns = |case: &Value| if case == NOTHING { 250 } else { READ_NS * OPERATIONS };
    let cases = cases.as_array().expect("a plan has cases").iter().map(case_ns);
    // The first cell is the study's own empty loop.
    let cells: Vec<u64> = [250].into_iter().chain(cases).collect();
    let iteration = |round: u32, cell: usize, batch_ns: u64| {
        let thread = json!({
            "from_ns": 0, "to_ns": 4 * batch_ns, "operations": 4 * OPERATIONS, "batches_ns": [batch_ns, batch_ns, batch_ns, batch_ns],
            "parts_ns": [], "singles": [], "untimed_between": 0, "cpu_ns": 4 * batch_ns,
            "turn_ns": [0.25, 0.25], "link_ns": [1.5, 1.5], "preempted": 0,
        });
        json!({ "type": "iteration", "cell": cell, "round": round, "layout": 0, "threads": [thread] }).to_string()
    };
    let clock = json!({ "type": "clock", "name": "flawless", "error_ns": 0.001, "batch_ns": 0.001 }).to_string();
    let iterations =
        (0..ROUNDS).flat_map(|round| cells.iter().enumerate().map(move |(cell, ns)| iteration(round, cell, *ns)));
    [clock].into_iter().chain(iterations).collect()
}

/// An observer that stops the run when this returns true.
struct Until<'s>(&'s dyn Fn() -> bool);

impl StudyObserver for Until<'_> {
    fn goes_on(&mut self, _share: f64, _what: &str) {}

    fn cancelled(&self) -> bool {
        (self.0)()
    }
}

fn plan() -> Planned {
    let mut planned = Planned::check(&Default::default(), &Default::default(), &[0, 1]).unwrap();
    planned.plan.parts.retain(|part| PARTS.contains(&part.part));
    let clocks = || vec![MONOTONIC.into(), REALTIME.into()];
    let Sections { reads, causality, .. } = &mut planned.sections;
    (planned.plan.clocks, reads.plan.clocks) = (clocks(), clocks());
    (causality.plan.pair_clocks, causality.plan.litmus_clocks) = (clocks(), clocks());
    planned
}

fn within(budget_ms: u64) -> Planned {
    let mut planned = plan();
    planned.plan.budget_ms = budget_ms;
    planned
}

fn run_until(script: &Script<'_>, plan: Planned, stopped: &dyn Fn() -> bool) -> Record {
    let tool = Tool { name: "test".into(), version: "0".into() };
    crate::rules::judged(run(&Start::of_this_process(), script, plan, tool, &mut Until(stopped)))
}

fn run_by(script: &Script<'_>, plan: Planned) -> Record {
    run_until(script, plan, &|| false)
}

fn run_with(upset: &dyn Fn(&str, usize) -> Option<Answer>) -> Record {
    run_by(&Script::new(upset), plan())
}

fn sound() -> Record {
    run_with(&|_, _| None)
}

/// The answer of a worker on a quiet machine: every clock reads in 20 ns and counts nanoseconds.
fn flawless(task: &str, request: Value) -> String {
    fn of<R: Task>(request: Value, see: impl Fn(R) -> R::Samples) -> String {
        said(&Ok(see(serde_json::from_value(request).expect("it is of this task"))))
    }
    let steps = || Steps { changes: vec![READ_NS as i64; 4000], reads: 4096, ..Steps::default() };
    match task {
        probe::ProbeTask::NAME => of(request, |request: probe::ProbeTask| vec![None; request.0.len()]),
        path::PathsTask::NAME => of(request, |request: path::PathsTask| vec![Some(0); request.0.len()]),
        granularity::GranularityTask::NAME => {
            of(request, |request: granularity::GranularityTask| request.0.iter().map(|_| steps()).collect())
        }
        tick::TickTask::NAME => of(request, |request: tick::TickTask| {
            request.0.iter().map(|_| tick::Readings { changes: vec![READ_NS as i64; 2000] }).collect()
        }),
        reads::ReadsTask::NAME => of(request, |_: reads::ReadsTask| Samples {
            differences: vec![(READ_NS as i64, 999)],
            span_ticks: 999 * READ_NS,
            empty_intervals: 100,
            largest_empty_ticks: READ_NS as i64,
            ..Samples::default()
        }),
        offset::OffsetTask::NAME => of(request, |request: offset::OffsetTask| offset::Samples {
            trips: offset::Trips { rounds: request.rounds, there: 150, back: 150, violations: 0 },
            round_trips: [310, 400],
            steps: steps(),
        }),
        litmus::LitmusTask::NAME => of(request, |_: litmus::LitmusTask| observed(100_000, 50_000)),
        empty::EmptyIntervalsTask::NAME => {
            of(request, |request: empty::EmptyIntervalsTask| vec![vec![READ_NS as i64; 100]; request.0.len()])
        }
        interval::IntervalsTask::NAME => of(request, |request: interval::IntervalsTask| {
            let rounds = |length_ns: &f64| {
                let batch = Batch { truth_ns: length_ns.round(), probe_ticks: 100 };
                let reading =
                    Reading { length: 1.0, ticks: batch.truth_ns as i64, work_ns: batch.truth_ns, probe_ticks: 100 };
                vec![Round { before: batch, readings: vec![reading; 15], after: batch }; 40]
            };
            interval::Samples {
                timer_error_ticks: 1,
                empty_probe_ticks: 1.0,
                lengths: request.lengths_ns.iter().map(rounds).collect(),
            }
        }),
        library_clock::LibraryClockTask::NAME => of(request, |_: library_clock::LibraryClockTask| LibraryClock {
            state: LibraryClockState::Fallback,
            rate_source: "system_clock".to_owned(),
            reasons: Vec::new(),
            error_bound_ns: 0,
            counter_hz: None,
            checks: 256,
            checks_outside: 0,
            worst_outside_ns: 0,
        }),
        _ => panic!("nothing here answers to {task}"),
    }
}

fn killed(signal: i32) -> WorkerFailure {
    WorkerFailure::Killed { signal, complaint: String::new() }
}

fn timed_out(limit_ms: u64) -> WorkerFailure {
    WorkerFailure::TimedOut { limit: Duration::from_millis(limit_ms), complaint: String::new() }
}

/// The text of a response.
fn observed(observations: u64, fresh: u64) -> litmus::Samples {
    let seen = Observations { observations, fresh, ..Observations::default() };
    litmus::Samples { seen, back: None }
}

fn said<S: serde::Serialize>(samples: &Result<S, String>) -> String {
    let disturbance = Disturbance::default();
    match samples {
        Ok(samples) => json!({ "type": "samples", "samples": samples, "disturbance": disturbance }),
        Err(reason) => json!({ "type": "refused", "reason": reason, "disturbance": disturbance }),
    }
    .to_string()
}

fn report(record: &Record, part: Part) -> (Outcome, Option<&str>) {
    let mut reports = record.content.parts.iter();
    let report = reports.find(|report| report.part == part).expect("every planned part is reported");
    (report.outcome, report.reason.as_deref())
}

fn finding(record: &Record, kind: Kind) -> Option<&Finding> {
    record.findings.iter().find(|finding| finding.is(kind))
}

/// The findings about the run itself.
fn said_of_the_run(record: &Record) -> Vec<Kind> {
    let of_the_run = [PART_UNAVAILABLE, INTERRUPTED, NO_WORKERS];
    let kind = |finding: &Finding| of_the_run.into_iter().find(|kind| finding.is(*kind));
    record.findings.iter().filter_map(kind).collect()
}

/// The record's content for each part, as text.
fn seen(record: &Record, part: Part) -> String {
    let of_clocks = |of: fn(&crate::sections::clocks::report::ClockReport) -> String| -> String {
        record.content.clocks().clocks.iter().map(of).collect()
    };
    match part {
        clocks::PATHS => of_clocks(|clock| format!("{:?}", clock.path_evidence)),
        clocks::LATENCY => of_clocks(|clock| format!("{:?}", clock.latency_ns)),
        clocks::GRANULARITY => of_clocks(|clock| format!("{:?}", clock.granularity)),
        READS => format!("{:?}", record.content.sections.reads),
        OFFSETS => format!("{:?}", record.content.causality().pairs),
        LITMUS => format!("{:?}", record.content.causality().litmus),
        _ => of_clocks(|clock| format!("{:?}", clock.intervals.as_ref().map(|timed| &timed.trials))),
    }
}

/// `part` ended with this outcome and `reason`; every other part is done and has the content of a run without faults.
fn assert_alone_in_trouble(record: &Record, part: Part, outcome: Outcome, reason: &str) {
    let sound = sound();
    assert_eq!(report(record, part), (outcome, Some(reason)));
    for other in PARTS.into_iter().filter(|other| *other != part) {
        assert_eq!(report(record, other), (Outcome::Done, None), "{other:?}, {reason}");
        assert_eq!(seen(record, other), seen(&sound, other), "{other:?}, {reason}");
    }
    assert_eq!(said_of_the_run(record), [PART_UNAVAILABLE], "{reason}");
    let told = &finding(record, PART_UNAVAILABLE).unwrap().evidence.summary;
    let how = if outcome == Outcome::Failed { "failed" } else { "incomplete" };
    assert_eq!(*told, format!("{} ({how}): {reason}", part.title()));
}

#[test]
fn workers_that_answer_are_asked_once_for_everything_in_the_order_of_the_plan() {
    let script = Script::new(&|_, _| None);
    let record = run_by(&script, plan());
    let order = [
        ("probe", 1),
        ("path", 1),
        ("study", PROCESSES),
        ("granularity", 1),
        ("tick", 1),
        ("empty", 3),
        ("interval", 2 * 3),
        ("reads", 2),
        ("offset", 2),
        ("litmus", 4),
        ("library_clock", 1),
    ];
    let expected: Vec<&str> = order.iter().flat_map(|(task, times)| vec![*task; *times]).collect();
    assert_eq!(*script.asked.borrow(), expected);
    for part in PARTS {
        assert_eq!(report(&record, part), (Outcome::Done, None));
    }
    assert_eq!(said_of_the_run(&record), []);
    assert!(!record.interrupted && record.content.reason_no_workers.is_none());
    for clock in &record.content.clocks().clocks {
        assert_eq!(clock.latency_ns.as_ref().map(|latency| latency.per_read.estimate), Some(READ_NS as f64));
        assert!(clock.available && clock.path_evidence.is_some() && clock.granularity.is_some());
    }
    let (reads, causality) = (record.content.reads(), record.content.causality());
    assert_eq!((reads.len(), causality.pairs.len(), causality.litmus.len()), (2, 2, 4));
    let is_validated = |timed: &TimedIntervals| timed.validated;
    assert!(
        record.content.clocks().clocks.iter().all(|clock| clock.intervals.as_ref().is_some_and(is_validated)),
        "{:?}",
        record.content.sections.clocks
    );
    assert!(record.content.clocks().library_clock.as_ref().is_some_and(|clock| clock.value().is_some()));
}

#[test]
fn what_befalls_one_part_takes_nothing_from_the_others() {
    let ended = WorkerFailure::Ended { code: Some(101), complaint: "no sun".into() };
    let no_memory = WorkerFailure::NotStarted("no memory".into());
    for failure in [timed_out(6_000), killed(libc::SIGSEGV), ended, no_memory] {
        let record = run_with(&|task, _| (task == "granularity").then(|| Err(failure.clone())));
        assert_alone_in_trouble(&record, clocks::GRANULARITY, Outcome::Failed, &failure.to_string());
        assert!(record.content.clocks().clocks.iter().all(|clock| clock.granularity.is_none()));
        assert_eq!(record.content.reason_no_workers, None);
    }
}

#[test]
fn a_refusal_is_told_in_the_workers_own_words() {
    let refusal = said::<Value>(&Err("seccomp: EPERM".into()));
    let record = run_with(&|task, _| (task == "path").then(|| Ok(refusal.clone())));
    assert_eq!(report(&record, clocks::PATHS), (Outcome::Failed, Some("seccomp: EPERM")));
    // The path is then inferred from the cost of a read, where that of the system call is known; here it is not.
    assert!(
        record.content.clocks().clocks.iter().all(|clock| clock.path_evidence.is_none() && clock.granularity.is_some())
    );
}

#[test]
fn an_answer_that_is_none_is_a_failure_of_its_part() {
    let of_another = flawless("reads", json!({ "source": MONOTONIC, "reads": 1, "empty_intervals": 1 }));
    let answers = [
        ("Segmentation fault", "expected value at line 1 column 1"),
        ("{\"disturbance\"", "EOF while parsing an object at line 1 column 14"),
        (of_another.as_str(), "invalid type: map, expected a sequence"),
        (&said(&Ok("many")), "invalid type: string \"many\", expected a sequence"),
        (&said(&Ok(json!([{ "changes": [0.5], "reads": 1, "unchanged": 0 }]))), "invalid type: floating"),
    ];
    for (answer, why) in answers {
        let record = run_with(&|task, _| (task == "granularity").then(|| Ok(answer.to_owned())));
        let (_, reason) = report(&record, clocks::GRANULARITY);
        let reason = reason.expect("it failed").to_owned();
        let expected = format!("cannot parse the process's answer: {why}");
        assert!(reason.starts_with(&expected), "{reason}");
        assert_alone_in_trouble(&record, clocks::GRANULARITY, Outcome::Failed, &reason);
    }
}

#[test]
fn an_answer_that_is_too_short_is_a_failure_of_its_part() {
    let still = json!({ "changes": [], "reads": 0, "unchanged": 0 });
    for (task, part, answer) in [
        ("path", clocks::PATHS, json!([0])),
        ("granularity", clocks::GRANULARITY, json!([])),
        ("granularity", clocks::GRANULARITY, json!([still, still])),
        ("tick", clocks::TICK, json!([])),
        ("tick", clocks::TICK, json!([{ "changes": [] }, { "changes": [] }])),
        ("empty", clocks::INTERVALS, json!([[20]])),
        ("empty", clocks::INTERVALS, json!([[20], []])),
        ("interval", clocks::INTERVALS, json!({ "timer_error_ticks": 1, "empty_probe_ticks": 1.0, "lengths": [] })),
        ("reads", READS, serde_json::to_value(Samples::default()).unwrap()),
        (
            "offset",
            OFFSETS,
            json!({ "trips": { "rounds": 0, "there": 0, "back": 0, "violations": 0 }, "round_trips": [0, 0], "steps": still }),
        ),
        ("litmus", LITMUS, serde_json::to_value(litmus::Samples::default()).unwrap()),
    ] {
        let record = run_with(&|asked, _| (asked == task).then(|| Ok(said(&Ok(answer.clone())))));
        let (outcome, reason) = report(&record, part);
        assert_eq!(outcome, Outcome::Failed, "{task}: {answer}");
        assert!(reason.is_some_and(|reason| reason.contains("short")), "{task}: {reason:?}");
        for other in PARTS.into_iter().filter(|other| *other != part && *other != clocks::INTERVALS) {
            assert_eq!(report(&record, other), (Outcome::Done, None), "{task}: {other:?}");
        }
    }
    let record = run_with(&|asked, _| (asked == "probe").then(|| Ok(said(&Ok(json!([]))))));
    assert_eq!(record.content.clocks().clocks.len(), 2);
    assert!(
        record.content.clocks().clocks.iter().all(|clock| clock.reason_unavailable.as_ref().unwrap().contains("short"))
    );
}

#[test]
fn one_process_of_many_that_dies_leaves_its_part_incomplete_and_is_made_up_for() {
    let upset = |task: &str, nth| (task == STUDY && nth == 3).then_some(Err(killed(libc::SIGBUS)));
    let script = Script::new(&upset);
    let record = run_by(&script, plan());
    assert_alone_in_trouble(&record, clocks::LATENCY, Outcome::Incomplete, &killed(libc::SIGBUS).to_string());
    assert_eq!(script.times("study"), PROCESSES + 1);
}

#[test]
fn a_part_that_needs_another_says_so_where_that_one_failed() {
    let hangs = |task: &str, _| (task == STUDY).then_some(Err(timed_out(3_400)));
    let record = run_with(&hangs);
    let (outcome, reason) = report(&record, clocks::LATENCY);
    assert!(outcome == Outcome::Failed && reason.is_some_and(|reason| reason.contains("3.4")), "{reason:?}");
    assert!(matches!(report(&record, clocks::INTERVALS), (Outcome::Skipped, Some(_))));
    let told: Vec<&str> = record
        .findings
        .iter()
        .filter(|finding| finding.is(PART_UNAVAILABLE))
        .map(|finding| finding.evidence.summary.as_str())
        .collect();
    assert_eq!(told.len(), 2, "{told:?}");
    for part in [clocks::LATENCY, clocks::INTERVALS] {
        assert!(told.iter().any(|told| told.contains(part.title())), "{part:?}: {told:?}");
    }
    assert!(record.content.clocks().clocks.iter().all(|clock| clock.granularity.is_some()));
}

#[test]
fn a_run_that_is_stopped_between_two_workers_keeps_what_it_has() {
    let script = Script::new(&|_, _| None);
    // After the probe, the paths and four processes of the latencies.
    let record = run_until(&script, plan(), &|| script.asked.borrow().len() >= 6);
    assert_eq!(script.asked.borrow().len(), 6);
    assert!(record.interrupted);
    assert_eq!(report(&record, clocks::PATHS), (Outcome::Done, None));
    let interrupted = WorkerFailure::Cancelled.to_string();
    assert_eq!(report(&record, clocks::LATENCY), (Outcome::Incomplete, Some(&*interrupted)));
    for part in PARTS.into_iter().skip(2) {
        assert_eq!(report(&record, part), (Outcome::Skipped, Some(&*interrupted)), "{part:?}");
    }
    assert!(record.content.clocks().harness.as_ref().is_some_and(|harness| harness.interference.iterations_quiet > 0));
    for clock in &record.content.clocks().clocks {
        assert_eq!(clock.latency_ns.as_ref().map(|latency| latency.per_read.estimate), Some(READ_NS as f64));
        assert!(clock.path_evidence.is_some() && clock.granularity.is_none());
    }
    assert_eq!(said_of_the_run(&record), [INTERRUPTED]);
    assert_eq!(record.content.clocks().library_clock.as_ref().and_then(Known::reason), Some(&*interrupted));
}

#[test]
fn a_run_that_is_stopped_while_a_worker_hangs_keeps_what_it_has() {
    let interrupted = WorkerFailure::Cancelled.to_string();
    for (task, part, outcome, kept) in [
        ("granularity", clocks::GRANULARITY, Outcome::Skipped, clocks::LATENCY),
        ("offset", OFFSETS, Outcome::Incomplete, READS),
        ("litmus", LITMUS, Outcome::Incomplete, OFFSETS),
    ] {
        let stopped = Cell::new(false);
        // The second of two workers, where there are two.
        let last = usize::from(outcome == Outcome::Incomplete);
        let upset = |asked: &str, nth: usize| {
            (asked == task && nth == last).then(|| {
                stopped.set(true);
                Err(WorkerFailure::Cancelled)
            })
        };
        let script = Script::new(&upset);
        let record = run_until(&script, plan(), &|| stopped.get());
        let (found, reason) = report(&record, part);
        assert_eq!(found, outcome, "{task}");
        assert!(reason.is_some_and(|reason| reason.contains(&*interrupted)), "{reason:?}");
        assert_eq!(seen(&record, kept), seen(&sound(), kept), "{task}");
        for later in PARTS.into_iter().skip_while(|planned| *planned != part).skip(1) {
            assert_eq!(report(&record, later), (Outcome::Skipped, Some(&*interrupted)));
        }
        assert!(record.interrupted);
        assert_eq!(said_of_the_run(&record), [INTERRUPTED]);
    }
}

#[test]
fn what_was_seen_too_little_of_gets_a_second_chance_while_there_is_time() {
    let few = said(&Ok(observed(10, 10)));
    let upset = |task: &str, nth| match (task, nth) {
        ("litmus", 0..4) => Some(Ok(few.clone())),
        (STUDY, 0) => Some(Err(timed_out(1))),
        _ => None,
    };
    let fresh = |record: &Record| record.content.causality().litmus.iter().map(|row| row.fresh).collect::<Vec<_>>();
    let in_time = Script::new(&upset);
    let record = run_by(&in_time, within(3_600_000));
    assert_eq!((in_time.times("litmus"), in_time.times("study")), (8, PROCESSES + 1));
    assert_eq!(fresh(&record), [50_000; 4]);
    let too_late = Script::new(&upset);
    let record = run_by(&too_late, within(0));
    assert_eq!((too_late.times("litmus"), too_late.times("study")), (4, PROCESSES));
    assert_eq!(fresh(&record), [10; 4]);
    assert_eq!(report(&record, LITMUS), (Outcome::Done, None));
}

#[test]
fn a_second_chance_that_fails_keeps_what_was_seen_before() {
    let few = said(&Ok(observed(10, 10)));
    let record = run_with(&|task, nth| match (task, nth) {
        ("litmus", 0..4) => Some(Ok(few.clone())),
        ("litmus", _) => Some(Err(killed(libc::SIGKILL))),
        _ => None,
    });
    assert_eq!(record.content.causality().litmus.iter().map(|row| row.fresh).collect::<Vec<_>>(), [10; 4]);
    assert_eq!(said_of_the_run(&record), []);
}

#[test]
fn a_clock_whose_read_ends_the_process_is_found_and_left_out() {
    // All at once, then each alone: the second of them kills.
    let upset = |task: &str, nth| match (task, nth) {
        ("probe", 0 | 2) => Some(Err(killed(libc::SIGILL))),
        _ => None,
    };
    let script = Script::new(&upset);
    let record = run_by(&script, plan());
    assert_eq!(script.times("probe"), 3);
    let available: Vec<(&str, bool)> =
        record.content.clocks().clocks.iter().map(|clock| (clock.name.name(), clock.available)).collect();
    assert_eq!(available, [(MONOTONIC, true), (REALTIME, false)]);
    assert!(
        record.content.clocks().clocks[1].reason_unavailable.as_ref().is_some_and(|reason| reason.contains("SIGILL"))
    );
    assert_eq!((record.content.reads().len(), script.times("reads")), (1, 1));
    assert_eq!(report(&record, READS), (Outcome::Done, None));
}

#[test]
fn a_machine_on_which_no_clock_can_be_read_says_why_in_every_part() {
    let record = run_with(&|task, _| (task == "probe").then_some(Err(timed_out(3_400))));
    for part in PARTS.into_iter().skip(1) {
        let (outcome, reason) = report(&record, part);
        assert!(
            outcome == Outcome::Skipped && reason.is_some_and(|reason| reason.contains("3.4")),
            "{part:?}: {reason:?}"
        );
    }
    assert!(record.content.clocks().clocks.iter().all(|clock| !clock.available));
}

#[test]
fn without_a_worker_process_the_run_measures_in_this_one() {
    let failures = [
        WorkerFailure::NotStarted("Operation not permitted".into()),
        WorkerFailure::Ended { code: Some(2), complaint: "no such option".into() },
    ];
    for failure in failures {
        let upset = |_: &str, _| Some(Err(failure.clone()));
        let script = Script::new(&upset);
        let mut plan = plan();
        plan.plan.parts.retain(|planned| planned.part == clocks::GRANULARITY);
        plan.plan.parts[0].budget_ms = 20;
        let record = run_by(&script, plan);
        assert_eq!(*script.asked.borrow(), ["probe"], "once is enough");
        assert_eq!(record.content.reason_no_workers, Some(failure.to_string()));
        // For real, in this process: the system's clocks can be read wherever tests run.
        assert_eq!(report(&record, clocks::GRANULARITY), (Outcome::Done, None));
        assert!(record.content.clocks().clocks.iter().all(|clock| clock.available && clock.granularity.is_some()));
        assert!(record.content.clocks().library_clock.as_ref().is_some_and(|clock| clock.value().is_some()));
        assert_eq!(said_of_the_run(&record), [NO_WORKERS]);
        let told = &finding(&record, NO_WORKERS).unwrap().evidence.summary;
        assert!(told.ends_with(&failure.to_string()), "{told}");
    }
}

#[test]
fn a_ptp_clock_is_a_row_like_any_other() {
    let none = |_: &str, _| Some(Err(WorkerFailure::NotStarted("Operation not permitted".into())));
    let mut plan = plan();
    plan.plan.parts.retain(|planned| [clocks::LATENCY, clocks::GRANULARITY, clocks::TICK].contains(&planned.part));
    plan.plan.parts.iter_mut().for_each(|planned| planned.budget_ms = 300);
    plan.plan.clocks.push(ClockId::Ptp(fake::CLOCK));
    // For real, in this process: the fake device is the wall clock in longer steps.
    let record = run_by(&Script::new(&none), plan);
    let row =
        record.content.clocks().clocks.iter().find(|clock| clock.name == ClockId::Ptp(fake::CLOCK)).expect("a row");
    assert_eq!((row.available, row.path, row.ordered), (true, Some(Path::Syscall), true), "{row:?}");
    assert!(row.latency_ns.as_ref().is_some_and(|latency| latency.per_read.estimate > 0.0), "{:?}", row.latency_ns);
    let moves_in_ns = row.moves_in_ns().expect("its tick");
    assert!((moves_in_ns / fake::TICK_NS as f64 - 1.0).abs() < 1e-3, "{moves_in_ns}: {:?}", row.tick);
    let causality = &record.content.judgement.as_ref().expect("it was judged").causality;
    assert!(row.name.is_settable() && causality.of(&row.name).is_some_and(|of| of.reason_unknown.is_some()));
    let absent = ClockId::Ptp(PtpClock::from_name("/dev/ptp14").unwrap());
    assert!(absent.visit(super::timer::ReadOnce).unwrap_err().starts_with("/dev/ptp14: "));
}
