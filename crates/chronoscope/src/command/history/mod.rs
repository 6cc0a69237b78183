//! The commands of the history, one file each.

mod compare;
mod export;
mod import;
mod list;
mod opened;
pub mod options;
mod prune;
mod show;
mod trend;
mod when;

use std::process::ExitCode;

use chronoscope_bench::Failure;

use self::options::HistoryCommand;

/// Carries out a command.
pub fn run(command: &HistoryCommand) -> Result<ExitCode, Failure> {
    match command {
        HistoryCommand::List(options) => list::run(options),
        HistoryCommand::Show(options) => show::run(options),
        HistoryCommand::Compare(options) => compare::run(options),
        HistoryCommand::Trend(options) => trend::run(options),
        HistoryCommand::Prune(options) => prune::run(options),
        HistoryCommand::Export(options) => export::run(options),
        HistoryCommand::Import(options) => import::run(options),
    }
}
