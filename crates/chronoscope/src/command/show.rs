use std::process::ExitCode;

use chronoscope_bench::{Failure, Format, OutputFile, page_width, print};

use super::page::{Shown, browser_page, page};
use super::saved::saved;
use crate::arguments::ShowOptions;
use crate::document::Record;
use crate::json::json;

/// Prints a saved document, as the run that saved it did.
pub fn run(options: &ShowOptions) -> Result<ExitCode, Failure> {
    let cannot = |why: String| Failure::usage(format!("{} cannot be shown: {why}", options.file.display()));
    let record = saved(&options.file).map_err(cannot)?;
    refuse(&record, options).map_or(Ok(()), |why| Err(cannot(why)))?;
    let browser = options.html.as_deref().map(|path| OutputFile::prepare("the page", path)).transpose()?;
    let printed = print(&match options.format {
        Format::Human => page(&record, Shown { view: options.view, full: options.full }, page_width()),
        Format::Json => json(&record).map_err(|error| Failure::run(error.to_string()))?,
    });
    // Tried even if the other fails: a closed pipe loses no page.
    browser.zip(browser_page(&record)).map_or(Ok(()), |(file, page)| file.write(&page)).and(printed)?;
    Ok(ExitCode::SUCCESS)
}

/// Why the options are invalid for `record`; None if they are valid.
fn refuse(record: &Record, options: &ShowOptions) -> Option<String> {
    let has_more = record.study.is_some() || record.comparison.is_some() || record.first_screen.is_some();
    let wrong = match () {
        () if options.full && !has_more => "--full applies to checks, studies and comparisons",
        () if options.html.is_some() && browser_page(record).is_none() => "--html applies to studies and scaling",
        () if options.view.is_some() && record.plan.parts.is_empty() => "--view applies to checks",
        () => return None,
    };
    Some(format!("{wrong}; `{}` wrote this document", record.command))
}
