use std::process::ExitCode;

use chronoscope_bench::Failure;

use super::opened::{refused, to_read};
use super::options::ShowRunOptions;
use crate::command::page::Shown;
use crate::command::show::present;
use crate::document::Record;
use crate::history::History;

/// Prints a kept run.
pub fn run(options: &ShowRunOptions) -> Result<ExitCode, Failure> {
    let record = document(&mut to_read()?, options.id)?;
    if options.view.is_some() && record.content.plan.parts.is_empty() {
        return Err(Failure::usage(format!("--view applies to checks; `{}` wrote run {}", record.command, options.id)));
    }
    present(&options.presented, &record, Shown { view: options.view, full: false }, None)?;
    Ok(ExitCode::SUCCESS)
}

/// The document of a run.
///
/// # Errors
/// If there is no such run.
pub fn document(history: &mut History, id: i64) -> Result<Record, Failure> {
    let found = history.document(id).map_err(refused)?;
    let file = || history.file().display();
    found.ok_or_else(|| {
        Failure::usage(format!("the history {} has no run {id}; `chronoscope history list` shows all", file()))
    })
}
