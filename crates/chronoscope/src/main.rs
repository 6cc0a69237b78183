//! `chronoscope`: shows an engineer what a machine's clocks can measure.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    chronoscope::main()
}
