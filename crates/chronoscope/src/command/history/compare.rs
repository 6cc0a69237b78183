use std::process::ExitCode;

use chronoscope_bench::Failure;

use super::opened::{latest, refused, to_read};
use super::options::CompareRunsOptions;
use super::show::document;
use crate::answers::compare::Source;
use crate::command::compare::shown;
use crate::history::History;

/// Compares two kept runs.
pub fn run(options: &CompareRunsOptions) -> Result<ExitCode, Failure> {
    let mut history = to_read()?;
    let [base, this] = match options.ids[..] {
        [base, this] => [base, this],
        _ => last_two(&mut history)?,
    };
    let of_run = |history: &mut History, id: i64| {
        Ok::<Source, Failure>(Source { name: format!("run {id}"), record: document(history, id)? })
    };
    let (of_base, of_this) = (of_run(&mut history, base)?, of_run(&mut history, this)?);
    let run = history.run(base).map_err(refused)?;
    let earlier = match &run {
        Some(run) => history.earlier(run, &[this]).map_err(refused)?,
        None => Vec::new(),
    };
    shown(&of_base, &[of_this], &earlier, &options.compared)
}

/// The last two checks of the machine with the latest run.
fn last_two(history: &mut History) -> Result<[i64; 2], Failure> {
    let machine = latest(history, None)?.machine;
    let checks = history.checks(&machine, 2).map_err(refused)?;
    let [this, base] = checks[..] else {
        let file = history.file().display();
        let why = format!("the history {file} has fewer than two complete checks of {machine}: nothing to compare");
        return Err(Failure::usage(why));
    };
    Ok([base, this])
}
