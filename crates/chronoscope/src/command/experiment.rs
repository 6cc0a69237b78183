use std::process::ExitCode;
use std::time::Duration;

use chronoscope_bench::{Failure, Interrupt, StudyProgress};
use chronoscope_examples::Experiment;
use chronoscope_harness::Start;

use super::output::Output;
use super::page::Shown;
use super::study_run;
use crate::arguments::{ContentionOptions, ExperimentOptions, ThreadReleaseOptions};
use crate::document::Record;
use crate::experiment::against::worst_first;
use crate::run_options::RunOptions;

/// `chronoscope experiment NAME`.
pub fn named(start: &Start, options: &ExperimentOptions) -> Result<ExitCode, Failure> {
    run(start, options.name, format!("experiment {}", options.name.name()), &options.run, &[])
}

/// `chronoscope thread-release`.
pub fn thread_release(start: &Start, options: &ThreadReleaseOptions) -> Result<ExitCode, Failure> {
    command(start, Experiment::THREAD_RELEASE, &options.run, options.threads.as_slice())
}

/// `chronoscope contention`.
pub fn contention(start: &Start, options: &ContentionOptions) -> Result<ExitCode, Failure> {
    let threads = options.threads.as_ref().map_or(&[][..], |list| &list.0);
    command(start, Experiment::CONTENTION, &options.run, threads)
}

/// `chronoscope selftest`.
pub fn selftest(start: &Start, run: &RunOptions) -> Result<ExitCode, Failure> {
    command(start, Experiment::SELFTEST, run, &[])
}

/// An experiment that is a command by its own name.
fn command(start: &Start, experiment: Experiment, of: &RunOptions, threads: &[u32]) -> Result<ExitCode, Failure> {
    run(start, experiment, experiment.name().to_owned(), of, threads)
}

/// Runs an experiment, then prints and saves its conclusions. The exit code is its verdict, if it has one.
fn run(
    start: &Start,
    experiment: Experiment,
    command: String,
    run: &RunOptions,
    threads: &[u32],
) -> Result<ExitCode, Failure> {
    let study = experiment.study(study_run::cpus(run, start), threads);
    study.serve_if_worker();
    let wish = study_run::wish(run)?;
    let plan = study.plan(&wish, start.allowed_cpus()).map_err(|error| Failure::usage(error.to_string()))?;
    let output = Output::prepare(run.format, run.output.as_deref())?;
    let mut progress = StudyProgress::new(run.quiet, Interrupt::listen());
    progress.expects(Duration::from_millis(plan.budget_ms));
    let found = study.run(&wish, study_run::tool(), &mut progress);
    progress.finish();
    let study = found.map_err(|error| Failure::usage(error.to_string()))?;
    let conclusions = experiment.conclude(&study);
    let is_well = conclusions.passed.unwrap_or(study.is_whole() && !(run.strict && study.has_warning()));
    let mut record = Record::of_study(study, command);
    record.experiment = Some(conclusions);
    worst_first(&mut record.findings);
    output.write(&record, Shown::default())?;
    Ok(ExitCode::from(u8::from(!is_well)))
}
