//! The history as commands open it, and what they say where it holds nothing.

use chronoscope_bench::Failure;

use crate::history::{History, HistoryError, Run, Scope, file};

/// The user's history, for reading.
pub fn to_read() -> Result<History, Failure> {
    History::to_read(file().map_err(Failure::usage)?).map_err(refused)
}

/// Of an error of the history: wrong input, unless it may succeed later.
pub fn refused(error: HistoryError) -> Failure {
    if error.is_of_moment() { Failure::run(error.to_string()) } else { Failure::usage(error.to_string()) }
}

/// The latest run, of the machine if one is named.
///
/// # Errors
/// If there is none.
pub fn latest(history: &mut History, machine: Option<&str>) -> Result<Run, Failure> {
    let scope = Scope { machine: machine.map(str::to_owned), most: Some(1) };
    let run = history.runs(&scope).map_err(refused)?.pop();
    run.ok_or_else(|| Failure::usage(nothing(history, machine)))
}

/// That there is nothing, and what to do.
pub fn nothing(history: &History, machine: Option<&str>) -> String {
    let of = machine.map_or_else(|| "is empty".to_owned(), |name| format!("has no run of {name}"));
    format!("the history {} {of}: `chronoscope check` keeps its result there", history.file().display())
}
