//! Measures what is known, to see whether the harness says so, and its peers on the same operations; see README.md.

mod arguments;
mod claim;
mod collect;
mod goal;
mod peer;
mod product;
mod ruler;
mod section;
mod sections;
mod size;
mod spin;
mod studies;

use std::process::ExitCode;

use bench_common::failure::Failure;
use bench_common::machine::Machine;
use bench_common::report::{Report, exit};
use chronoscope_sources::os::{CounterAccess, counter_access};
use clap::{Parser, ValueEnum};

use arguments::{Arguments, SectionName};
use section::{accuracy, builds, compile, difference, duration, empty, one_clock, peers, scaling};
use sections::Sections;
use size::Size;

fn main() -> ExitCode {
    // A study's worker processes begin as this program does, and end here.
    studies::serve_if_worker();
    exit("bench-harness", run(&Arguments::parse()))
}

/// Says whether everything that was asked for could be measured.
fn run(arguments: &Arguments) -> Result<bool, Failure> {
    if counter_access() == CounterAccess::Faults {
        return Err(Failure::because(
            "this process may not read the counter (PR_TSC_SIGSEGV), so nothing can be compared",
        ));
    }
    let size = if arguments.quick { Size::QUICK } else { Size::FULL };
    let size = arguments.runs.map_or(size, |runs| size.repeated(runs));
    let report = measure(arguments, &size);
    report.print(arguments.format)
}

fn measure(arguments: &Arguments, size: &Size) -> Report<Sections> {
    let mut sections = Sections { is_quick: size.is_quick, ..Sections::default() };
    let mut failures = Vec::new();
    for section in SectionName::value_variants() {
        if !arguments.only.is_empty() && !arguments.only.contains(section) {
            continue;
        }
        let done = match section {
            SectionName::Accuracy => accuracy::measure(size).map(|seen| sections.accuracy = Some(seen)),
            SectionName::Peers => peers::measure(size).map(|seen| sections.peers = Some(seen)),
            SectionName::Difference => difference::measure(size).map(|seen| sections.difference = Some(seen)),
            SectionName::Builds => builds::measure(size).map(|seen| sections.builds = Some(seen)),
            SectionName::Duration => duration::measure(size).map(|seen| sections.duration = Some(seen)),
            SectionName::Empty => empty::measure(size).map(|seen| sections.empty = Some(seen)),
            SectionName::OneClock => {
                one_clock::measure(&arguments.chronoscope, size).map(|seen| sections.one_clock = Some(seen))
            }
            SectionName::Scaling => {
                scaling::measure(&arguments.chronoscope, size).map(|seen| sections.scaling = Some(seen))
            }
            SectionName::Compile => compile::measure(size).map(|seen| sections.compile = Some(seen)),
        };
        // What one section could not measure does not take the others along.
        failures.extend(done.err().map(|failure| (section.title(), failure)));
    }
    let goals = goal::all(&sections);
    let peers = peer::Peer::ALL.map(peer::Peer::name);
    Report { machine: Machine::look(&peers), sections, goals, failures }
}
