use std::path::PathBuf;
use std::time::Duration;

use chronoscope_bench::{Format, time};
use clap::Args;

/// Options of a watch.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// How long to watch [default: until Ctrl-C]
    #[arg(long = "for", value_name = "TIME", value_parser = watch_time, allow_hyphen_values = true)]
    pub length: Option<Duration>,

    /// Time between looks; longer where looks would take more than a thousandth of a CPU. A step of the wall clock is seen
    /// at once, where the system tells of it
    #[arg(long, value_name = "TIME", value_parser = watch_every, allow_hyphen_values = true, default_value = "1s")]
    pub every: Duration,

    /// Append every event to FILE, a line of JSON each
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,

    /// What to print on standard output; json is a line per event
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
}

fn watch_time(text: &str) -> Result<Duration, String> {
    time(text, "100 ms to 365 days")
}

fn watch_every(text: &str) -> Result<Duration, String> {
    time(text, "10 ms to 1 h")
}
