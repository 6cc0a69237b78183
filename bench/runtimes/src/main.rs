//! Measures the clocks of language runtimes by our probes and by each language's own harness, in turns, and says whether
//! the two agree; see README.md.

mod arguments;
mod compared;
mod goal;
mod interval;
mod language;
mod oracle;
mod ours;
mod sections;
mod size;

use std::process::ExitCode;

use bench_common::failure::Failure;
use bench_common::machine::Machine;
use bench_common::report::{Report, exit};
use clap::{Parser, ValueEnum};

use arguments::Arguments;
use language::Language;
use sections::{Section, Sections};
use size::Size;

fn main() -> ExitCode {
    exit("bench-runtimes", run(&Arguments::parse()))
}

/// Says whether everything that was asked for could be measured. A harness that is not there is not asked.
fn run(arguments: &Arguments) -> Result<bool, Failure> {
    let report = measure(arguments)?;
    report.print(arguments.format)
}

fn measure(arguments: &Arguments) -> Result<Report<Sections>, Failure> {
    if !arguments.chronoscope.is_file() {
        let path = arguments.chronoscope.display();
        return Err(Failure::because(format!("there is no program {path}; bench/runtimes/run builds it")));
    }
    let size = Size::of(arguments);
    let wanted = |language: &Language| arguments.only.is_empty() || arguments.only.contains(language);
    let mut sections: Vec<Section> =
        Language::value_variants().iter().filter(|language| wanted(language)).copied().map(Section::new).collect();
    for section in &mut sections {
        section.get_ready(arguments);
    }
    for round in 0..size.rounds {
        eprintln!("bench-runtimes: round {} of {}", round + 1, size.rounds);
        for section in &mut sections {
            section.measure(round, arguments, &size);
        }
    }
    // What failed in one language does not take along what was measured of it before, or of the others.
    let failures = sections.iter_mut().filter_map(|section| Some((section.title(), section.failed.take()?))).collect();
    let sections = Sections { is_quick: size.is_quick, languages: sections };
    let goals = goal::all(&sections);
    Ok(Report { machine: Machine::look(&[]), sections, goals, failures })
}
