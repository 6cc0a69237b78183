//! `chronoscope`: shows an engineer what a machine's clocks can measure.
#![forbid(unsafe_code)]
#![allow(unreachable_pub, reason = "rooms are private; what a room shows to others is `pub`")]

mod answers;
mod clock_id;
mod command;
mod document;
mod engine;
mod experiment;
mod figures;
mod gate_options;
mod history;
mod json;
mod judgement;
mod kinds;
mod machine;
mod part;
mod plan;
mod private_file;
mod probe;
mod program_path;
mod registry;
mod rules;
mod run_options;
mod runtime_study;
mod screen;
mod section;
mod sections;
mod shared_findings;
mod standalone;
pub mod untrusted;
mod watch;

#[cfg(test)]
mod tests;

use std::panic::resume_unwind;
use std::process::ExitCode;
use std::thread;

use chronoscope_bench::refuse;
use chronoscope_harness::Start;
use clap::Parser;

use command::arguments::Arguments;

/// Runs the program with its arguments.
pub fn main() -> ExitCode {
    if let Some(code) = engine::serve::serve_if_asked() {
        return code;
    }
    // Before anything that may read a clock: the process may have been started without the right to.
    let start = Start::of_this_process();
    on_a_large_stack(|| {
        const NAME: &str = "chronoscope";
        match Arguments::try_parse() {
            Ok(arguments) => command::run(arguments, &start).unwrap_or_else(|failure| failure.report(NAME)),
            Err(error) => ExitCode::from(refuse(NAME, &error)),
        }
    })
}

/// Runs `work` where `ulimit -s` does not matter: the description of all arguments takes some hundred kilobytes. Workers stay on the
/// stack that they were started with, whose position is part of what they measure.
fn on_a_large_stack(work: impl Fn() -> ExitCode + Sync) -> ExitCode {
    const STACK_BYTES: usize = 8 << 20;
    thread::scope(|scope| {
        match thread::Builder::new().name("main".to_owned()).stack_size(STACK_BYTES).spawn_scoped(scope, &work) {
            Ok(running) => running.join().unwrap_or_else(|panic| resume_unwind(panic)),
            // Where no thread can be started, what there is must do.
            Err(_) => work(),
        }
    })
}
