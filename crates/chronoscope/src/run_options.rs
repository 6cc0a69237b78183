use std::path::{Path, PathBuf};
use std::time::Duration;

use chronoscope_bench::{CpuList, Format, time};
use clap::Args;

/// How something is presented: of every command that prints what can also be a page.
#[derive(Args, Clone, Debug, Default)]
pub struct Presentation {
    /// What to print on standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,

    /// Also write a page for browsers to FILE, whole or not at all
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// Where a document goes: of every command that writes one.
#[derive(Args, Clone, Debug, Default)]
pub struct Destinations {
    #[command(flatten)]
    pub presented: Presentation,

    /// Also save the document as JSON to FILE, whole or not at all
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

impl Presentation {
    /// The page's file, after the name of its option.
    pub fn page(&self) -> (&'static str, Option<&Path>) {
        ("--html", self.html.as_deref())
    }
}

impl Destinations {
    /// The document's file, after the name of its option.
    pub fn document(&self) -> (&'static str, Option<&Path>) {
        ("--output", self.output.as_deref())
    }

    /// Every file to be written, after the name of its option.
    pub fn files(&self) -> [(&'static str, Option<&Path>); 2] {
        [self.document(), self.presented.page()]
    }
}

/// Options of everything that measures.
#[derive(Args, Clone, Debug, Default)]
pub struct RunOptions {
    #[command(flatten)]
    pub to: Destinations,

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
