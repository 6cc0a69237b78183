use chronoscope_bench::ThreadList;
use clap::Args;

use crate::run_options::RunOptions;

/// Options of the scalability surface.
#[derive(Args, Clone, Debug, Default)]
pub struct Options {
    #[command(flatten)]
    pub run: RunOptions,

    /// Only these clocks: native ones as named by `chronoscope clocks`, those of runtimes as java:System.nanoTime, or java for
    /// the one its users reach for first [default: all native ones, and one of each runtime]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub clock: Vec<String>,

    /// Leave out the clocks of language runtimes
    #[arg(long)]
    pub no_runtimes: bool,

    /// Thread counts; 1 is always included [default: powers of two up to the number of CPUs, then twice and four times that]
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub threads: Option<ThreadList>,

    /// Print every result of every combination
    #[arg(long, short)]
    pub verbose: bool,
}
