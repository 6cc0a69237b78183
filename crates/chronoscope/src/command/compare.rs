use std::path::{Path, PathBuf};
use std::process::ExitCode;

use chronoscope_bench::Failure;
use clap::Args;

use super::fail_on::FailOn;
use super::output::{Output, keep_apart};
use super::page::Shown;
use super::saved::saved;
use super::study_run;
use crate::answers::compare::{Source, compare};
use crate::document::Content;
use crate::figures::figure::Figure;
use crate::run_options::Destinations;
use chronoscope_harness::record::Document;

/// Options of a comparison of files.
#[derive(Args, Clone, Debug)]
pub struct CompareOptions {
    /// Two or more documents that --output or --format json wrote; the first is the base
    #[arg(required = true, num_args = 2.., value_name = "FILE")]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub compared: ComparedOptions,
}

/// Options of any comparison.
#[derive(Args, Clone, Debug, Default)]
pub struct ComparedOptions {
    /// Exit with 1 on a regression beyond the noise, on one of at least PERCENT, or if a figure is inconclusive; may be repeated
    #[arg(long, value_name = "regression[=PERCENT]|unresolved")]
    pub fail_on: Vec<FailOn>,

    /// Print every figure, also those within the noise
    #[arg(long)]
    pub full: bool,

    #[command(flatten)]
    pub to: Destinations,
}

/// Compares documents in files, prints and saves the comparison.
pub fn run(options: &CompareOptions) -> Result<ExitCode, Failure> {
    let read_from: Vec<(&str, Option<&Path>)> =
        options.files.iter().map(|file| ("a document that it compares", Some(file.as_path()))).collect();
    keep_apart(&options.compared.to.files(), &read_from)?;
    let mut sources = options.files.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>()?.into_iter();
    let Some(base) = sources.next() else { return Err(Failure::usage("name at least two documents")) };
    shown(&base, &sources.collect::<Vec<_>>(), &[], &options.compared)
}

fn read(file: &Path) -> Result<Source, Failure> {
    let cannot = |why: String| Failure::usage(format!("{} cannot be compared: {why}", file.display()));
    let record = saved(file).map_err(cannot)?;
    if record.content.comparison.is_some() {
        return Err(cannot("it is a comparison itself; name the documents that it compares".to_owned()));
    }
    Ok(Source { name: file.display().to_string(), record })
}

/// Compares, prints and saves; `earlier` are the figures of further runs of the base's machine under the same conditions.
pub fn shown(
    base: &Source,
    others: &[Source],
    earlier: &[Vec<Figure>],
    options: &ComparedOptions,
) -> Result<ExitCode, Failure> {
    let output = Output::prepare(&options.to)?;
    let comparison = compare(base, others, earlier);
    let nothing = comparison.runs.iter().find(|run| run.figures.is_empty()).map(|run| run.run.source.clone());
    let fails = options.fail_on.iter().any(|on: &FailOn| on.is_met(&comparison));
    // The machine is that of the latest document.
    let machine = others.last().unwrap_or(base).record.machine.clone();
    let content = Content { comparison: Some(comparison), ..Content::default() };
    let record = Document::new("compare", study_run::tool(), machine, content);
    output.write(&record, Shown { view: None, full: options.full })?;
    match nothing {
        // A gate that has compared nothing must not let pass.
        Some(source) if !options.fail_on.is_empty() => {
            Err(Failure::run(format!("{} and {source} have no figure in common", base.name)))
        }
        _ => Ok(ExitCode::from(u8::from(fails))),
    }
}
