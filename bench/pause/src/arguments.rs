//! What can be asked of the program.

use bench_common::report::{EXIT_CODES, Format};
use clap::{Parser, ValueEnum};

/// Measures pauses and pacing beside their peers, all in one interleaved run, and says which goals are met.
#[derive(Debug, Parser)]
#[command(name = "bench-pause", version, max_term_width = 100, after_help = EXIT_CODES)]
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
    /// Pauses of a microsecond to ten milliseconds
    Pauses,
    /// Pauses beside a thread that never sleeps on the same CPU
    Loaded,
    /// Events at a steady rate
    Pacing,
    /// The same beside a thread that never sleeps
    PacingLoaded,
    /// A stall, as the pacer reports it and as somebody outside sees it
    Honesty,
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
