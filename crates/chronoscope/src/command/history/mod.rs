//! The commands of the history, one file each.

mod compare;
mod export;
mod import;
mod list;
pub mod options;
mod prune;
mod show;
mod trend;

use std::process::ExitCode;

use chronoscope_bench::Failure;

use self::options::HistoryCommand;
use crate::history::{History, HistoryError, Run, Scope, file};

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

/// The user's history, for reading.
fn to_read() -> Result<History, Failure> {
    History::to_read(file().map_err(Failure::usage)?).map_err(refused)
}

fn refused(error: HistoryError) -> Failure {
    Failure::usage(error.to_string())
}

/// The latest run, of the machine if one is named.
///
/// # Errors
/// If there is none.
fn latest(history: &mut History, machine: Option<&str>) -> Result<Run, Failure> {
    let scope = Scope { machine: machine.map(str::to_owned), most: Some(1) };
    let run = history.runs(&scope).map_err(refused)?.pop();
    run.ok_or_else(|| Failure::usage(nothing(history, machine)))
}

/// That there is nothing, and what to do.
fn nothing(history: &History, machine: Option<&str>) -> String {
    let of = machine.map_or_else(|| "is empty".to_owned(), |name| format!("has no run of {name}"));
    format!("the history {} {of}: `chronoscope check` keeps its result there", history.file().display())
}
