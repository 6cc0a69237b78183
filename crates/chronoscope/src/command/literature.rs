use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use chronoscope_bench::{Bar, Failure, Interrupt};
use chronoscope_harness::process::{NotEnded, run_to_end};
use chronoscope_harness::record::{Document, Machine};
use clap::Args;
use serde_json::Value;

use super::output::{Output, keep_apart};
use super::page::Shown;
use super::saved::saved;
use super::study_run;
use crate::answers::literature::claim::{Plan, plans};
use crate::answers::literature::judged;
use crate::answers::literature::report::{Literature, Run};
use crate::document::{Content, Record};
use crate::json::document;
use crate::run_options::Destinations;

/// A run may take so many times as long as it is said to.
const PATIENCE: u32 = 5;

/// Options of the literature.
#[derive(Args, Clone, Debug)]
pub struct LiteratureOptions {
    /// Documents of this machine to judge by [default: measure, seven minutes]
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,

    #[command(flatten)]
    pub to: Destinations,
}

/// Judges each claim by documents that are there, or by those that it makes; prints and saves what follows.
pub fn run(options: &LiteratureOptions) -> Result<ExitCode, Failure> {
    let read_from: Vec<(&str, Option<&Path>)> =
        options.files.iter().map(|file| ("a document that it reads", Some(file.as_path()))).collect();
    keep_apart(&options.to.files(), &read_from)?;
    let given = options.files.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>()?;
    let output = Output::prepare(&options.to)?;
    let interrupt = Interrupt::listen();
    let (records, runs) =
        if given.is_empty() { measured(options.quiet, &interrupt) } else { named(given, &options.files) };
    let interrupted = interrupt.happened();
    let Some(machine) = records.last().map(|record| record.machine.clone()) else {
        return Err(Failure::run(reason_nothing(&runs)));
    };
    let documents = records.iter().filter_map(|record| serde_json::to_value(record).ok()).collect::<Vec<Value>>();
    let literature = Literature { runs, claims: judged(&documents) };
    output.write(&Record { interrupted, ..of(literature, machine) }, Shown::default())?;
    Ok(ExitCode::from(u8::from(interrupted)))
}

fn of(literature: Literature, machine: Machine) -> Record {
    let content = Content { literature: Some(literature), ..Content::default() };
    Document::new("literature", study_run::tool(), machine, content)
}

fn read(file: &Path) -> Result<Record, Failure> {
    saved(file).map_err(|why| Failure::usage(format!("{} cannot be read: {why}", file.display())))
}

fn named(records: Vec<Record>, files: &[PathBuf]) -> (Vec<Record>, Vec<Run>) {
    let run = |file: &PathBuf| Run { command: file.display().to_string(), elapsed_ms: None, reason_failed: None };
    (records, files.iter().map(run).collect())
}

fn reason_nothing(runs: &[Run]) -> String {
    let why = runs.iter().find_map(|run| run.reason_failed.clone()).unwrap_or_else(|| "interrupted".to_owned());
    format!("nothing was measured: {why}")
}

/// Runs all plans, one after the other.
fn measured(quiet: bool, interrupt: &Interrupt) -> (Vec<Record>, Vec<Run>) {
    let mut bar = Bar::new(quiet);
    let whole: u64 = plans().iter().map(|plan| plan.seconds).sum();
    bar.expects(Duration::from_secs(whole));
    let (mut records, mut runs, mut done) = (Vec::new(), Vec::new(), 0);
    for plan in plans().iter().take_while(|_| !interrupt.happened()) {
        bar.shows(done as f64 / whole.max(1) as f64, &plan.command);
        let began = Instant::now();
        let ended = carried_out(plan, interrupt);
        let reason_failed = ended.as_ref().err().cloned();
        records.extend(ended);
        let elapsed_ms = Some(began.elapsed().as_secs_f64() * 1e3);
        runs.push(Run { command: plan.command.clone(), elapsed_ms, reason_failed });
        done += plan.seconds;
    }
    bar.clear();
    (records, runs)
}

/// The document of a plan, by this program in a process of its own: each is the run that a user would make.
fn carried_out(plan: &Plan, interrupt: &Interrupt) -> Result<Record, String> {
    let program = std::env::current_exe().map_err(|error| format!("cannot find the program's own file: {error}"))?;
    let mut command = Command::new(program);
    command.args(plan.command.split(' ')).args(["--format", "json", "--quiet"]);
    let limit = Duration::from_secs(plan.seconds) * PATIENCE;
    let ended = run_to_end(&mut command, Some(limit), &|| interrupt.happened()).map_err(|why| match why {
        NotEnded::Error(error) => error.to_string(),
        NotEnded::TimedOut => format!("timed out after {} s", limit.as_secs()),
        NotEnded::Cancelled => "interrupted".to_owned(),
    })?;
    document(&ended.output).map_err(|error| match ended.complaint.is_empty() {
        true => error.to_string(),
        false => ended.complaint.clone(),
    })
}
