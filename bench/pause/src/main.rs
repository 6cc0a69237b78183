//! Measures the pauses and the pacer of `chronoscope-clock` beside their peers: how late, at what price. Everything is
//! compared within one interleaved run; see README.md.

mod arguments;
mod crew;
mod goal;
mod honesty;
mod pacing;
mod pauses;
mod sections;
mod size;
mod unavoidable;
mod ways;

use std::process::ExitCode;
use std::time::Duration;

use bench_common::failure::Failure;
use bench_common::machine::Machine;
use bench_common::report::{Report, exit};
use clap::{Parser, ValueEnum};

use arguments::{Arguments, SectionName};
use sections::Sections;
use size::Size;

/// The crates that are compared.
const PEERS: [&str; 3] = ["spin_sleep", "spin_sleep_util", "tokio"];
const LENGTHS: [Duration; 6] = [
    Duration::from_micros(1),
    Duration::from_micros(10),
    Duration::from_micros(50),
    Duration::from_micros(100),
    Duration::from_millis(1),
    Duration::from_millis(10),
];
const LOADED_LENGTHS: [Duration; 2] = [Duration::from_micros(100), Duration::from_millis(1)];

fn main() -> ExitCode {
    exit("bench-pause", run(&Arguments::parse()))
}

/// Says whether everything that was asked for could be measured.
fn run(arguments: &Arguments) -> Result<bool, Failure> {
    let size = if arguments.quick { Size::QUICK } else { Size::FULL };
    let report = measure(&arguments.only, &size)?;
    report.print(arguments.format)
}

fn measure(only: &[SectionName], size: &Size) -> Result<Report<Sections>, Failure> {
    let machine = Machine::look(&PEERS);
    let (_, other_cpu) = crew::bind_to_one()?;
    let mut sections = Sections { is_quick: size.is_quick, ..Sections::default() };
    let mut failures = Vec::new();
    for section in SectionName::value_variants() {
        if !only.is_empty() && !only.contains(section) {
            continue;
        }
        let (title, done) = match section {
            SectionName::Pauses => {
                ("pauses", pauses::measure(size, &LENGTHS, false).map(|seen| sections.pauses = Some(seen)))
            }
            SectionName::Loaded => (
                "pauses on a busy CPU",
                pauses::measure(size, &LOADED_LENGTHS, true).map(|seen| sections.loaded = Some(seen)),
            ),
            SectionName::Pacing => {
                let seen = pacing::measure(size, &pacing::RATES, size.rounds, false);
                ("pacing", seen.map(|seen| sections.pacing = Some(seen)))
            }
            SectionName::PacingLoaded => {
                let seen = pacing::measure(size, &[pacing::LOADED_RATE], size.loaded_rounds, true);
                ("pacing on a busy CPU", seen.map(|seen| sections.pacing_loaded = Some(seen)))
            }
            SectionName::Honesty => {
                ("honesty", honesty::measure(size, other_cpu).map(|seen| sections.honesty = Some(seen)))
            }
        };
        // What one section could not measure does not take the others along.
        failures.extend(done.err().map(|failure| (title, failure)));
    }
    let goals = goal::all(&sections);
    Ok(Report { machine, sections, goals, failures })
}
