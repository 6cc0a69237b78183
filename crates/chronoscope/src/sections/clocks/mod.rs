//! The clocks: path, latency, granularity, tick, shortest intervals.

pub mod begin;
pub mod detail;
pub mod figures;
pub mod granularity;
pub mod intervals;
pub mod latency;
pub mod library_clock;
pub mod paths;
pub mod plan;
pub mod report;
pub mod rules;
pub mod table;
pub mod tick;
pub mod view;

use crate::engine::session::Session;
use crate::engine::stages::Found;
use crate::engine::task::{Served, served};
use crate::part::{Part, PartRow};
use crate::plan::{Frame, PlanError};
use crate::section::Section;
use crate::section::rule::SectionRule;

pub struct Clocks;

impl Section for Clocks {
    type Options = plan::Options;
    type Plan = plan::ClocksPlan;
    type Report = report::ClocksReport;

    const PARTS: &'static [PartRow] = plan::PARTS;
    const TASKS: &'static [Served] = &[
        served::<paths::task::PathsTask>(),
        served::<granularity::task::GranularityTask>(),
        served::<tick::task::TickTask>(),
        served::<intervals::empty::EmptyIntervalsTask>(),
        served::<intervals::task::IntervalsTask>(),
        served::<library_clock::task::LibraryClockTask>(),
    ];
    const RULES: &'static [&'static [SectionRule<Self::Plan, Self::Report>]] = &[rules::RULES];

    fn plan(options: &plan::Options, frame: &Frame) -> Result<Self::Plan, PlanError> {
        plan::plan(options, frame)
    }

    fn begin(session: &Session<'_>) -> Self::Report {
        begin::begin(session)
    }

    fn measure(part: Part, session: &mut Session<'_>, plan: &Self::Plan, so_far: Self::Report) -> Found<Self::Report> {
        let measured = match part {
            plan::PATHS => paths::measure::run(session, so_far),
            plan::LATENCY => latency::measure::run(session, plan, so_far),
            plan::GRANULARITY => granularity::measure::run(session, so_far),
            plan::TICK => tick::measure::run(session, so_far),
            _ => intervals::measure::run(session, so_far),
        };
        if let Ok((report, _)) = &measured {
            tell(session, report);
        }
        measured
    }

    fn finish(session: &mut Session<'_>, plan: &Self::Plan, mut report: Self::Report) -> Self::Report {
        learn(session, &mut report);
        report = latency::measure::finish(session, plan, report);
        session.charge(plan::LATENCY);
        report = intervals::measure::finish(session, report);
        session.charge(plan::INTERVALS);
        report::ClocksReport { library_clock: Some(library_clock::measured(session)), ..report }
    }
}

/// Tells the run what its other parts need of the clocks.
fn tell(session: &mut Session<'_>, report: &report::ClocksReport) {
    for clock in &report.clocks {
        let Some(known) = session.clock_mut(&clock.name) else { continue };
        known.step_ns = clock.step_ns();
        if let Some(latency) = &clock.latency_ns {
            known.latency = Some(latency.clone());
        }
    }
}

/// Takes over the cost of clocks that only another part of the run has measured.
fn learn(session: &Session<'_>, report: &mut report::ClocksReport) {
    for clock in report.clocks.iter_mut().filter(|clock| clock.latency_ns.is_none()) {
        clock.latency_ns = session.clock(&clock.name).and_then(|known| known.latency.clone());
    }
}
