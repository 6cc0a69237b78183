use std::process::ExitCode;

use chronoscope_bench::Failure;
use chronoscope_harness::Start;
use clap::{Parser, Subcommand};

use crate::command::advise::AdviseOptions;
use crate::command::card::CardOptions;
use crate::command::compare::CompareOptions;
use crate::command::findings::FindingsOptions;
use crate::command::gallery::GalleryOptions;
use crate::command::history::options::HistoryCommand;
use crate::command::literature::LiteratureOptions;
use crate::command::measure::{self, CheckOptions, Of};
use crate::command::show::ShowOptions;
use crate::gate_options::GateOptions;
use crate::registry::each_section;
use crate::section::Section;
use crate::sections;
use crate::standalone::StandaloneCommand;

/// Shows which clock this machine uses, its read latency, its granularity, whether it is causal across cores, and which
/// intervals it can time.
///
/// Without a command, checks the machine. Needs no privileges and changes nothing.
#[derive(Debug, Parser)]
#[command(
    name = "chronoscope",
    version,
    max_term_width = 100,
    after_long_help = EXIT_CODES,
    args_conflicts_with_subcommands = true
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,

    #[command(flatten)]
    pub check: CheckOptions,
}

const EXIT_CODES: &str = "Exit codes: 0 done; 1 the run was interrupted, measured nothing or could not be saved, or \
    --strict and there is a warning or error; 2 wrong arguments.\n\n\
    Environment: COLUMNS sets the page width; the default is that of the terminal, or 118 columns where the output is \
    not a terminal. NO_COLOR turns colour off. CHRONOSCOPE_HISTORY names the file of the history; \
    CHRONOSCOPE_NO_HISTORY=1 keeps no checks.";

const GATE_RULES: &str = "Exit codes: 0 every rule passed; 1 a rule failed, is unresolved or was not measured, or the \
    run was interrupted; 2 wrong arguments or rules.\n\n\
    A limit passes only if the whole interval is within it, and fails only if the whole interval is beyond it. \
    What was not measured never passes.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check this machine: which clock to use, what it can time, whether to trust it (the default)
    Check(CheckOptions),
    #[command(flatten)]
    Section(SectionCommand),
    #[command(flatten)]
    Standalone(StandaloneCommand),
    /// How to measure an interval here, or which findings answer a symptom; answers from a document, or measures
    #[command(mut_arg("strict", |arg| arg.help("Exit with 1 on any warning or error of the run")))]
    Advise(AdviseOptions),
    /// Judge a check, or a saved document, by rules: exit code 1 unless all pass
    #[command(after_long_help = GATE_RULES)]
    #[command(mut_arg("strict", |arg| arg.help("Also a rule: no warning or error")))]
    Gate(GateOptions),
    /// List the kinds of findings, or explain some: meaning, evidence, mend
    Findings(FindingsOptions),
    /// Show a saved document as the run printed it
    Show(ShowOptions),
    /// Draw a saved check as one picture to publish: the machine and its main figures
    Card(CardOptions),
    /// Lay out all checks of a folder on one page for browsers, a row each, to sort and filter
    Gallery(GalleryOptions),
    /// Compare documents with the first: what changed, by how much, and by more than the noise between runs or not
    Compare(CompareOptions),
    /// What was published about clocks, claim by claim, next to this machine's answer; about seven minutes, or from documents
    Literature(LiteratureOptions),
    /// Earlier checks: list, show, compare, plot, prune, export
    #[command(subcommand)]
    History(HistoryCommand),
    /// Print the JSON schema of the documents that --output and --format json write
    Schema,
    /// Print shell completions
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

macro_rules! commands {
    ($($(#[$meta:meta])* $field:ident: sections::$folder:ident::$Section:ident;)*) => {
        /// The sections as subcommands.
        #[derive(Debug, Subcommand)]
        pub enum SectionCommand {
            $($(#[$meta])* $Section(Of<<sections::$field::$Section as Section>::Options>),)*
        }

        impl SectionCommand {
            /// Measures the section, then prints and saves the results.
            pub fn run(&self, start: &Start) -> Result<ExitCode, Failure> {
                match self {
                    $(Self::$Section(options) => {
                        measure::section::<sections::$field::$Section>(start, options, stringify!($field), |all| &mut all.$field)
                    })*
                }
            }
        }
    };
}
each_section!(commands);

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Arguments::command().debug_assert();
    }

    /// Calls `each` with every command, down to the last.
    fn every_command(of: &clap::Command, each: &mut impl FnMut(&clap::Command)) {
        each(of);
        of.get_subcommands().for_each(|inner| every_command(inner, each));
    }

    /// What these write is no document: a picture of one, and a page of many.
    const OF_DOCUMENTS: [&str; 2] = ["card", "gallery"];

    #[test]
    fn every_command_that_writes_a_document_writes_its_page() {
        let mut writers = Vec::new();
        every_command(&Arguments::command(), &mut |command| {
            let has = |option: &str| command.get_arguments().any(|argument| argument.get_long() == Some(option));
            let name = command.get_name().to_owned();
            if OF_DOCUMENTS.contains(&&name[..]) {
                return;
            }
            assert!(!has("output") || has("html"), "{name} has --output and no --html");
            assert!(!has("html") || has("format"), "{name} has --html and no --format");
            writers.extend(has("html").then_some(name));
        });
        for name in
            ["check", "reads", "pace", "selftest", "scaling", "gate", "advise", "show", "compare", "list", "trend"]
        {
            assert!(writers.iter().any(|writer| writer == name), "{name} is not among {writers:?}");
        }
    }

    #[test]
    fn no_command_takes_the_options_of_check() {
        let arguments = Arguments::try_parse_from(["chronoscope", "--quick", "--interval", "1us"]).unwrap();
        assert!(arguments.command.is_none() && arguments.check.measured.run.quick);
        assert_eq!(arguments.check.measured.of.interval, [Duration::from_micros(1)]);
    }

    #[test]
    fn contradictions_are_refused() {
        for wrong in [["--quick", "--thorough"], ["--cpus", "x"], ["--duration", "soon"], ["--format", "xml"]] {
            assert!(Arguments::try_parse_from(["chronoscope"].into_iter().chain(wrong)).is_err(), "{wrong:?}");
        }
    }
}
