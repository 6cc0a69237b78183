//! How language runtimes see time.

pub mod browser;
pub mod estimate;
pub mod figures;
mod lanes;
pub mod measure;
pub mod plan;
pub mod rules;
pub mod view;

use std::time::Duration;

use crate::engine::session::Session;
use crate::engine::stages::Found;
use crate::engine::task::Served;
use crate::part::{Part, PartRow};
use crate::plan::{Depth, Frame, PlanError};
use crate::probe::runtime::Runtime;
use crate::section::Section;
use crate::section::rule::SectionRule;

pub struct Runtimes;

impl Section for Runtimes {
    type Options = plan::Options;
    type Plan = Option<plan::RuntimesPlan>;
    type Report = Vec<Runtime>;

    const PARTS: &'static [PartRow] = plan::PARTS;
    const TASKS: &'static [Served] = &[];
    const RULES: &'static [&'static [SectionRule<Self::Plan, Self::Report>]] = &[rules::RULES, rules::latch::RULES];

    fn plan(options: &plan::Options, frame: &Frame) -> Result<Self::Plan, PlanError> {
        plan::plan(options, frame).map(Some)
    }

    fn measure(_: Part, session: &mut Session<'_>, plan: &Self::Plan, _: Self::Report) -> Found<Self::Report> {
        measure::run(session, plan)
    }

    fn time_alone(depth: Depth) -> Option<Duration> {
        Some(Duration::from_secs(plan::BUDGETS_S[depth as usize]))
    }
}
