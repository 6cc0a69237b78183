//! The clocks: path, latency, granularity, tick, shortest intervals.

pub mod detail;
pub mod granularity;
pub mod intervals;
pub mod latency;
pub mod library_clock;
pub mod paths;
pub mod plan;
pub mod report;
pub mod rules;
pub mod tick;
pub mod view;

use chronoscope_harness::rule::Rule;

use crate::document::Record;
use crate::engine::session::Session;
use crate::engine::stages::StageError;
use crate::engine::task::{Served, served};
use crate::part::{Part, PartRow};
use crate::plan::{Frame, PlanError};
use crate::section::Section;
use chronoscope_render::page::Page;

/// The section.
pub struct Clocks;

impl Section for Clocks {
    type Options = plan::Options;
    type Plan = plan::ClocksPlan;
    type Report = report::ClocksReport;

    const PARTS: &'static [PartRow] = plan::PARTS;
    const TASKS: &'static [Served] = &[
        served::<paths::task::Request>(),
        served::<granularity::task::Request>(),
        served::<tick::task::Request>(),
        served::<intervals::empty::Request>(),
        served::<intervals::task::Request>(),
        served::<library_clock::task::Request>(),
    ];
    const RULES: &'static [&'static [Rule<Record>]] = &[rules::RULES, intervals::rules::RULES];

    fn plan(options: &plan::Options, frame: &Frame) -> Result<Self::Plan, PlanError> {
        plan::plan(options, frame)
    }

    fn measure(part: Part, session: &mut Session<'_>, record: &mut Record) -> Result<(), StageError> {
        match part {
            plan::PATHS => paths::measure::run(session, record),
            plan::LATENCY => latency::measure::run(session, record),
            plan::GRANULARITY => granularity::measure::run(session, record),
            plan::TICK => tick::measure::run(session, record),
            _ => intervals::measure::run(session, record),
        }
    }

    fn finish(session: &mut Session<'_>, record: &mut Record) {
        latency::measure::finish(session, record);
        session.charge(plan::LATENCY, record);
        intervals::measure::finish(session, record);
        session.charge(plan::INTERVALS, record);
        library_clock::finish(session, record);
    }

    fn show(page: &mut Page, record: &Record) {
        crate::answers::verdict_words::asked(page, record);
        view::show(page, record);
        detail::show(page, record);
    }

    fn show_in_check(page: &mut Page, record: &Record) {
        view::show(page, record);
    }
}
