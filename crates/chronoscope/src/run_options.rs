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

    /// Also save the document as JSON to FILE, whole or not at all
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Run for about this long, e.g. 8s or 1min; longer runs give narrower intervals
    #[arg(long, value_name = "TIME", value_parser = run_time, allow_hyphen_values = true)]
    pub duration: Option<Duration>,

    /// Use only these CPUs, e.g. 0-3,6; single-threaded measurements run on the last
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub cpus: Option<CpuList>,

    /// Shorter run, wider intervals: a few seconds for a check
    #[arg(long, conflicts_with_all = ["thorough", "duration"])]
    pub quick: bool,

    /// Longer run, narrower intervals: about a minute for a check, up to 4096 pairs of CPUs
    #[arg(long)]
    pub thorough: bool,

    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,

    /// Exit with 1 on any warning or error
    #[arg(long)]
    pub strict: bool,
}

fn run_time(text: &str) -> Result<Duration, String> {
    time(text, "a time such as 8s or 1min")
}
