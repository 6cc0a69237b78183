//! Measures what is known, to see whether the harness says so; see README.md.

mod builds;
mod claim;
mod compile;
mod difference;
mod known;
mod odd;
mod operation;
mod product;
mod ruler;
mod shortest;
mod spin;
mod studies;

use std::process::ExitCode;

use bench_common::Bench;
use chronoscope_harness::Study;

fn main() -> ExitCode {
    // A study's worker processes begin as this program does, and end here.
    studies::all().iter().for_each(Study::serve_if_worker);
    Bench {
        name: "harness",
        about: "Measures what is known, to see whether the harness says so: operations of known time, differences of known size, \
                and nothing",
        peers: &[],
        sections: &[
            ("accuracy", known::accuracy),
            ("odd", odd::measure),
            ("difference", difference::measure),
            ("builds", builds::measure),
            ("duration", known::duration),
            ("empty", known::empty),
            ("one-clock", product::one_clock),
            ("shortest", shortest::measure),
            ("scaling", product::scaling),
            ("compile", compile::measure),
        ],
    }
    .main()
}
