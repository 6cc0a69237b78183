//! The distribution of consecutive reads.

pub mod browser;
pub mod figures;
pub mod lost;
pub mod measure;
pub mod plan;
pub mod report;
pub mod task;
pub mod view;

use crate::engine::session::Session;
use crate::engine::stages::Found;
use crate::engine::task::{Served, served};
use crate::part::{Part, PartRow};
use crate::plan::{Frame, PlanError};
use crate::section::Section;

pub struct Reads;

impl Section for Reads {
    type Options = plan::Options;
    type Plan = plan::ReadsPlan;
    type Report = Vec<report::Reads>;

    const PARTS: &'static [PartRow] = plan::PARTS;
    const TASKS: &'static [Served] = &[served::<task::ReadsTask>()];

    fn plan(_options: &plan::Options, frame: &Frame) -> Result<Self::Plan, PlanError> {
        Ok(plan::plan(frame))
    }

    fn measure(_: Part, session: &mut Session<'_>, plan: &Self::Plan, _: Self::Report) -> Found<Self::Report> {
        measure::run(session, plan)
    }
}
