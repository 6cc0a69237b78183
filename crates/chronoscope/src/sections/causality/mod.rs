//! Causality: offsets between CPUs, and the one-way litmus.

pub mod estimate;
pub mod figures;
pub mod litmus;
pub mod measure;
pub mod offset;
pub mod plan;
pub mod report;
pub mod rules;
pub mod view;

use crate::engine::session::Session;
use crate::engine::stages::StageResult;
use crate::engine::task::{Served, served};
use crate::part::{Part, PartRow};
use crate::plan::{Frame, PlanError};
use crate::section::Section;
use crate::section::rule::SectionRule;

pub struct Causality;

impl Section for Causality {
    type Options = plan::Options;
    type Plan = plan::CausalityPlan;
    type Report = report::Causality;

    const PARTS: &'static [PartRow] = plan::PARTS;
    const TASKS: &'static [Served] = &[served::<offset::OffsetTask>(), served::<litmus::LitmusTask>()];
    const RULES: &'static [&'static [SectionRule<Self::Plan, Self::Report>]] = &[rules::RULES];

    fn plan(_options: &plan::Options, frame: &Frame) -> Result<Self::Plan, PlanError> {
        Ok(plan::plan(frame))
    }

    fn measure(part: Part, session: &mut Session<'_>, plan: &Self::Plan, report: &mut Self::Report) -> StageResult {
        match part {
            plan::OFFSETS => measure::offsets(session, plan, report),
            _ => measure::litmus(session, plan, report),
        }
    }

    fn finish(session: &mut Session<'_>, _plan: &Self::Plan, report: &mut Self::Report) {
        measure::finish(session, report);
        session.charge(plan::LITMUS);
    }
}
