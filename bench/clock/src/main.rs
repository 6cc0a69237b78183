//! Measures `chronoscope-clock` against its peers: what reads cost, what they add, whether times go back, whether they are
//! those of the system's clock. Everything is compared within one interleaved run; see README.md.

mod accuracy;
mod bounds;
mod first_use;
mod litmus;
mod oracles;
mod prices;
mod reads;
mod tails;

use std::process::ExitCode;

use bench_clock::studies;
use bench_common::Bench;
use chronoscope_harness::Study;
use chronoscope_lab::check::Check;

fn main() -> ExitCode {
    // A study's worker processes begin as this program does, and end here.
    studies::all().iter().for_each(Study::serve_if_worker);
    Bench {
        name: "clock",
        about: "Measures the clock library against its peers, all in one interleaved run, and says which goals are met",
        peers: &["quanta", "minstant", "fastant", "coarsetime", "clocksource", "clock-bound-client"],
        sections: &[
            ("latency", reads::latency),
            ("prices", prices::measure),
            ("work", reads::work),
            ("threads", reads::threads),
            ("first-use", first_use::measure),
            ("litmus", litmus::measure),
            ("accuracy", accuracy::measure),
            ("bounds", bounds::measure),
            ("tails", |run, section| tails::measure(false, run, section)),
            ("tails-loaded", |run, section| tails::measure(true, run, section)),
            ("intervals", |run, section| oracles::measure(Check::Hogs, run, section)),
            ("forks", |run, section| oracles::measure(Check::Forks, run, section)),
        ],
    }
    .main()
}
