//! What a section of the tool is: options, plan, measuring, report, rules and view, behind one trait.

use std::fmt::Debug;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

use chronoscope_harness::rule::Rule;
use clap::Args;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::document::Record;
use crate::engine::session::Session;
use crate::engine::stages::StageError;
use crate::engine::task::Served;
use crate::part::{Part, PartRow};
use crate::plan::{Depth, Frame, PlanError};
use chronoscope_render::page::Page;

/// Plain data of a document.
pub trait Data: Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned + JsonSchema {}

impl<T: Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned + JsonSchema> Data for T {}

/// A section: registered by one line in `registry.rs`, from which its subcommand, its field in documents, their schema, the
/// dispatch to workers, progress, budget and `show --view` follow.
pub trait Section {
    /// What a user may say of it on the command line.
    type Options: Args + Clone + Debug + Default;
    /// What will be done. The default: nothing.
    type Plan: Data;
    /// What was seen. The default: nothing.
    type Report: Data;

    /// The steps of its measuring, in order.
    const PARTS: &'static [PartRow];
    /// What its workers do.
    const TASKS: &'static [Served];

    /// What follows from what was seen, each a pure function of the document.
    const RULES: &'static [&'static [Rule<Record>]] = &[];

    /// What `options` mean for a run.
    ///
    /// # Errors
    /// For options that make no sense: what is accepted.
    fn plan(options: &Self::Options, frame: &Frame) -> Result<Self::Plan, PlanError>;

    /// The time that it takes alone; None for twice its share of a check.
    fn time_alone(_depth: Depth) -> Option<Duration> {
        None
    }

    /// Does a part of its plan and writes what it saw into its report.
    ///
    /// # Errors
    /// Why the part was not done whole.
    fn measure(part: Part, session: &mut Session<'_>, record: &mut Record) -> Result<(), StageError>;

    /// Goes back, at the end of a run, to what a busy moment spoiled.
    fn finish(_session: &mut Session<'_>, _record: &mut Record) {}

    /// Draws all of it.
    fn show(page: &mut Page, record: &Record);

    /// Draws it on the page of a check.
    fn show_in_check(_page: &mut Page, _record: &Record) {}
}

/// What a document holds of a section.
pub type EntryOf<S> = Entry<<S as Section>::Plan, <S as Section>::Report>;

/// What a section planned and saw.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "{P}_and_{R}", bound = "P: Data, R: Data")]
pub struct Entry<P, R> {
    /// What was to be done.
    pub plan: P,
    /// What was seen.
    pub report: R,
}

impl<P: Data, R: Data> Entry<P, R> {
    /// Whether it was neither planned nor seen.
    pub fn is_untouched(&self) -> bool {
        *self == Self::default()
    }
}

impl<P, R> Deref for Entry<P, R> {
    type Target = R;

    fn deref(&self) -> &R {
        &self.report
    }
}

impl<P, R> DerefMut for Entry<P, R> {
    fn deref_mut(&mut self) -> &mut R {
        &mut self.report
    }
}
