//! What can be asked of the program.

use bench_common::report::{EXIT_CODES, Format};
use clap::{Parser, ValueEnum};

/// Measures the clock library beside its peers, all in one interleaved run, and says which goals are met.
#[derive(Debug, Parser)]
#[command(name = "bench-clock", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    /// Smoke size: every section in half a minute together, too short for the goals
    #[arg(long)]
    pub(crate) quick: bool,

    /// Measure this section only; may be given several times
    #[arg(long, value_enum, value_name = "SECTION")]
    pub(crate) only: Vec<SectionName>,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: Format,
}

/// The parts of a run, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SectionName {
    /// Nanoseconds per read, back to back
    Latency,
    /// What a read adds inside real work
    Work,
    /// Reads per second on one CPU and on several
    Threads,
    /// The first call in a fresh process, and what happens before `main`
    FirstUse,
    /// Times that go back between threads
    Litmus,
    /// Readings and rate against `CLOCK_MONOTONIC`
    Accuracy,
    /// Intervals while a hog shares every CPU
    Intervals,
    /// The first read of forked children
    Forks,
}

impl SectionName {
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Latency => "latency",
            Self::Work => "work",
            Self::Threads => "threads",
            Self::FirstUse => "first use",
            Self::Litmus => "litmus",
            Self::Accuracy => "accuracy",
            Self::Intervals => "intervals",
            Self::Forks => "forks",
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
