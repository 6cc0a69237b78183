use std::path::PathBuf;

use chronoscope_bench::Format;
use clap::Args;

use super::fail_on::FailOn;

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

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,

    /// Also save the comparison as JSON to FILE, whole or not at all
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}
