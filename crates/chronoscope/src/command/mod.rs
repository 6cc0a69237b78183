//! The program's commands, one file each.

pub mod advise;
pub mod arguments;
pub mod card;
pub mod compare;
mod definition;
mod fail_on;
pub mod findings;
pub mod gallery;
mod gate;
pub mod history;
mod identical_operations;
mod keeper;
pub mod literature;
pub mod measure;
pub mod output;
pub mod page;
mod saved;
pub mod show;
pub mod study_run;

use std::process::ExitCode;

use chronoscope_bench::Failure;
use chronoscope_harness::Start;

use arguments::{Arguments, Command};

/// Carries out the arguments.
pub fn run(arguments: Arguments, start: &Start) -> Result<ExitCode, Failure> {
    match arguments.command {
        None => measure::check(start, &arguments.check),
        Some(Command::Check(options)) => measure::check(start, &options),
        Some(Command::Section(command)) => command.run(start),
        Some(Command::Standalone(command)) => command.run(start),
        Some(Command::Advise(options)) => advise::run(start, &options),
        Some(Command::Gate(options)) => gate::run(start, &options),
        Some(Command::Findings(options)) => findings::run(&options),
        Some(Command::Show(options)) => show::run(&options),
        Some(Command::Card(options)) => card::run(&options),
        Some(Command::Gallery(options)) => gallery::run(&options),
        Some(Command::Compare(options)) => compare::run(&options),
        Some(Command::Literature(options)) => literature::run(&options),
        Some(Command::History(command)) => history::run(&command),
        Some(Command::Schema) => definition::schema(),
        Some(Command::Completions { shell }) => definition::completions(shell),
        Some(Command::Man) => definition::man(),
    }
}
