//! Runs a plan: from arguments to a record, one part after another.

pub mod frequency;
pub mod prepare;
pub mod probe;
pub mod rounds;
pub mod rules;
pub mod session;
pub mod stages;
pub mod task;
pub mod timer;

use std::time::Instant;

use chronoscope_harness::{Start, Unobserved};

use crate::answers::verdict;
use crate::plan::Plan;
use crate::record::{Causality, Machine, Outcome, Part, PartReport, Record, SCHEMA_VERSION, Tool};
use session::Session;
use stages::StageError;
use task::{Served, served};

/// What workers do for every run.
pub const TASKS: &[Served] = &[served::<probe::Request>(), served::<frequency::Request>()];

/// Watches a run.
pub trait Observer {
    /// A part of the plan begins, of which `done_ms` of `whole_ms` planned are over.
    fn part_begins(&mut self, part: Part, done_ms: u64, whole_ms: u64);

    /// A part of the plan that takes `budget_ms` is over by `share` (0 to 1).
    fn part_goes_on(&mut self, part: Part, budget_ms: u64, share: f64);

    /// Whether the user wants the run to stop; asked often.
    fn cancelled(&self) -> bool;
}

impl Observer for Unobserved {
    fn part_begins(&mut self, _part: Part, _done_ms: u64, _whole_ms: u64) {}

    fn part_goes_on(&mut self, _part: Part, _budget_ms: u64, _share: f64) {}

    fn cancelled(&self) -> bool {
        false
    }
}

/// Does what `plan` says and keeps a record of it.
///
/// # Guarantees
/// Never fails: what could not be had stands in the record with its reason. Stops soon after the observer says so and
/// keeps what was measured until then. Leaves no process behind.
pub fn run(start: &Start, plan: Plan, tool: Tool, observer: &mut dyn Observer) -> Record {
    let began = Instant::now();
    let started_at = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
    let machine = chronoscope_harness::machine::identify(start.counter_access(), start.allowed_cpus());
    let mut record = Record { tool, started_at, ..blank(plan, machine) };
    let mut session = Session::new(start, record.plan.clone(), observer);
    prepare::prepare(&mut session, &mut record);
    session.take_suffered();
    let whole_ms: u64 = session.plan.parts.iter().map(|part| part.budget_ms).sum();
    let mut done_ms = 0;
    for planned in session.plan.parts.clone() {
        session.observer.part_begins(planned.part, done_ms, whole_ms);
        let part_began = Instant::now();
        let (outcome, reason) = match stages::run(planned.part, &mut session, &mut record) {
            Ok(()) => (Outcome::Done, None),
            Err(StageError::Incomplete(reason)) => (Outcome::Incomplete, Some(reason)),
            Err(StageError::Skipped(reason)) => (Outcome::Skipped, Some(reason)),
            Err(StageError::Failed(reason)) => (Outcome::Failed, Some(reason)),
        };
        let elapsed_ms = milliseconds(part_began);
        let disturbance = session.take_suffered();
        record.parts.push(PartReport { part: planned.part, outcome, reason, elapsed_ms, disturbance });
        done_ms += planned.budget_ms;
    }
    stages::finish(&mut session, &mut record);
    record.interrupted = session.observer.cancelled();
    verdict::conclude(&mut record);
    record.findings = crate::rules::conclude(&record);
    record.elapsed_ms = milliseconds(began);
    record
}

/// A record in which nothing has been measured yet, on `machine`.
pub fn blank(plan: Plan, machine: Machine) -> Record {
    Record {
        schema_version: SCHEMA_VERSION,
        tool: Tool { name: String::new(), version: String::new() },
        started_at: String::new(),
        elapsed_ms: 0,
        interrupted: false,
        machine,
        reason_no_workers: None,
        plan,
        parts: Vec::new(),
        harness: None,
        clocks: Vec::new(),
        reads: Vec::new(),
        causality: Causality::default(),
        findings: Vec::new(),
        verdict: Default::default(),
        library_clock: None,
        reason_library_clock_unknown: None,
        monotime: None,
        latch: None,
        pause: None,
        runtimes: Vec::new(),
    }
}

fn milliseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}
