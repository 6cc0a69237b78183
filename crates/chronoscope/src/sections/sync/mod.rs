//! Whether the wall clock is disciplined, by what, its maximum error, and the current slew of `CLOCK_MONOTONIC`.
//!
//! Every source is queried read-only: `adjtimex`, chronyd, `/proc`, `/sys/class/ptp` and `/dev/ptp*`. The slew is also
//! observed, by reading both clocks at both ends of the measuring time.

pub mod bound;
pub mod browser;
pub mod chrony;
pub mod daemon;
pub mod discipline;
pub mod figures;
pub mod kernel;
pub mod measure;
pub mod plan;
pub mod ptp;
pub mod report;
pub mod rules;
pub mod slew;
pub mod step;
#[cfg(test)]
pub mod tests;
pub mod timesyncd;
pub mod view;

use std::time::Duration;

use crate::engine::session::Session;
use crate::engine::stages::Found;
use crate::engine::task::Served;
use crate::part::{Part, PartRow};
use crate::plan::{Depth, Frame, PlanError};
use crate::section::Section;
use crate::section::rule::SectionRule;

pub struct Sync;

impl Section for Sync {
    type Options = plan::Options;
    type Plan = plan::SyncPlan;
    type Report = Option<report::SyncReport>;

    const PARTS: &'static [PartRow] = plan::PARTS;
    const TASKS: &'static [Served] = &[];
    const RULES: &'static [&'static [SectionRule<Self::Plan, Self::Report>]] = &[rules::RULES];

    fn plan(options: &plan::Options, _frame: &Frame) -> Result<Self::Plan, PlanError> {
        plan::plan(options)
    }

    fn time_alone(depth: Depth) -> Option<Duration> {
        Some(plan::time_alone(depth))
    }

    fn measure(_: Part, session: &mut Session<'_>, plan: &Self::Plan, _: Self::Report) -> Found<Self::Report> {
        measure::run(session, plan)
    }
}
