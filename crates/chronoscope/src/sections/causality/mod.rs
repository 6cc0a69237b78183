//! Causality: offsets between CPUs, and the one-way litmus.

pub mod browser;
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
use crate::engine::stages::{Found, StageError};
use crate::engine::task::{Served, served};
use crate::part::{Part, PartRow};
use crate::plan::{Frame, PlanError};
use crate::section::rule::SectionRule;
use crate::section::{Section, Steps};

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

    fn measure(part: Part, session: &mut Session<'_>, plan: &Self::Plan, so_far: Self::Report) -> Found<Self::Report> {
        if let Some(reason) = measure::reason_too_few_cpus(&session.plan.cpus) {
            let skipped = Err(StageError::Skipped(reason.clone()));
            return Ok((report::Causality { reason_unavailable: Some(reason), ..so_far }, skipped));
        }
        match part {
            plan::OFFSETS => measure::offsets(session, plan, so_far),
            _ => measure::litmus(session, plan, so_far),
        }
    }

    fn finish(session: &mut Session<'_>, _: &Self::Plan, steps: &Steps, report: Self::Report) -> Self::Report {
        let litmus = measure::observed_again(session, report.litmus, steps);
        session.charge(plan::LITMUS);
        report::Causality { litmus, ..report }
    }
}
