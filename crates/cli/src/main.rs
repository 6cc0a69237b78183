//! `chronoscope`: tells an engineer what the clocks of a machine can measure.
#![forbid(unsafe_code)]

mod arguments;
mod command;
mod experiment;
mod granularity_list;
mod progress;
mod rate;
mod runtime_place;
mod scaling;
mod selftest;

use std::process::ExitCode;

use chronoscope_measure::engine::Start;
use chronoscope_measure::worker;

fn main() -> ExitCode {
    if let Some(code) = worker::serve_if_asked() {
        return code;
    }
    // Before anything that may read a clock: the process may have been started without the right to.
    let start = Start::of_this_process();
    match command::run(arguments::parse(), &start) {
        Ok(code) => code,
        Err(failure) => failure.report("chronoscope"),
    }
}
