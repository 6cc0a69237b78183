//! Commands that measure outside a check, behind one trait.

use std::process::ExitCode;

use chronoscope_bench::Failure;
use chronoscope_harness::Start;
use chronoscope_harness::finding::Kind;
use chronoscope_render::Width;
use chronoscope_render::browser::Sheet;
use chronoscope_render::page::Page;
use clap::Subcommand;

use crate::document::Record;
use crate::registry::each_standalone;

/// The options of a command that measures outside a check: registered by one line in `registry.rs`, from which its
/// subcommand, its rows in the list of findings and the pages of its documents are derived.
pub trait Standalone {
    /// Measures, then prints and saves the results.
    fn run(&self, start: &Start) -> Result<ExitCode, Failure>;

    /// Its kinds of finding, besides those of any study.
    fn kinds() -> Vec<&'static Kind> {
        Vec::new()
    }

    /// Whether those kinds were looked for in a document.
    fn is_in(_record: &Record) -> bool {
        false
    }

    /// What its run printed, from its document; None for a document of another command.
    fn page(_record: &Record, _width: Width) -> Option<Page> {
        None
    }

    /// As [`page`](Self::page), for browsers.
    fn browser_page(_record: &Record) -> Option<Sheet> {
        None
    }
}

macro_rules! derived {
    ($($(#[$meta:meta])* $Command:ident: $Options:ty;)*) => {
        /// The commands that measure outside a check, as subcommands.
        #[derive(Debug, Subcommand)]
        pub enum StandaloneCommand {
            $($(#[$meta])* $Command($Options),)*
        }

        impl StandaloneCommand {
            /// Measures, then prints and saves the results.
            pub fn run(&self, start: &Start) -> Result<ExitCode, Failure> {
                match self {
                    $(Self::$Command(options) => options.run(start),)*
                }
            }
        }

        /// The kinds of finding of each command, with whether they were looked for in a document.
        pub fn kinds() -> impl Iterator<Item = (fn(&Record) -> bool, Vec<&'static Kind>)> {
            [$((<$Options>::is_in as fn(&Record) -> bool, <$Options>::kinds())),*].into_iter()
        }

        /// The page of a document that one of them wrote; None for any other.
        pub fn page(record: &Record, width: Width) -> Option<Page> {
            None$(.or_else(|| <$Options>::page(record, width)))*
        }

        pub fn browser_page(record: &Record) -> Option<Sheet> {
            None$(.or_else(|| <$Options>::browser_page(record)))*
        }
    };
}
each_standalone!(derived);
