use std::process::ExitCode;

use chronoscope_bench::{Failure, Interrupt, StudyProgress};
use chronoscope_harness::Start;

use super::output::Output;
use super::page::Shown;
use super::study_run;
use crate::arguments::{Of, RunOptions};
use crate::document::{Outcome, Record};
use crate::engine::{self, Planned};
use crate::plan::{Depth, PlanError, RunWish};
use crate::registry::Sections;
use crate::rules;
use crate::section::{Entry, Section};
use crate::sections::clocks::Clocks;
use chronoscope_harness::finding::Severity;

/// Checks the machine, and prints and saves what was seen.
pub fn check(start: &Start, options: &Of<Clocks>) -> Result<ExitCode, Failure> {
    let planned = Planned::check(&options.of, &wish(&options.run), start.allowed_cpus());
    run(start, &options.run, planned)
}

/// Measures a section alone, which is called `name` and whose entry is `entry`, and prints and saves what was seen.
pub fn section<S: Section>(
    start: &Start,
    options: &Of<S>,
    name: &'static str,
    entry: fn(&mut Sections) -> &mut Entry<S>,
) -> Result<ExitCode, Failure> {
    let planned = Planned::section(name, entry, &options.of, &wish(&options.run), start.allowed_cpus());
    run(start, &options.run, planned)
}

fn run(start: &Start, run: &RunOptions, planned: Result<Planned, PlanError>) -> Result<ExitCode, Failure> {
    let planned = planned.map_err(|error| Failure::usage(error.to_string()))?;
    let output = Output::prepare(run.format, run.output.as_deref())?;
    let mut progress = StudyProgress::new(run.quiet, Interrupt::listen());
    let mut record = engine::run(start, start, planned, study_run::tool(), &mut progress);
    progress.finish();
    rules::judge(&mut record);
    output.write(&record, Shown::default())?;
    Ok(ExitCode::from(u8::from(record.interrupted || measured_nothing(&record) || fails(run, &record))))
}

fn wish(run: &RunOptions) -> RunWish {
    let depth = match (run.quick, run.thorough) {
        (true, _) => Depth::Quick,
        (_, true) => Depth::Thorough,
        _ => Depth::Normal,
    };
    RunWish { depth, budget: run.duration, cpus: run.cpus.clone().map(|list| list.0) }
}

fn measured_nothing(record: &Record) -> bool {
    !record.parts.iter().any(|report| matches!(report.outcome, Outcome::Done | Outcome::Incomplete))
}

fn fails(run: &RunOptions, record: &Record) -> bool {
    run.strict && record.findings.iter().any(|finding| finding.severity >= Severity::Warning)
}
