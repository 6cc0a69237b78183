use std::path::PathBuf;
use std::time::Duration;

use chronoscope_bench::{Format, time, whole_number};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};

use crate::command::compare::ComparedOptions;
use crate::run_options::Presentation;
use crate::screen::View;

/// What to do with the history.
#[derive(Clone, Debug, Subcommand)]
pub enum HistoryCommand {
    /// List kept runs, the latest first
    List(ListOptions),
    /// Show a kept run as it was printed
    Show(ShowRunOptions),
    /// Compare two kept runs: by default the last two checks of this history's latest machine
    Compare(CompareRunsOptions),
    /// Plot the latency of a clock over time; mark changes of clocksource, kernel, CPU and version
    Trend(TrendOptions),
    /// Remove old runs
    Prune(PruneOptions),
    /// Print the figures of all kept runs
    Export(ExportOptions),
    /// Keep saved documents too
    Import(ImportOptions),
}

/// Options of the list.
#[derive(Args, Clone, Debug)]
pub struct ListOptions {
    /// Only runs of the machine with this hostname
    #[arg(long, value_name = "HOSTNAME")]
    pub machine: Option<String>,

    /// Show so many runs
    #[arg(long, value_name = "N", default_value = "20", value_parser = runs, allow_hyphen_values = true)]
    pub last: u32,

    /// Show all runs
    #[arg(long, conflicts_with = "last")]
    pub all: bool,

    #[command(flatten)]
    pub presented: Presentation,
}

/// Options to show a run.
#[derive(Args, Clone, Debug)]
pub struct ShowRunOptions {
    /// The number of the run, as listed
    #[arg(value_parser = id, allow_negative_numbers = true)]
    pub id: i64,

    /// What to show of a check [default: what the run printed]
    #[arg(long, value_name = "VIEW", value_parser = PossibleValuesParser::new(View::names()).map(|name| View::named(&name)))]
    pub view: Option<View>,

    #[command(flatten)]
    pub presented: Presentation,
}

/// Options to compare runs.
#[derive(Args, Clone, Debug)]
pub struct CompareRunsOptions {
    /// The numbers of two runs, as listed; the first is the base
    #[arg(value_name = "ID", num_args = 2, value_parser = id, allow_negative_numbers = true)]
    pub ids: Vec<i64>,

    #[command(flatten)]
    pub compared: ComparedOptions,
}

/// Options of a trend.
#[derive(Args, Clone, Debug)]
pub struct TrendOptions {
    /// A clock as named by `chronoscope clocks`, or one of a runtime as `history export` names it
    #[arg(value_name = "CLOCK")]
    pub clock: String,

    /// Of the machine with this hostname [default: that of the latest run]
    #[arg(long, value_name = "HOSTNAME")]
    pub machine: Option<String>,

    /// Only the last so many runs
    #[arg(long, value_name = "N", value_parser = runs, allow_hyphen_values = true)]
    pub last: Option<u32>,

    #[command(flatten)]
    pub presented: Presentation,
}

/// Options to remove runs.
#[derive(Args, Clone, Debug)]
pub struct PruneOptions {
    /// Keep only the latest so many runs
    #[arg(long, value_name = "N", value_parser = runs, allow_hyphen_values = true, required_unless_present = "older_than")]
    pub keep: Option<u32>,

    /// Remove runs older than this, e.g. 90days
    #[arg(long, value_name = "TIME", value_parser = age, allow_hyphen_values = true)]
    pub older_than: Option<Duration>,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
}

/// Options of an export.
#[derive(Args, Clone, Debug)]
pub struct ExportOptions {
    /// The format: a table, or metrics with their times, to fill a Prometheus
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: ExportFormat,

    /// Only runs of the machine with this hostname
    #[arg(long, value_name = "HOSTNAME")]
    pub machine: Option<String>,
}

/// The format of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// A line per run and figure
    Csv,
    /// OpenMetrics 1.0
    Openmetrics,
}

/// Options of an import.
#[derive(Args, Clone, Debug)]
pub struct ImportOptions {
    /// Documents that --output or --format json wrote
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
}

fn runs(text: &str) -> Result<u32, String> {
    match whole_number(text, "1 to 4294967295")? {
        0 => Err("0 is out of range (1–4294967295)".to_owned()),
        runs => Ok(runs),
    }
}

fn id(text: &str) -> Result<i64, String> {
    whole_number::<u32>(text, "a number that `chronoscope history list` shows").map(i64::from)
}

fn age(text: &str) -> Result<Duration, String> {
    time(text, "a time such as 90days or 1year")
}
