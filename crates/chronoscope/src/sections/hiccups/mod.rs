//! Hiccups: stalls that an idle and a sleeping thread see on each CPU, like jHiccup.
//!
//! Measured in the coordinator, on threads of its own that [`chronoscope_sources::hiccups`] starts: a sleeper on every planned
//! CPU, and in place of it a spinner on one of them at a time.

pub mod account;
pub mod browser;
pub mod cause;
pub mod estimate;
pub mod figures;
pub mod log;
pub mod measure;
pub mod observation;
pub mod plan;
pub mod program;
pub mod report;
pub mod rotation;
pub mod rules;
pub mod tally;
#[cfg(test)]
mod tests;
pub mod timeline;
pub mod view;
pub mod watcher;

use std::time::Duration;

use crate::engine::session::Session;
use crate::engine::stages::Found;
use crate::engine::task::Served;
use crate::part::{Part, PartRow};
use crate::plan::{Depth, Frame, PlanError};
use crate::section::Section;
use crate::section::rule::SectionRule;

pub struct Hiccups;

impl Section for Hiccups {
    type Options = plan::Options;
    type Plan = plan::HiccupsPlan;
    type Report = Option<report::HiccupsReport>;

    const PARTS: &'static [PartRow] = plan::PARTS;
    const TASKS: &'static [Served] = &[];
    const RULES: &'static [&'static [SectionRule<Self::Plan, Self::Report>]] = &[rules::RULES];

    fn plan(options: &plan::Options, _frame: &Frame) -> Result<Self::Plan, PlanError> {
        plan::plan(options)
    }

    fn check_needs(plan: &Self::Plan) -> Result<(), PlanError> {
        program::check(&plan.command)?;
        log::check(plan.log.as_deref())
    }

    fn time_alone(depth: Depth) -> Option<Duration> {
        Some(plan::time_alone(depth))
    }

    fn measure(_: Part, session: &mut Session<'_>, plan: &Self::Plan, _: Self::Report) -> Found<Self::Report> {
        measure::run(session, plan)
    }
}
