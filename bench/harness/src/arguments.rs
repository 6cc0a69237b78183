//! What can be asked of the program.

use std::path::PathBuf;

use bench_common::report::{EXIT_CODES, Format};
use clap::{Parser, ValueEnum};

/// Where the product's own workspace builds its binary.
const CHRONOSCOPE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/release/chronoscope");

/// Measures what is known, to see whether the harness says so: operations of known time, differences of known size, and
/// nothing; beside criterion, divan and zenbench.
#[derive(Debug, Parser)]
#[command(name = "bench-harness", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    /// Smoke size: every section in half a minute together, too short for the goals
    #[arg(long)]
    pub(crate) quick: bool,

    /// Measure this section only; may be given several times
    #[arg(long, value_enum, value_name = "SECTION")]
    pub(crate) only: Vec<SectionName>,

    /// Repeat each section so often, instead of as often as its goals ask for
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) runs: Option<u32>,

    /// The product's binary
    #[arg(long, value_name = "PATH", default_value = CHRONOSCOPE, hide_default_value = true, overrides_with = "chronoscope")]
    pub(crate) chronoscope: PathBuf,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: Format,
}

/// The parts of a run, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SectionName {
    /// Chains and spins of known time: whether intervals hold it
    Accuracy,
    /// criterion, divan and zenbench on the same operations
    Peers,
    /// Two percent, and no difference at all
    Difference,
    /// Two builds that take turns: the same, and two percent apart
    Builds,
    /// Studies that are given a time: whether they keep it
    Duration,
    /// A benchmark with nothing in it
    Empty,
    /// One clock by check, by scaling and by the C probe
    OneClock,
    /// Every clock over threads and work: for how many a run reports from how much work on they scale
    Scaling,
    /// What the author of a benchmark compiles
    Compile,
}

impl SectionName {
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Accuracy => "accuracy",
            Self::Peers => "peers",
            Self::Difference => "difference",
            Self::Builds => "builds",
            Self::Duration => "duration",
            Self::Empty => "empty",
            Self::OneClock => "one-clock",
            Self::Scaling => "scaling",
            Self::Compile => "compile",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_holds_together() {
        Arguments::command().debug_assert();
    }
}
