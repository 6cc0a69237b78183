use std::process::ExitCode;

use crate::arguments::{self, Format, ShowOptions};
use crate::failure::Failure;
use crate::output;

/// Prints a saved record again.
pub(super) fn run(options: &ShowOptions) -> Result<ExitCode, Failure> {
    let cannot =
        |why: &dyn std::fmt::Display| Failure::usage(format!("{} cannot be shown: {why}", options.file.display()));
    let text = std::fs::read_to_string(&options.file).map_err(|error| cannot(&error))?;
    let record = chronoscope_report::parse(&text).map_err(|error| cannot(&error))?;
    let view = match options.view {
        arguments::View::Check => chronoscope_report::View::Check,
        arguments::View::Clocks => chronoscope_report::View::Clocks,
        arguments::View::Reads => chronoscope_report::View::Reads,
        arguments::View::Causality => chronoscope_report::View::Causality,
        arguments::View::Monotime => chronoscope_report::View::Monotime,
    };
    output::print(&match options.format {
        Format::Human => chronoscope_report::terminal(&record, view),
        Format::Json => chronoscope_report::json(&record).map_err(|error| Failure::run(error.to_string()))?,
    })?;
    Ok(ExitCode::SUCCESS)
}
