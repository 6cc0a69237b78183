use std::process::ExitCode;
use std::time::Duration;

use chronoscope_bench::{Failure, Interrupt, StudyProgress};
use chronoscope_harness::Start;

use super::output::Output;
use super::page::Shown;
use super::study_run;
use crate::arguments::ExperimentOptions;
use crate::document::Record;
use crate::experiment::against::worst_first;

/// Runs an experiment, then prints and saves its conclusions.
pub fn run(start: &Start, options: &ExperimentOptions) -> Result<ExitCode, Failure> {
    let (run, experiment) = (&options.run, options.name);
    let study = experiment.study(study_run::cpus(run, start));
    study.serve_if_worker();
    let wish = study_run::wish(run)?;
    let plan = study.plan(&wish, start.allowed_cpus()).map_err(|error| Failure::usage(error.to_string()))?;
    let output = Output::prepare(run.format, run.output.as_deref())?;
    let mut progress = StudyProgress::new(run.quiet, Interrupt::listen());
    progress.expects(Duration::from_millis(plan.budget_ms));
    let found = study.run(&wish, study_run::tool(), &mut progress);
    progress.finish();
    let study = found.map_err(|error| Failure::usage(error.to_string()))?;
    let is_well = study.is_whole() && !(run.strict && study.has_warning());
    let conclusions = experiment.conclude(&study);
    let mut record = Record::of_study(study, format!("experiment {}", experiment.name()));
    record.experiment = Some(conclusions);
    worst_first(&mut record.findings);
    output.write(&record, Shown::default())?;
    Ok(ExitCode::from(u8::from(!is_well)))
}
