use std::path::PathBuf;
use std::process::ExitCode;

use chronoscope_bench::{Failure, OutputFile, print};
use chronoscope_harness::record::written;
use clap::{Args, ValueEnum};

use super::output::keep_apart;
use super::saved::saved;
use crate::document::Record;
use crate::screen::card::{Facts, card};

#[derive(Args, Clone, Debug)]
pub struct CardOptions {
    /// A document of a check that --output or --format json wrote
    pub file: PathBuf,

    /// Write the card to FILE [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// The picture, or its facts
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: CardFormat,
}

/// What a card is written as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum CardFormat {
    /// A picture of 1200 × 630
    #[default]
    Svg,
    /// The same facts as numbers
    Json,
}

/// Writes the card of a saved check.
pub fn run(options: &CardOptions) -> Result<ExitCode, Failure> {
    let file = options.file.display();
    let cannot = |why: String| Failure::usage(format!("no card can be made of {file}: {why}"));
    let record = saved(&options.file).map_err(cannot)?;
    let text = drawn(&record, options.format).map_err(cannot)?;
    let output = options.output.as_deref();
    keep_apart(&[("--output", output)], &[("the document", Some(&options.file))])?;
    match output.map(|path| OutputFile::prepare("the card", path)).transpose()? {
        Some(file) => file.write(&text)?,
        None => print(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn drawn(record: &Record, format: CardFormat) -> Result<String, String> {
    match format {
        CardFormat::Svg => Ok(card(record)?.finish()),
        CardFormat::Json => written(&Facts::of(record)?).map_err(|error| error.to_string()),
    }
}
