use std::process::ExitCode;

use chronoscope_bench::{Failure, Interrupt, OutputFile, StudyProgress, page_width, print};
use chronoscope_harness::Start;

use super::concluded::Concluded;
use super::study_run;
use crate::arguments::{ExperimentOptions, Format};

/// Runs an experiment, and prints and saves what it shows.
pub fn run(start: &Start, options: &ExperimentOptions) -> Result<ExitCode, Failure> {
    let run = &options.run;
    let study = options.name.study(study_run::cpus(run, start));
    study.serve_if_fork();
    let wish = study_run::wish(run)?;
    study.plan(&wish, start.allowed_cpus()).map_err(|error| Failure::usage(error.to_string()))?;
    let file = run.output.as_deref().map(|path| OutputFile::prepare("the record", path)).transpose()?;
    let mut progress = StudyProgress::new(run.quiet, Interrupt::listen());
    let found = study.run(&wish, study_run::tool(), &mut progress);
    progress.finish();
    let mut record = found.map_err(|error| Failure::usage(error.to_string()))?;
    let concluded = Concluded::Experiment(options.name);
    record.command = Some(concluded.name());
    let json = concluded.json(&record)?;
    // Both are tried whatever becomes of the other, so that a full disk or a closed pipe loses nothing measured.
    let printed = match run.format {
        Format::Human => print(&concluded.human(&record, false, page_width())),
        Format::Json => print(&json),
    };
    file.map_or(Ok(()), |file| file.write(&json)).and(printed)?;
    let grave = run.strict && record.has_warning();
    Ok(ExitCode::from(u8::from(grave || !record.is_whole())))
}
