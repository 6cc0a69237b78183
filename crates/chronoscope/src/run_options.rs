use std::path::PathBuf;
use std::time::Duration;

use chronoscope_bench::{CpuList, Format, time};
use clap::Args;

/// Options of everything that measures.
#[derive(Args, Clone, Debug, Default)]
pub struct RunOptions {
    /// What to print on standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,

    /// Save the record as JSON to FILE as well; it appears whole or not at all
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Take about this long, e.g. 8s or 1min; longer narrows the intervals
    #[arg(long, value_name = "TIME", value_parser = run_time, allow_hyphen_values = true)]
    pub duration: Option<Duration>,

    /// Use these CPUs only, e.g. 0-3,6; single-threaded measurements run on the last
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub cpus: Option<CpuList>,

    /// Take less time, with wider intervals: a few seconds for a check
    #[arg(long, conflicts_with_all = ["thorough", "duration"])]
    pub quick: bool,

    /// Take more time, with narrower intervals: about a minute for a check, with up to 4096 pairs of CPUs
    #[arg(long)]
    pub thorough: bool,

    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,

    /// Exit with 1 if a finding of severity warning or worse stands
    #[arg(long)]
    pub strict: bool,
}

fn run_time(text: &str) -> Result<Duration, String> {
    time(text, "a time such as 8s or 1min")
}
