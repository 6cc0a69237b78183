//! Experiments from the literature and studies of the harness's own, and what other pages of studies share with theirs.

pub mod against;
mod browser;
pub mod figures;
pub mod options;
mod runtime;
pub mod show;

#[cfg(test)]
pub mod synthetic;

use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use chronoscope_bench::{Failure, tell};
use chronoscope_examples::{Conclusions, Experiment};
use chronoscope_harness::record::study::StudyRecord;
use chronoscope_harness::{Start, StudyObserver};
use chronoscope_render::Width;
use chronoscope_render::browser::Sheet;
use chronoscope_render::page::Page;

use crate::command::output::Output;
use crate::command::page::Shown;
use crate::command::study_run;
use crate::document::{self, Record};
use crate::plan::Depth;
use crate::probe::runtime::Runtime;
use crate::run_options::RunOptions;
use crate::runtime_study::{Allowed, Swept};
use crate::standalone::Standalone;
use against::worst_first;
use options::{ContentionOptions, ExperimentOptions, ThreadReleaseOptions};
use runtime::{InRuntime, circumstances};

impl Standalone for ExperimentOptions {
    fn run(&self, start: &Start) -> Result<ExitCode, Failure> {
        match &self.runtime {
            Some(runtime) => run_in(start, runtime, self.name, &self.run),
            None => run(start, "experiment ", self.name, &self.run, &[]),
        }
    }

    /// Also of an experiment that is a command by its own name.
    fn page(record: &Record, width: Width) -> Option<Page> {
        let conclusions = record.content.experiment.as_ref()?;
        Some(show::terminal(conclusions, &document::as_study(record)?, width))
    }

    fn browser_page(record: &Record) -> Option<Sheet> {
        let conclusions = record.content.experiment.as_ref()?;
        Some(browser::page(conclusions, &document::as_study(record)?))
    }
}

impl Standalone for ThreadReleaseOptions {
    fn run(&self, start: &Start) -> Result<ExitCode, Failure> {
        run(start, "", Experiment::THREAD_RELEASE, &self.run, self.threads.as_slice())
    }
}

impl Standalone for ContentionOptions {
    fn run(&self, start: &Start) -> Result<ExitCode, Failure> {
        let threads = self.threads.as_ref().map_or(&[][..], |list| &list.0);
        run(start, "", Experiment::CONTENTION, &self.run, threads)
    }
}

/// The test of the harness has the options of any run, and no others.
impl Standalone for RunOptions {
    fn run(&self, start: &Start) -> Result<ExitCode, Failure> {
        run(start, "", Experiment::SELFTEST, self, &[])
    }
}

/// Runs an experiment, then prints and saves its conclusions; its command is its name after `before`. The exit code is its
/// verdict, if it has one.
fn run(
    start: &Start,
    before: &str,
    experiment: Experiment,
    run: &RunOptions,
    threads: &[u32],
) -> Result<ExitCode, Failure> {
    let study = experiment.study(study_run::cpus(run, start), threads);
    study.serve_if_worker();
    let options = study_run::options(run)?;
    let plan = study.plan(&options, start.allowed_cpus()).map_err(|error| Failure::usage(error.to_string()))?;
    let output = Output::prepare(&run.to)?;
    if let Some(warning) = study.too_short_for_verdicts(&plan).filter(|_| !run.quiet && std::io::stderr().is_terminal())
    {
        tell("chronoscope", &format!("warning: {warning}"));
    }
    let found = study_run::shown(run.quiet, |progress| {
        progress.expects(Duration::from_millis(plan.budget_ms));
        study.run(&options, study_run::tool(), progress)
    });
    let study = found.map_err(|error| Failure::usage(error.to_string()))?;
    let conclusions = experiment.conclude(&study);
    conclude((study, conclusions), format!("{before}{}", experiment.name()), Vec::new(), run.strict, output)
}

/// On most machines six processes of a runtime take no longer; a --duration may be shorter.
const LEAST_IN_RUNTIME: Duration = Duration::from_secs(12);

/// Runs the operations of an experiment in a language runtime, and then does as [`run`].
fn run_in(start: &Start, runtime: &InRuntime, experiment: Experiment, run: &RunOptions) -> Result<ExitCode, Failure> {
    let operations = runtime.operations(experiment)?;
    let options = study_run::options(run)?;
    let study = experiment.study(study_run::cpus(run, start), &[]);
    let plan = study.plan(&options, start.allowed_cpus()).map_err(|error| Failure::usage(error.to_string()))?;
    let output = Output::prepare(&run.to)?;
    let command = format!("experiment {} --runtime {}", experiment.name(), runtime.word());
    let planned = Duration::from_millis(plan.budget_ms);
    let budget = if run.duration.is_some() { planned } else { planned.max(LEAST_IN_RUNTIME) };
    let began = Instant::now();
    let runtimes = runtime.plan(operations, study.name(), &plan, options.cpus.is_some(), Depth::of(run));
    let (Swept { studies, runtimes }, interrupted) = study_run::shown(run.quiet, |progress| {
        progress.expects(budget);
        (runtimes.run(Allowed::OnceReady(budget), start, &study_run::tool(), progress), progress.cancelled())
    });
    let Some(mut study) = studies.into_iter().next() else {
        let reason = runtimes.iter().find_map(|runtime| runtime.reason_unavailable.clone());
        return Err(Failure::run(format!(
            "nothing was measured: {}",
            reason.unwrap_or_else(|| "no runtime".to_owned())
        )));
    };
    study.elapsed_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    study.interrupted |= interrupted;
    let mut conclusions = experiment.conclude(&study);
    if let Some(measured) = runtimes.iter().find(|runtime| runtime.available) {
        conclusions = conclusions.told_in(&measured.title(), circumstances(measured));
    }
    conclude((study, conclusions), command, runtimes, run.strict, output)
}

/// Prints and saves what a study gave.
fn conclude(
    (study, conclusions): (StudyRecord, Conclusions),
    command: String,
    runtimes: Vec<Runtime>,
    strict: bool,
    output: Output,
) -> Result<ExitCode, Failure> {
    let is_well = conclusions.passed.unwrap_or(study.is_whole() && !(strict && study.has_warning()));
    let mut record = document::of_study(study, command);
    record.content.experiment = Some(conclusions);
    record.content.sections.runtimes.report = runtimes;
    worst_first(&mut record.findings);
    output.write(&record, Shown::default())?;
    Ok(ExitCode::from(u8::from(!is_well)))
}
