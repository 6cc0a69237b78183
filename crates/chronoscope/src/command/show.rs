use std::path::PathBuf;
use std::process::ExitCode;

use chronoscope_bench::{Failure, Format, OutputFile, page_width, print};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::page::{Shown, browser_page, page};
use super::saved::saved;
use crate::document::Record;
use crate::json::json;
use crate::screen::View;

#[derive(Args, Clone, Debug)]
pub struct ShowOptions {
    /// A document that --output or --format json wrote
    pub file: PathBuf,

    /// What to show of a check [default: what the run printed]
    #[arg(long, value_name = "VIEW", value_parser = PossibleValuesParser::new(View::names()).map(|name| View::named(&name)))]
    pub view: Option<View>,

    /// For a check: all of it. For a study, scaling or an experiment: every backoff and every chart. For a comparison: every
    /// figure
    #[arg(long)]
    pub full: bool,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,

    /// Also write a page for browsers to FILE: one file that asks for nothing
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// Prints a saved document, as the run that saved it did.
pub fn run(options: &ShowOptions) -> Result<ExitCode, Failure> {
    let cannot = |why: String| Failure::usage(format!("{} cannot be shown: {why}", options.file.display()));
    let record = saved(&options.file).map_err(cannot)?;
    refuse(&record, options).map_or(Ok(()), |why| Err(cannot(why)))?;
    let browser = options.html.as_deref().map(|path| OutputFile::prepare("the page", path)).transpose()?;
    let shown = Shown { view: options.view, full: options.full };
    let printed = print_as(options.format, &record, shown);
    // Tried even if the other fails: a closed pipe loses no page.
    browser.map_or(Ok(()), |file| file.write(&browser_page(&record, shown))).and(printed)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints a document in this format.
pub fn print_as(format: Format, record: &Record, shown: Shown) -> Result<(), Failure> {
    print(&match format {
        Format::Human => page(record, shown, page_width()),
        Format::Json => json(record).map_err(|error| Failure::run(error.to_string()))?,
    })
}

/// Why the options are invalid for `record`; None if they are valid.
fn refuse(record: &Record, options: &ShowOptions) -> Option<String> {
    let has_more =
        record.content.study.is_some() || record.content.comparison.is_some() || record.content.has_first_screen();
    let wrong = match () {
        () if options.full && !has_more => "--full applies to checks, studies and comparisons",
        () if options.view.is_some() && record.content.plan.parts.is_empty() => "--view applies to checks",
        () => return None,
    };
    Some(format!("{wrong}; `{}` wrote this document", record.command))
}
