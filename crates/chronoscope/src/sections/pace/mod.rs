//! Events at a fixed rate: their lateness, and what caused it.

pub mod browser;
pub mod estimate;
pub mod figures;
pub mod measure;
pub mod plan;
pub mod rate;
pub mod report;
pub mod rules;
pub mod view;
pub mod words;

use std::process::ExitCode;

use chronoscope_bench::Failure;
use chronoscope_harness::finding::Kind;
use chronoscope_harness::{Start, StudyObserver};
use chronoscope_render::Width;
use chronoscope_render::browser::Sheet;
use chronoscope_render::page::Page;

use crate::command::output::Output;
use crate::command::page::Shown;
use crate::command::study_run;
use crate::document::Record;
use crate::standalone::Standalone;

impl Standalone for plan::Options {
    fn run(&self, start: &Start) -> Result<ExitCode, Failure> {
        let plan = plan::plan(self)?;
        let output = Output::prepare(&self.to)?;
        let record = study_run::shown(self.quiet, |progress| {
            measure::pace(start, &plan, study_run::tool(), |share| {
                progress.goes_on(share, "pacing");
                progress.cancelled()
            })
        });
        output.write(&record, Shown::default())?;
        let has_events = record.content.pace.as_ref().is_some_and(|pace| pace.events > 0);
        Ok(ExitCode::from(u8::from(record.interrupted || !has_events)))
    }

    fn kinds() -> Vec<&'static Kind> {
        rules::RULES.iter().flat_map(|rule| rule.yields).collect()
    }

    fn is_in(record: &Record) -> bool {
        record.content.pace.is_some()
    }

    fn page(record: &Record, width: Width) -> Option<Page> {
        Some(view::pace_at(record, record.content.pace.as_ref()?, width))
    }

    fn browser_page(record: &Record) -> Option<Sheet> {
        Some(browser::page(record, record.content.pace.as_ref()?))
    }
}
