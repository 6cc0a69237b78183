//! Runs a plan: from arguments to a record, one part after another.

pub mod built_in;
pub mod frequency;
pub mod latency_study;
pub mod noise_floor_study;
pub mod prepare;
pub mod probe;
pub mod read_case;
pub mod rounds;
pub mod rules;
pub mod serve;
pub mod session;
pub mod stages;
pub mod steps;
pub mod task;
pub mod timer;

#[cfg(test)]
mod tests;

use std::time::Instant;

use chronoscope_harness::{Start, StudyObserver};

use crate::document::{Content, Outcome, PartReport, Record};
use crate::plan::{Frame, PartBudget, Plan, PlanError};
use crate::registry::{self, Sections};
use crate::run_options::RunOptions;
use crate::section::{EntryOf, Section};
use crate::sections::clocks::plan as clocks;
use chronoscope_harness::machine::{current_clocksource, throttled_ms};
use chronoscope_harness::record::{Machine, Tool};
use chronoscope_harness::worker::Launch;
use session::Session;
use stages::StageError;
use task::{Served, served};

/// Worker tasks of every run.
pub const TASKS: &[Served] = &[served::<probe::ProbeTask>(), served::<frequency::FrequencyTask>()];

/// The plan of a run.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The requesting command.
    pub command: &'static str,
    pub plan: Plan,
    /// The plans of its sections.
    pub sections: Sections,
}

impl Planned {
    /// A check that also answers for the intervals in `options`, where the process may use the CPUs `allowed`.
    ///
    /// # Errors
    /// [`PlanError`] for invalid options.
    pub fn check(options: &clocks::Options, run: &RunOptions, allowed: &[u32]) -> Result<Self, PlanError> {
        let frame = Frame::new(run, allowed, false)?;
        let mut sections = Sections::default();
        sections.clocks.plan = clocks::plan(options, &frame)?;
        registry::plan_check(&mut sections, &frame)?;
        Ok(Self { command: "check", plan: registry::plan_of_check(run.duration, &frame)?, sections })
    }

    /// Only the section `S`, with entry `entry`.
    ///
    /// # Errors
    /// [`PlanError`] for invalid options.
    pub fn section<S: Section>(
        command: &'static str,
        entry: fn(&mut Sections) -> &mut EntryOf<S>,
        options: &S::Options,
        run: &RunOptions,
        allowed: &[u32],
    ) -> Result<Self, PlanError> {
        let frame = Frame::new(run, allowed, true)?;
        let mut sections = Sections::default();
        entry(&mut sections).plan = S::plan(options, &frame)?;
        let plan = registry::plan_section::<S>(run.duration, &frame)?;
        Ok(Self { command, plan, sections })
    }

    /// The sections called `names`, each as if alone.
    ///
    /// # Errors
    /// [`PlanError`] for invalid options.
    pub fn sections(
        command: &'static str,
        names: &[&str],
        run: &RunOptions,
        allowed: &[u32],
    ) -> Result<Self, PlanError> {
        let frame = Frame::new(run, allowed, true)?;
        let mut sections = Sections::default();
        let plans = registry::NAMES.iter().filter(|name| names.contains(name));
        let plans: Vec<Plan> =
            plans.map(|name| registry::plan_alone(name, &mut sections, &frame)).collect::<Result<_, _>>()?;
        let plan = plans.into_iter().reduce(Plan::followed_by);
        let plan = plan.ok_or_else(|| PlanError::new("there is nothing to measure"))?.within(run.duration)?;
        Ok(Self { command, plan, sections })
    }

    /// The document before anything has been measured on `machine`.
    pub fn record(self, tool: Tool, machine: Machine) -> Record {
        let Self { command, plan, sections } = self;
        Record::new(command, tool, machine, Content { plan, sections, ..Content::default() })
    }
}

/// Has `workers` carry out the plan and records the results, without conclusions yet; `start` holds the state they
/// inherit.
///
/// # Guarantees
/// Never fails: anything unavailable has a reason in the document. Stops soon after the observer requests it, and keeps
/// all results so far. Leaves no process behind.
pub fn run(
    start: &Start,
    workers: &dyn Launch,
    planned: Planned,
    tool: Tool,
    observer: &mut dyn StudyObserver,
) -> Record {
    let began = Instant::now();
    let machine = chronoscope_harness::machine::identify(start.counter_access(), start.allowed_cpus());
    let mut record = planned.record(tool, machine.clone());
    let mut session = Session::new(start, workers, record.content.plan.clone(), machine, observer);
    prepare::prepare(&mut session);
    session.take_suffered();
    registry::begin(&session, &mut record.content.sections);
    for PartBudget { part, budget_ms } in session.plan.parts.clone() {
        session.goes_on(part, 0.0);
        let (part_began, throttled_before) = (Instant::now(), throttled_ms());
        let ended = match session.observer.cancelled() {
            true => Err(StageError::Skipped("the run was interrupted".to_owned())),
            false => registry::measure(part, &mut session, &mut record.content.sections),
        };
        let (outcome, reason) = match ended {
            Ok(()) => (Outcome::Done, None),
            Err(StageError::Incomplete(reason)) => (Outcome::Incomplete, Some(reason)),
            Err(StageError::Skipped(reason)) => (Outcome::Skipped, Some(reason)),
            Err(StageError::Failed(reason)) => (Outcome::Failed, Some(reason)),
        };
        let elapsed_ms = milliseconds(part_began);
        let throttled_ms = throttled_ms().zip(throttled_before).map(|(now, then)| (now - then).max(0.0));
        let disturbance = session.take_suffered();
        let clocksource = current_clocksource();
        session.parts.push(PartReport { part, outcome, reason, elapsed_ms, throttled_ms, clocksource, disturbance });
        session.done_ms += budget_ms;
    }
    registry::finish(&mut session, &mut record.content.sections);
    record.machine = session.machine;
    record.content.reason_no_workers = session.reason_no_workers;
    record.content.parts = session.parts;
    record.interrupted = session.observer.cancelled();
    record.elapsed_ms = milliseconds(began);
    record
}

fn milliseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}
