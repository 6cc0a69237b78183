//! `chronoscope scaling`: the cost of reading each clock as a function of the work between reads and of the number of
//! threads, and where threads stop slowing each other down. Written against the public API of `chronoscope-harness`, as
//! a user would write it.
//!
//! Data moves one way: [`clock`] lists what can be read, [`choice`] takes what the user names, [`grid`] plans the passes,
//! [`program`] runs them, [`runtime_study`](crate::runtime_study) has the probes of language runtimes do the same, [`merge`] combines everything into
//! one record, [`front`] concludes from the record alone, [`rules`] turn that into findings, and [`mod@page`] draws it.

mod browser;
mod chart;
mod choice;
mod clock;
mod front;
mod grid;
mod merge;
pub mod options;
mod page;
mod program;
pub mod report;
mod rules;
#[cfg(test)]
mod runtimes_tests;

use std::process::ExitCode;

use chronoscope_bench::Failure;
use chronoscope_harness::Start;
use chronoscope_harness::finding::Kind;
use chronoscope_harness::rule;
use chronoscope_render::Width;
use chronoscope_render::browser::Sheet;
use chronoscope_render::page::Page;

use crate::command::output::Output;
use crate::command::page::Shown;
use crate::command::study_run;
use crate::document::{self, Record};
use crate::experiment::against::worst_first;
use crate::standalone::Standalone;
use front::conclude;
use options::Options;
use program::Program;

impl Standalone for Options {
    fn run(&self, start: &Start) -> Result<ExitCode, Failure> {
        let run = &self.run;
        // Worker processes do not get past this line.
        let program = Program::new(start, self)?;
        let output = Output::prepare(&run.to)?;
        let tool = study_run::tool();
        let (study, runtimes) = study_run::shown(run.quiet, |progress| program.run(start, &tool, progress))?;
        let is_well = study.is_whole() && !(run.strict && study.has_warning());
        let conclusions = conclude(&study);
        let mut record = document::of_study(study, "scaling");
        record.content.sections.runtimes.report = runtimes;
        record.findings.extend(rule::conclude(rules::RULES, &conclusions));
        worst_first(&mut record.findings);
        record.content.scaling = Some(conclusions);
        output.write(&record, Shown { full: self.verbose, ..Shown::default() })?;
        Ok(ExitCode::from(u8::from(!is_well)))
    }

    fn kinds() -> Vec<&'static Kind> {
        rules::RULES.iter().flat_map(|rule| rule.yields).collect()
    }

    fn is_in(record: &Record) -> bool {
        record.content.scaling.is_some()
    }

    fn page(record: &Record, width: Width) -> Option<Page> {
        let conclusions = record.content.scaling.as_ref()?;
        Some(page::page(&document::as_study(record)?, conclusions, record.content.runtimes(), width))
    }

    fn browser_page(record: &Record) -> Option<Sheet> {
        let conclusions = record.content.scaling.as_ref()?;
        Some(browser::page(&document::as_study(record)?, conclusions, record.content.runtimes()))
    }
}
