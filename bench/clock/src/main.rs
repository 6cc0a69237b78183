//! Measures `chronoscope-clock` beside its peers: what reads cost, what they add, whether times go back, whether they are
//! those of the system's clock. Everything is compared within one interleaved run; see README.md.

mod arguments;
#[path = "child/bracket.rs"]
mod bracket;
mod constructors;
mod fork;
mod goal;
mod hog;
mod kind_of_work;
#[path = "child/monotonic.rs"]
mod monotonic;
#[path = "child/observed.rs"]
mod observed;
mod rounds;
mod section;
mod sections;
mod size;
mod subject;
mod subjects;

use std::process::ExitCode;

use bench_common::machine::Machine;
use bench_common::report::{Report, exit};
use bench_common::{cpus, failure, spread, table};
use chronoscope_harness::Study;
use chronoscope_sources::os::{CounterAccess, counter_access};
use clap::{Parser, ValueEnum};

use arguments::{Arguments, SectionName};
use failure::Failure;
use section::{accuracy, first_use, forks, intervals, latency, litmus, threads, work};
use sections::Sections;
use size::Size;

/// The crates that are compared.
const PEERS: [&str; 5] = ["quanta", "minstant", "fastant", "coarsetime", "clocksource"];

fn main() -> ExitCode {
    exit("bench-clock", run(&Arguments::parse()))
}

/// Says whether everything that was asked for could be measured.
fn run(arguments: &Arguments) -> Result<bool, Failure> {
    if counter_access() == CounterAccess::Faults {
        return Err(Failure::because(
            "this process may not read the counter (PR_TSC_SIGSEGV), so nothing can be compared",
        ));
    }
    let size = if arguments.quick { Size::QUICK } else { Size::FULL };
    // A study's worker processes begin as this program does, and end here. A study that cannot be made fails in its section.
    [latency::study(), work::study(), threads::study()].iter().flatten().for_each(Study::serve_if_worker);
    let report = measure(&arguments.only, &size)?;
    report.print(arguments.format)
}

fn measure(only: &[SectionName], size: &Size) -> Result<Report<Sections>, Failure> {
    let mut sections = Sections { is_quick: size.is_quick, ..Sections::default() };
    let mut failures = Vec::new();
    for section in SectionName::value_variants() {
        if !only.is_empty() && !only.contains(section) {
            continue;
        }
        let done = match section {
            SectionName::Latency => latency::measure(size).map(|seen| sections.latency = Some(seen)),
            SectionName::Work => work::measure(size).map(|seen| sections.work = Some(seen)),
            SectionName::Threads => threads::measure(size).map(|seen| sections.threads = Some(seen)),
            SectionName::FirstUse => first_use::measure(size).map(|seen| sections.first_use = Some(seen)),
            SectionName::Litmus => litmus::measure(size).map(|seen| sections.litmus = Some(seen)),
            SectionName::Accuracy => accuracy::measure(size).map(|seen| sections.accuracy = Some(seen)),
            SectionName::Intervals => intervals::measure(size).map(|seen| sections.intervals = Some(seen)),
            SectionName::Forks => forks::measure(size).map(|seen| sections.forks = Some(seen)),
        };
        // What one section could not measure does not take the others along.
        failures.extend(done.err().map(|failure| (section.title(), failure)));
    }
    let goals = goal::all(&sections)?;
    Ok(Report { machine: Machine::look(&PEERS), sections, goals, failures })
}
