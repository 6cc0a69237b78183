//! The sections, one line each, from which the subcommand, the document field, schema, worker dispatch, progress,
//! budget and view are derived.

use std::collections::BTreeSet;

use chronoscope_bench::Failure;
use chronoscope_harness::Start;
use chronoscope_harness::finding::Kind;
use chronoscope_harness::rule::Rule;
use chronoscope_harness::{study_against, study_conclusions, study_rules};
use clap::Subcommand;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::arguments::Of;
use crate::command::measure;
use crate::document::Record;
use crate::engine::session::Session;
use crate::engine::stages::StageError;
use crate::engine::task::Served;
use crate::part::{Part, PartRow};
use crate::plan::{Frame, Plan, PlanError};
use crate::rules;
use crate::section::{Entry, EntryOf, Section};
use crate::sections;
use chronoscope_render::page::Page;

macro_rules! sections {
    ($($(#[$meta:meta])* $field:ident: $Section:ident;)*) => {
        /// Plans and measurements, by section.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(default)]
        pub struct Sections {
            $(#[serde(skip_serializing_if = "Entry::is_untouched")] pub $field: EntryOf<sections::$field::$Section>,)*
        }

        /// The sections as subcommands.
        #[derive(Debug, Subcommand)]
        pub enum SectionCommand {
            $($(#[$meta])* $Section(Of<<sections::$field::$Section as Section>::Options>),)*
        }

        impl SectionCommand {
            /// Measures the section, then prints and saves the results.
            pub fn run(self, start: &Start) -> Result<std::process::ExitCode, Failure> {
                match self {
                    $(Self::$Section(options) => measure::section::<sections::$field::$Section>(start, &options, stringify!($field), |sections| &mut sections.$field),)*
                }
            }
        }

        /// The names of all sections, as in fields and views.
        pub const NAMES: &[&str] = &[$(stringify!($field)),*];

        /// The parts of all sections, in the order of a run.
        pub fn parts() -> impl Iterator<Item = &'static PartRow> {
            [$(<sections::$field::$Section as Section>::PARTS),*].into_iter().flatten()
        }

        /// The parts of the section `name`.
        pub fn parts_of(name: &str) -> &'static [PartRow] {
            $(if name == stringify!($field) {
                return <sections::$field::$Section as Section>::PARTS;
            })*
            &[]
        }

        /// Worker tasks of all sections.
        pub fn tasks() -> impl Iterator<Item = &'static Served> {
            [$(<sections::$field::$Section as Section>::TASKS),*].into_iter().flatten()
        }

        /// The rules of all sections.
        pub fn rules() -> impl Iterator<Item = &'static Rule<Record>> {
            [$(<sections::$field::$Section as Section>::RULES),*].into_iter().flatten().copied().flatten()
        }

        /// The parts of each section whose rules yield findings of the kind `id`.
        pub fn parts_yielding(id: &str) -> Vec<&'static [PartRow]> {
            let sections = [$((<sections::$field::$Section as Section>::RULES, <sections::$field::$Section as Section>::PARTS)),*];
            let yields = |rules: &[&'static [Rule<Record>]]| {
                rules.iter().any(|rules| kinds_in(rules).any(|kind| kind.id == id))
            };
            sections.into_iter().filter(|(rules, _)| yields(rules)).map(|(_, parts)| parts).collect()
        }

        /// Plans, with default options, every section of a check that has no plan yet.
        pub fn plan_check(sections: &mut Sections, frame: &Frame) -> Result<(), PlanError> {
            $(if is_of_check(<sections::$field::$Section as Section>::PARTS) && sections.$field.is_untouched() {
                sections.$field.plan = sections::$field::$Section::plan(&Default::default(), frame)?;
            })*
            Ok(())
        }

        /// Plans the section `name` with default options, and its time alone.
        ///
        /// # Errors
        /// If there is no such section, or the options of `run` do not suit it.
        pub fn plan_alone(name: &str, sections: &mut Sections, frame: &Frame) -> Result<Plan, PlanError> {
            $(if name == stringify!($field) {
                type Alone = sections::$field::$Section;
                sections.$field.plan = Alone::plan(&Default::default(), frame)?;
                Alone::check_needs(&sections.$field.plan)?;
                return Plan::of_section(None, frame, Alone::PARTS, Alone::time_alone(frame.depth));
            })*
            Err(PlanError::new(format!("there is no section {name}")))
        }

        /// Begins the report of every section.
        pub fn begin(session: &Session<'_>, sections: &mut Sections) {
            $(sections.$field.report = sections::$field::$Section::begin(session);)*
        }

        /// Runs `part`, whichever section it belongs to.
        pub fn measure(part: Part, session: &mut Session<'_>, sections: &mut Sections) -> Result<(), StageError> {
            $(if has(<sections::$field::$Section as Section>::PARTS, part) {
                let Entry { plan, report } = &mut sections.$field;
                return sections::$field::$Section::measure(part, session, plan, report);
            })*
            Err(StageError::Skipped("no section of this build does it".to_owned()))
        }

        /// Lets every section repeat measurements spoiled by a busy moment.
        pub fn finish(session: &mut Session<'_>, sections: &mut Sections) {
            $(sections::$field::$Section::finish(session, &sections.$field.plan, &mut sections.$field.report);)*
        }

        /// Draws the section `name`; false if there is none.
        pub fn show(name: &str, page: &mut Page, record: &Record) -> bool {
            $(if name == stringify!($field) {
                sections::$field::$Section::show(page, record);
                return true;
            })*
            false
        }

        /// Draws every section in its form for the page of a check.
        pub fn show_in_check(page: &mut Page, record: &Record) {
            $(sections::$field::$Section::show_in_check(page, record);)*
        }
    };
}

sections! {
    /// Clocks in depth: path, latency, granularity, shortest intervals
    clocks: Clocks;
    /// Consecutive reads: differences and gaps of every clock on the common timeline
    reads: Reads;
    /// Causality in depth: offsets between CPUs and the one-way litmus
    causality: Causality;
    /// Actual length and CPU cost of pauses: every way to wait, 1 µs to 10 ms
    #[command(alias = "pause")]
    pauses: Pauses;
    #[command(about = format!("Clocks as this machine's language runtimes read them: {}", chronoscope_probes::RuntimeKind::titles()))]
    #[command(mut_arg("cpus", |arg| arg.help("Native code runs on the last of these; runtimes use as many threads, unbound")))]
    runtimes: Runtimes;
    /// Whether the wall clock is disciplined and by what, its maximum error, and the slew of CLOCK_MONOTONIC
    sync: Sync;
    /// What the machine takes from a thread that asks for nothing, per CPU, in the manner of jHiccup
    #[command(mut_arg("cpus", |arg| arg.help("Watch only these CPUs, e.g. 0-3,6; PROGRAM is not bound to them")))]
    hiccups: Hiccups;
}

/// Every kind of finding that this build knows, each once.
pub fn all_kinds() -> impl Iterator<Item = &'static Kind> {
    let mut seen = BTreeSet::new();
    rules::kinds()
        .chain(kinds_in(study_rules::RULES))
        .chain(kinds_in(study_conclusions::RULES))
        .chain(study_against::KINDS)
        .chain(kinds_in(sections::pace::rules::RULES))
        .chain(crate::watch::detect::KINDS)
        .chain(kinds_in(sections::scaling::rules::RULES))
        .filter(move |kind| seen.insert(kind.id))
}

/// The kinds of finding that were looked for in a document of this shape.
pub fn kinds_of(record: &Record) -> Vec<&'static Kind> {
    let mut kinds = Vec::new();
    if record.is_check() {
        kinds.extend(rules::kinds());
    }
    if record.study.is_some() {
        kinds.extend(kinds_in(study_rules::RULES).chain(kinds_in(study_conclusions::RULES)));
    }
    if record.against.is_some() {
        kinds.extend(study_against::KINDS);
    }
    if record.pace.is_some() {
        kinds.extend(kinds_in(sections::pace::rules::RULES));
    }
    if record.scaling.is_some() {
        kinds.extend(kinds_in(sections::scaling::rules::RULES));
    }
    kinds
}

/// The kinds that some rules yield.
pub fn kinds_in<R>(rules: &'static [Rule<R>]) -> impl Iterator<Item = &'static Kind> {
    rules.iter().flat_map(|rule| rule.yields)
}

fn is_of_check(parts: &[PartRow]) -> bool {
    parts.iter().any(|row| row.is_of_check)
}

fn has(parts: &[PartRow], part: Part) -> bool {
    parts.iter().any(|row| row.part == part)
}
