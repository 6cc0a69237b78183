//! The clocks: path, latency, granularity, tick, shortest intervals.

pub mod begin;
pub mod browser;
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

use crate::clock_id::ClockId;
use crate::engine::session::Session;
use crate::engine::stages::Found;
use crate::engine::task::{Served, served};
use crate::part::{Part, PartRow};
use crate::plan::{Frame, PlanError};
use crate::section::rule::SectionRule;
use crate::section::{Section, Steps};

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
        match part {
            plan::PATHS => paths::measure::run(session, so_far),
            plan::LATENCY => latency::measure::run(session, plan, so_far),
            plan::GRANULARITY => granularity::measure::run(session, so_far),
            plan::TICK => tick::measure::run(session, so_far),
            _ => intervals::measure::run(session, so_far),
        }
    }

    fn steps(report: &Self::Report) -> Vec<(ClockId, f64)> {
        report.clocks.iter().filter_map(|clock| Some((clock.name.clone(), clock.step_ns()?))).collect()
    }

    fn finish(session: &mut Session<'_>, plan: &Self::Plan, _: &Steps, mut report: Self::Report) -> Self::Report {
        // Of clocks that only another section has measured.
        let latencies = session.latencies();
        for clock in report.clocks.iter_mut().filter(|clock| clock.latency_ns.is_none()) {
            let of_clock = latencies.iter().find(|(name, _)| *name == clock.name);
            clock.latency_ns = of_clock.map(|(_, latency)| latency.clone());
        }
        report = latency::measure::finish(session, plan, report);
        session.charge(plan::LATENCY);
        report = paths::measure::prove_again(session, report);
        report = intervals::measure::finish(session, report);
        session.charge(plan::INTERVALS);
        report::ClocksReport { library_clock: Some(library_clock::measured(session)), ..report }
    }
}
