//! Compares the reads of two revisions of the clock library in one study, whose processes have both.
//!
//! The two cannot both be dependencies of a package in this workspace, so the program itself (`program.rs`) is built by
//! `bench/clock/against` in a package of its own; everything but the reads is here.

mod arguments;
mod compared;
mod goal;
#[path = "../../src/child/monotonic.rs"]
mod monotonic;
mod read;
mod reads;
mod size;

use std::process::ExitCode;

use bench_common::failure::Failure;
use bench_common::machine::Machine;
use bench_common::report::{Report, exit};
use clap::Parser;

use arguments::Arguments;
use compared::{Compared, Comparison};

pub use read::Read;

/// Measures what the arguments of the process ask for: the reads of this tree beside those of `revision`, both from
/// [`reads!`], in the same order.
pub fn run(revision: &'static str, here: Vec<Read>, there: Vec<Read>) -> ExitCode {
    exit("bench-clock", reported(&Arguments::parse(), revision, here, there))
}

/// Says whether everything could be measured.
fn reported(arguments: &Arguments, revision: &'static str, here: Vec<Read>, there: Vec<Read>) -> Result<bool, Failure> {
    let effort = if arguments.quick { size::QUICK } else { size::FULL };
    let compared = Compared::measure(revision, &Comparison::new(here, there)?, effort, arguments.quick)?;
    let goals = goal::all(&compared);
    let machine = Machine::look(&[]);
    Report { machine, sections: compared, goals, failures: Vec::new() }.print(arguments.format)
}
