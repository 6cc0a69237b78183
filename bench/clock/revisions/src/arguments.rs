//! What can be asked of the program.

use bench_common::report::{EXIT_CODES, Format};
use clap::Parser;

/// Measures the reads of this tree's clock library beside those of another revision, in one interleaved run.
#[derive(Debug, Parser)]
#[command(name = "bench-clock-against", bin_name = "bench/clock/against [REVISION]", max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    /// Smoke size: it shows that everything works, not what it costs
    #[arg(long)]
    pub(crate) quick: bool,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: Format,
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
