//! The cost of a call in one thread and in many released together.

pub mod estimate;
pub mod measure;
pub mod own_share;
pub mod plan;
pub mod report;
pub mod rules;
pub mod task;
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
pub struct ThreadRelease;

impl Section for ThreadRelease {
    type Options = plan::Options;
    type Plan = plan::ThreadReleasePlan;
    type Report = Option<report::ThreadReleaseReport>;

    const PARTS: &'static [PartRow] = plan::PARTS;
    const TASKS: &'static [Served] = &[served::<task::Request>()];
    const RULES: &'static [&'static [Rule<Record>]] = &[rules::RULES];

    fn plan(options: &plan::Options, frame: &Frame) -> Result<Self::Plan, PlanError> {
        plan::plan(options, frame)
    }

    fn measure(_part: Part, session: &mut Session<'_>, record: &mut Record) -> Result<(), StageError> {
        measure::run(session, record)
    }

    fn show(page: &mut Page, record: &Record) {
        view::show(page, record);
    }
}
