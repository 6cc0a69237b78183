//! `chronoscope`: tells an engineer what the clocks of a machine can measure.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    chronoscope::main()
}
