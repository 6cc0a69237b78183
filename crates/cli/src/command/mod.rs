//! What the program can be told to do, one file each.

mod completions;
mod man;
mod measure;
mod schema;
mod show;

use std::process::ExitCode;

use chronoscope_measure::engine::Start;
use chronoscope_measure::record::Part;
use chronoscope_report::View;

use crate::arguments::{Arguments, CheckOptions, Command, RunOptions};
use crate::failure::Failure;

const CLOCKS: &[Part] = &[Part::Paths, Part::Latency, Part::Granularity, Part::Intervals];
const READS: &[Part] = &[Part::Reads];
const CAUSALITY: &[Part] = &[Part::Offsets, Part::Litmus];

/// Does what the arguments say.
pub(crate) fn run(arguments: Arguments, start: &Start) -> Result<ExitCode, Failure> {
    let alone = |run: RunOptions| CheckOptions { run, interval: Vec::new() };
    match arguments.command {
        None => measure::run(start, &arguments.check, &[], View::Check),
        Some(Command::Check(options)) => measure::run(start, &options, &[], View::Check),
        Some(Command::Clocks(options)) => measure::run(start, &options, CLOCKS, View::Clocks),
        Some(Command::Reads(options)) => measure::run(start, &alone(options), READS, View::Reads),
        Some(Command::Causality(options)) => measure::run(start, &alone(options), CAUSALITY, View::Causality),
        Some(Command::Show(options)) => show::run(&options),
        Some(Command::Schema) => schema::run(),
        Some(Command::Completions { shell }) => completions::run(shell),
        Some(Command::Man) => man::run(),
    }
}
