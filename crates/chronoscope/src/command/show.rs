use std::path::PathBuf;
use std::process::ExitCode;

use chronoscope_bench::{Failure, page_width};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::output::{Presenter, keep_apart};
use super::page::{Shown, browser_page, page, page_of_one};
use super::saved::saved;
use crate::document::Record;
use crate::json::json;
use crate::run_options::Presentation;
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

    #[command(flatten)]
    pub presented: Presentation,

    /// Only this figure on the page for browsers, by the name in its link
    #[arg(long, value_name = "CHART", requires = "html")]
    pub only: Option<String>,
}

/// Prints a saved document, as the run that saved it did.
pub fn run(options: &ShowOptions) -> Result<ExitCode, Failure> {
    let cannot = |why: String| Failure::usage(format!("{} cannot be shown: {why}", options.file.display()));
    let record = saved(&options.file).map_err(cannot)?;
    refuse(&record, options).map_or(Ok(()), |why| Err(cannot(why)))?;
    keep_apart(&[options.presented.page()], &[("the document", Some(&options.file))])?;
    let shown = Shown { view: options.view, full: options.full };
    let alone = options.only.as_deref().map(|id| page_of_one(&record, shown, id)).transpose().map_err(cannot)?;
    present(&options.presented, &record, shown, alone)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints a saved document and writes its page, or `alone` in place of the whole page.
pub fn present(to: &Presentation, record: &Record, shown: Shown, alone: Option<String>) -> Result<(), Failure> {
    Presenter::prepare(to)?.present(
        || page(record, shown, page_width()),
        || json(record).map_err(|error| Failure::run(error.to_string())),
        || alone.unwrap_or_else(|| browser_page(record, shown)),
    )
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
