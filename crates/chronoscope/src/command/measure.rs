use std::path::Path;
use std::process::ExitCode;

use chronoscope_bench::Failure;
use chronoscope_harness::Start;
use clap::Args;

use super::keeper::Keeper;
use super::output::{Output, keep_apart};
use super::page::Shown;
use super::study_run;
use crate::document::{Outcome, Record};
use crate::engine::{self, Planned};
use crate::history::is_kept;
use crate::registry::Sections;
use crate::rules;
use crate::run_options::RunOptions;
use crate::section::{EntryOf, Section};
use crate::sections::clocks::plan as clocks;

/// The options of a section, after those of any run.
#[derive(Args, Debug)]
pub struct Of<O: Args> {
    #[command(flatten)]
    pub run: RunOptions,

    #[command(flatten)]
    pub of: O,
}

/// Options of a check.
#[derive(Args, Debug)]
pub struct CheckOptions {
    #[command(flatten)]
    pub measured: Of<clocks::Options>,

    /// Print all of it, not only the first screen
    #[arg(long)]
    pub full: bool,

    /// Do not keep the result in the history
    #[arg(long)]
    pub no_history: bool,
}

/// Checks the machine, then prints and saves the results.
pub fn check(start: &Start, options: &CheckOptions) -> Result<ExitCode, Failure> {
    let Of { run: of_run, of } = &options.measured;
    let planned = Planned::check(of, of_run, start.allowed_cpus())?;
    let keeps = !options.no_history && is_kept();
    run(start, of_run, planned, keeps.then(Keeper::new), Shown { full: options.full, ..Shown::default() })
}

/// Measures one section, called `name` and with entry `entry`, then prints and saves the results.
pub fn section<S: Section>(
    start: &Start,
    options: &Of<S::Options>,
    name: &'static str,
    entry: fn(&mut Sections) -> &mut EntryOf<S>,
) -> Result<ExitCode, Failure> {
    let mut planned = Planned::section::<S>(name, entry, &options.of, &options.run, start.allowed_cpus())?;
    let log = planned.sections.hiccups.plan.log.as_deref().map(Path::new);
    keep_apart(&options.run.to.files(), &[("--log", log)])?;
    S::check_needs(&entry(&mut planned.sections).plan)?;
    run(start, &options.run, planned, None, Shown::default())
}

fn run(
    start: &Start,
    run: &RunOptions,
    planned: Planned,
    keeper: Option<Keeper>,
    shown: Shown,
) -> Result<ExitCode, Failure> {
    let output = Output::prepare(&run.to)?;
    let mut record = measured(start, run, planned);
    let mut keeper = keeper.filter(|_| !measured_nothing(&record));
    if let Some(keeper) = &mut keeper {
        record.content.since = keeper.since(&record);
    }
    let written = output.write(&record, shown);
    // Kept even if the output could not be written; a failure to keep does not affect the output.
    if let Some(keeper) = keeper {
        keeper.keep(&record);
    }
    written?;
    Ok(exit_code(run, &record))
}

/// Carries out a plan, and concludes.
pub fn measured(start: &Start, run: &RunOptions, planned: Planned) -> Record {
    rules::judged(study_run::shown(run.quiet, |progress| {
        engine::run(start, start, planned, study_run::tool(), progress)
    }))
}

/// 1 if the run was interrupted, measured nothing, or has a warning with `--strict`.
pub fn exit_code(run: &RunOptions, record: &Record) -> ExitCode {
    ExitCode::from(u8::from(record.interrupted || measured_nothing(record) || run.strict && record.has_warning()))
}

fn measured_nothing(record: &Record) -> bool {
    !record.content.parts.iter().any(|report| matches!(report.outcome, Outcome::Done | Outcome::Incomplete))
}
