use std::process::ExitCode;

use chronoscope_bench::{Failure, Format, page_width, print};

use super::page::{Shown, page};
use crate::arguments::ShowOptions;
use crate::document::Record;
use crate::json::{document, json};

/// Prints a saved document, as the run that saved it did.
pub fn run(options: &ShowOptions) -> Result<ExitCode, Failure> {
    let cannot = |why: String| Failure::usage(format!("{} cannot be shown: {why}", options.file.display()));
    let text = std::fs::read_to_string(&options.file).map_err(|error| cannot(error.to_string()))?;
    let record = document(&text).map_err(|error| cannot(error.to_string()))?;
    refuse(&record, options).map_or(Ok(()), |why| Err(cannot(why)))?;
    print(&match options.format {
        Format::Human => page(&record, Shown { view: options.view, full: options.full }, page_width()),
        Format::Json => json(&record).map_err(|error| Failure::run(error.to_string()))?,
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Why the options are invalid for `record`; None if they are valid.
fn refuse(record: &Record, options: &ShowOptions) -> Option<String> {
    let wrong = match (options.full, options.view.is_some()) {
        (true, _) if record.study.is_none() => "--full applies to studies",
        (_, true) if record.plan.parts.is_empty() => "--view applies to checks",
        _ => return None,
    };
    Some(format!("{wrong}; `{}` wrote this document", record.command))
}
