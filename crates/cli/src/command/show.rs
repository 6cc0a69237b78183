use std::process::ExitCode;

use chronoscope_measure::front::{Failure, print};
use chronoscope_measure::record::study::StudyRecord;
use chronoscope_report::{Document, Record};

use crate::arguments::{self, Format, ShowOptions};

/// Prints a saved record again.
pub(super) fn run(options: &ShowOptions) -> Result<ExitCode, Failure> {
    let cannot =
        |why: &dyn std::fmt::Display| Failure::usage(format!("{} cannot be shown: {why}", options.file.display()));
    let text = std::fs::read_to_string(&options.file).map_err(|error| cannot(&error))?;
    let document = chronoscope_report::document(&text).map_err(|error| cannot(&error))?;
    let shown = match &document {
        Document::Check(_) if options.full => Err(cannot(&"--full is for studies; a check has --view")),
        Document::Check(record) => check(record, options),
        Document::Study(_) if options.view != arguments::View::Check => Err(cannot(&"a study has no --view")),
        Document::Study(record) => study(record, options),
    };
    print(&shown?)?;
    Ok(ExitCode::SUCCESS)
}

fn check(record: &Record, options: &ShowOptions) -> Result<String, Failure> {
    let view = match options.view {
        arguments::View::Check => chronoscope_report::View::Check,
        arguments::View::Clocks => chronoscope_report::View::Clocks,
        arguments::View::Reads => chronoscope_report::View::Reads,
        arguments::View::Causality => chronoscope_report::View::Causality,
        arguments::View::Monotime => chronoscope_report::View::Monotime,
        arguments::View::Latch => chronoscope_report::View::Latch,
        arguments::View::Pause => chronoscope_report::View::Pause,
        arguments::View::Runtimes => chronoscope_report::View::Runtimes,
    };
    match options.format {
        Format::Human => Ok(chronoscope_report::terminal(record, view)),
        Format::Json => chronoscope_report::json(record).map_err(|error| Failure::run(error.to_string())),
    }
}

fn study(record: &StudyRecord, options: &ShowOptions) -> Result<String, Failure> {
    use chronoscope_report::study::{Detail, json, terminal};

    let detail = if options.full { Detail::Full } else { Detail::Usual };
    match options.format {
        Format::Human => Ok(terminal(record, detail)),
        Format::Json => json(record).map_err(|error| Failure::run(error.to_string())),
    }
}
