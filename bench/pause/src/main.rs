//! Measures the pauses and the pacer of `chronoscope-clock` against their peers: how late, at what price. Everything is
//! compared within one interleaved run; see README.md.

mod crew;
mod honesty;
mod pacing;
mod pauses;
mod turns;
mod ways;

use std::process::ExitCode;

use bench_common::Bench;

fn main() -> ExitCode {
    Bench {
        name: "pause",
        about: "Measures pauses and pacing against their peers, all in one interleaved run, and says which goals are met",
        peers: &["governor", "spin_sleep", "spin_sleep_util", "tokio"],
        sections: &[
            ("pauses", |run, section| pauses::measure(run, section, false)),
            ("loaded", |run, section| pauses::measure(run, section, true)),
            ("pacing", |run, section| pacing::measure(run, section, false)),
            ("pacing-loaded", |run, section| pacing::measure(run, section, true)),
            ("honesty", honesty::measure),
        ],
    }
    .main()
}
