//! What can be asked of the program.

use std::path::PathBuf;

use bench_common::report::{EXIT_CODES, Format};
use clap::Parser;

use crate::language::Language;

/// Where the product's own workspace builds its binary.
const CHRONOSCOPE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/release/chronoscope");

/// Compares `chronoscope runtimes` with each language's own harness, in turns, and says whether they agree.
#[derive(Debug, Parser)]
#[command(name = "bench-runtimes", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    /// Three rounds, too few for the goals
    #[arg(long)]
    pub(crate) quick: bool,

    /// So many rounds, instead of nine
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rounds: Option<u32>,

    /// Measure this language only; may be given several times
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub(crate) only: Vec<Language>,

    /// The product's binary
    #[arg(long, value_name = "PATH", default_value = CHRONOSCOPE, hide_default_value = true, overrides_with = "chronoscope")]
    pub(crate) chronoscope: PathBuf,

    /// The Java that is measured
    #[arg(long, value_name = "PROGRAM", default_value = "java")]
    pub(crate) java: PathBuf,

    /// The Go that is measured
    #[arg(long, value_name = "PROGRAM", default_value = "go")]
    pub(crate) go: PathBuf,

    /// The Python that is measured
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    pub(crate) python: PathBuf,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: Format,
}

impl Arguments {
    /// The program that runs `language`.
    pub(crate) fn program(&self, language: Language) -> &PathBuf {
        match language {
            Language::Java => &self.java,
            Language::Go => &self.go,
            Language::Python => &self.python,
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

    #[test]
    fn the_last_binary_named_is_meant() {
        let given = ["bench-runtimes", "--chronoscope", "a", "--quick", "--chronoscope=b"];
        assert_eq!(Arguments::parse_from(given).chronoscope, PathBuf::from("b"));
    }
}
