//! The actual length of pauses.

pub mod browser;
pub mod estimate;
pub mod figures;
pub mod measure;
pub mod plan;
pub mod report;
pub mod rules;
pub mod task;
pub mod view;

use std::time::Duration;

use crate::engine::session::Session;
use crate::engine::stages::Found;
use crate::engine::task::{Served, served};
use crate::part::{Part, PartRow};
use crate::plan::{Depth, Frame, PlanError};
use crate::section::Section;
use crate::section::rule::SectionRule;

pub struct Pauses;

impl Section for Pauses {
    type Options = plan::Options;
    type Plan = plan::PausesPlan;
    type Report = Option<chronoscope_harness::estimators::pauses::Pauses>;

    const PARTS: &'static [PartRow] = plan::PARTS;
    const TASKS: &'static [Served] = &[served::<task::PausesTask>()];
    const RULES: &'static [&'static [SectionRule<Self::Plan, Self::Report>]] = &[rules::RULES, rules::ADVICE];

    fn plan(options: &plan::Options, frame: &Frame) -> Result<Self::Plan, PlanError> {
        plan::plan(options, frame)
    }

    fn measure(_: Part, session: &mut Session<'_>, plan: &Self::Plan, _: Self::Report) -> Found<Self::Report> {
        measure::run(session, plan)
    }

    fn time_alone(depth: Depth) -> Option<Duration> {
        Some(depth.budget().mul_f64(plan::TIME_FACTOR))
    }
}
