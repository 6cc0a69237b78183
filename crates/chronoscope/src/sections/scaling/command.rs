use std::process::ExitCode;

use chronoscope_bench::{Failure, Interrupt, OutputFile, StudyProgress};
use chronoscope_harness::{Start, rule};

use super::conclude;
use super::rules::RULES;
use crate::arguments::ScalingOptions;
use crate::command::output::Output;
use crate::command::page::{Shown, browser_page};
use crate::command::study_run;
use crate::document::Record;
use crate::experiment::against::worst_first;
use crate::sections::scaling::Program;

/// Measures clocks over backoff and threads, and determines where they start to scale.
pub fn run(start: &Start, options: &ScalingOptions) -> Result<ExitCode, Failure> {
    let run = &options.run;
    // Worker processes do not get past this line.
    let program = Program::new(start, options)?;
    let output = Output::prepare(run.format, run.output.as_deref())?;
    let browser = options.html.as_deref().map(|path| OutputFile::prepare("the page", path)).transpose()?;
    let mut progress = StudyProgress::new(run.quiet, Interrupt::listen());
    let found = program.run(start, &study_run::tool(), &mut progress);
    progress.finish();
    let (study, runtimes) = found?;
    let is_well = study.is_whole() && !(run.strict && study.has_warning());
    let conclusions = conclude(&study);
    let mut record = Record::of_study(study, "scaling");
    record.runtimes.report = runtimes;
    record.findings.extend(rule::conclude(RULES, &conclusions));
    worst_first(&mut record.findings);
    record.scaling = Some(conclusions);
    // Each is tried even if the other fails, so that a full disk or a closed pipe loses no results.
    let written = output.write(&record, Shown { full: options.verbose, ..Shown::default() });
    browser.zip(browser_page(&record)).map_or(Ok(()), |(file, page)| file.write(&page)).and(written)?;
    Ok(ExitCode::from(u8::from(!is_well)))
}
