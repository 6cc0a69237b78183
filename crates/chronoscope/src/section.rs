//! A section of the tool: options, plan, measurement, report and rules, behind one trait.

pub mod rule;

use std::fmt::Debug;
use std::time::Duration;

use chronoscope_harness::record::Machine;
use clap::Args;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::clock_id::ClockId;
use crate::engine::session::Session;
use crate::engine::stages::Found;
use crate::engine::task::Served;
use crate::part::{Part, PartRow};
use crate::plan::{Depth, Frame, PlanError};
use crate::section::rule::{RuleInput, SectionRule};

/// Plain data of a document.
pub trait Data: Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned + JsonSchema + 'static {}

impl<T: Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned + JsonSchema + 'static> Data for T {}

/// Clocks that move in steps longer than a read, with the step in nanoseconds.
pub type Steps = [(ClockId, f64)];

/// A section: registered by one line in `registry.rs`, from which its subcommand, document field, schema, worker
/// dispatch, progress, budget and `show --view` are derived. Its `view` draws it from a document, with `show` all of it and with
/// `show_in_check` what the page of a check has of it.
pub trait Section {
    /// Its command-line options.
    type Options: Args + Clone + Debug + Default;
    /// Its plan. The default: nothing.
    type Plan: Data;
    /// Its measurements. The default: none.
    type Report: Data;

    /// The steps of its measurement, in order.
    const PARTS: &'static [PartRow];
    /// Its worker tasks.
    const TASKS: &'static [Served];

    /// Its findings, each by a pure function of what the section knows.
    const RULES: &'static [&'static [SectionRule<Self::Plan, Self::Report>]] = &[];

    /// The plan for `options`.
    ///
    /// # Errors
    /// For invalid options: what is accepted.
    fn plan(options: &Self::Options, frame: &Frame) -> Result<Self::Plan, PlanError>;

    /// Checks, before anything is measured, what the plan needs besides the machine: files, programs.
    ///
    /// # Errors
    /// What is missing, and what to do.
    fn check_needs(_plan: &Self::Plan) -> Result<(), PlanError> {
        Ok(())
    }

    /// Its time when run alone; None for three times its share of a check.
    fn time_alone(_depth: Depth) -> Option<Duration> {
        None
    }

    /// Its report before any part of a run, which may be without its parts: what the machine shows of itself.
    fn begin(_session: &Session<'_>) -> Self::Report {
        Self::Report::default()
    }

    /// Runs one part of its plan: the report `so_far` with what the part found.
    fn measure(part: Part, session: &mut Session<'_>, plan: &Self::Plan, so_far: Self::Report) -> Found<Self::Report>;

    /// The steps of clocks that it knows.
    fn steps(_report: &Self::Report) -> Vec<(ClockId, f64)> {
        Vec::new()
    }

    /// Repeats, at the end of a run, measurements spoiled by a busy moment, given the `steps` that any section knows.
    fn finish(_: &mut Session<'_>, _: &Self::Plan, _steps: &Steps, report: Self::Report) -> Self::Report {
        report
    }
}

/// A section's content in a document.
pub type EntryOf<S> = Entry<<S as Section>::Plan, <S as Section>::Report>;

/// A section's plan and measurements.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "{P}_and_{R}", bound = "P: Data, R: Data")]
pub struct Entry<P, R> {
    pub plan: P,
    /// The measurements.
    pub report: R,
}

impl<P: Data, R: Data> Entry<P, R> {
    /// Whether it was neither planned nor measured.
    pub fn is_untouched(&self) -> bool {
        *self == Self::default()
    }

    /// What its rules see on `machine`.
    pub fn seen<'a>(&'a self, machine: &'a Machine) -> RuleInput<'a, P, R> {
        RuleInput { machine, plan: &self.plan, report: &self.report }
    }
}
