//! How to measure an interval here, or which findings answer a symptom.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use chronoscope_bench::{Failure, Format, page_width, percentage, print, time, whole_number};
use chronoscope_harness::Start;
use chronoscope_harness::quantity::length;
use chronoscope_probes::RuntimeKind;
use clap::{ArgGroup, Args};

use super::measure::{exit_code, measured};
use super::output::{Output, keep_apart};
use super::page::Shown;
use super::saved::saved;
use crate::answers::advice::interval_advice::advise;
use crate::answers::advice::report::{Advice, IntervalQuestion};
use crate::answers::advice::symptoms::{SYMPTOMS, Symptom, find, lacking, look_up, narrow, runtime_named};
use crate::answers::advice::usable_clocks;
use crate::clock_id::ClockId;
use crate::document::Record;
use crate::engine::Planned;
use crate::plan::{self, MOST_THREADS, PlanError};
use crate::run_options::RunOptions;
use crate::screen;
use crate::sections::clocks::plan as clocks;
use crate::sections::runtimes::Runtimes;
use crate::sections::runtimes::plan as runtimes;

/// The command in documents that it measured.
const COMMAND: &str = "advise";

/// What to advise on.
#[derive(Args, Clone, Debug)]
#[command(group = ArgGroup::new("question").required(true).args(["interval", "symptom", "list"]))]
pub struct AdviseOptions {
    /// Answer from this document, which --output or --format json wrote, instead of measuring
    #[arg(value_name = "DOCUMENT", conflicts_with_all = ["quick", "thorough", "duration", "cpus"])]
    pub document: Option<PathBuf>,

    /// How to measure an interval of about this length, e.g. 50ns
    #[arg(long, value_name = "TIME", value_parser = interval, allow_hyphen_values = true)]
    pub interval: Option<Duration>,

    /// The largest error accepted, in percent of the interval
    #[arg(
        long,
        value_name = "PERCENT",
        value_parser = error_pct,
        default_value = "1%",
        allow_hyphen_values = true,
        conflicts_with_all = ["symptom", "list"]
    )]
    pub error: f64,

    /// Threads that measure at once
    #[arg(
        long,
        value_name = "N",
        value_parser = threads,
        default_value_t = 1,
        allow_hyphen_values = true,
        conflicts_with_all = ["symptom", "list"]
    )]
    pub threads: u32,

    /// Only this clock, as named by `chronoscope clocks` or, with --runtime, by `chronoscope runtimes`
    #[arg(long, value_name = "NAME", conflicts_with_all = ["symptom", "list"])]
    pub clock: Option<String>,

    /// The clocks of this language runtime instead of native ones, e.g. java
    #[arg(long, value_name = "KIND", value_parser = RuntimeKind::named, conflicts_with_all = ["symptom", "list"])]
    pub runtime: Option<RuntimeKind>,

    /// Time from the start of one repetition to that of the next, to tell whether averaging works
    #[arg(long, value_name = "TIME", value_parser = interval, allow_hyphen_values = true, conflicts_with_all = ["symptom", "list"])]
    pub every: Option<Duration>,

    /// What is wrong, e.g. a message of the kernel or "timestamps go backwards"; without TEXT, the list of symptoms
    #[arg(long, value_name = "TEXT", num_args = 0..=1)]
    pub symptom: Option<Option<String>>,

    /// Print the list of symptoms, with what measures each and the findings that answer
    #[arg(long)]
    pub list: bool,

    #[command(flatten)]
    pub run: RunOptions,
}

fn interval(text: &str) -> Result<Duration, String> {
    const ACCEPTED: &str = "1 ns to 24 h";
    in_range(time(text, ACCEPTED)?, Duration::from_nanos(1)..=Duration::from_secs(86_400), ACCEPTED)
}

fn error_pct(text: &str) -> Result<f64, String> {
    const ACCEPTED: &str = "0.001% to 50%";
    in_range(percentage(text, ACCEPTED)?, 0.001..=50.0, ACCEPTED)
}

fn threads(text: &str) -> Result<u32, String> {
    let accepted = format!("1 to {MOST_THREADS}");
    in_range(whole_number(text, &accepted)?, 1..=MOST_THREADS, &accepted)
}

fn in_range<T: PartialOrd>(value: T, range: RangeInclusive<T>, accepted: &str) -> Result<T, String> {
    if range.contains(&value) { Ok(value) } else { Err(format!("out of range; choose {accepted}")) }
}

/// A question that can be answered.
enum Question {
    Interval(IntervalQuestion),
    Symptom { row: &'static Symptom, asked: String },
}

/// Answers from a document, or measures what it takes and answers.
pub fn run(start: &Start, options: &AdviseOptions) -> Result<ExitCode, Failure> {
    possible(options)?;
    let question = match (&options.interval, &options.symptom) {
        (Some(_), _) => Question::Interval(asked(options)),
        (None, Some(Some(text))) => match find(text) {
            Some(row) => Question::Symptom { row, asked: text.clone() },
            None => return no_such(text, options),
        },
        _ if options.document.is_some() => {
            return Err(Failure::usage("the list needs no document; add what is wrong after --symptom"));
        }
        _ => {
            if let Some((option, _)) = options.run.to.files().iter().find(|(_, file)| file.is_some()) {
                let why = format!("{option} writes an answer, and the list is none; add what is wrong after --symptom");
                return Err(Failure::usage(why));
            }
            return list(options).map(|()| ExitCode::SUCCESS);
        }
    };
    let run = &options.run;
    let (output, mut record) = match &options.document {
        Some(file) => {
            // It may be replaced by itself with the answer, but not by a page.
            keep_apart(&[run.to.presented.page()], &[("the document", Some(file))])?;
            let record = read(file, &question)?;
            (Output::prepare(&run.to)?, record)
        }
        None => {
            let planned = question.plan(start, options)?;
            let output = Output::prepare(&run.to)?;
            (output, measured(start, run, planned))
        }
    };
    record.content.advice = Some(question.answer(&record));
    output.write(&record, Shown::default())?;
    Ok(if options.document.is_some() && !run.strict { ExitCode::SUCCESS } else { exit_code(run, &record) })
}

/// Refuses, before anything is measured, what no machine could answer.
fn possible(options: &AdviseOptions) -> Result<(), Failure> {
    if let (Some(interval), Some(every)) = (options.interval, options.every)
        && every < interval
    {
        return Err(Failure::usage(format!(
            "--every {} is shorter than --interval {}: a repetition would begin before the last one ended",
            length(every),
            length(interval)
        )));
    }
    if let (None, None, Some(name)) = (&options.document, options.runtime, &options.clock)
        && matches!(ClockId::from(name.as_str()), ClockId::Other(_))
    {
        let all: Vec<String> = plan::clocks().iter().map(ToString::to_string).collect();
        return Err(Failure::usage(format!("there is no clock {name}; there are: {}", all.join(", "))));
    }
    Ok(())
}

fn asked(options: &AdviseOptions) -> IntervalQuestion {
    let ns = |length: std::time::Duration| length.as_nanos() as f64;
    IntervalQuestion {
        interval_ns: options.interval.map_or(0.0, ns),
        error_pct: options.error,
        threads: options.threads,
        // By its name of today, whichever the user knows.
        clock: options.clock.as_ref().map(|name| match options.runtime {
            None => ClockId::from(name.as_str()).name().to_owned(),
            Some(_) => name.clone(),
        }),
        runtime: options.runtime,
        every_ns: options.every.map(ns),
    }
}

impl Question {
    /// What to measure for it.
    fn plan(&self, start: &Start, options: &AdviseOptions) -> Result<Planned, PlanError> {
        let (run, allowed) = (&options.run, start.allowed_cpus());
        match self {
            Self::Symptom { row, asked } => {
                let mut planned = Planned::sections(COMMAND, row.runs, run, allowed)?;
                if let Some(kind) = runtime_named(asked) {
                    narrow(&mut planned.sections, kind);
                }
                Ok(planned)
            }
            Self::Interval(IntervalQuestion { runtime: Some(kind), .. }) => {
                let only = runtimes::Options { only: vec![*kind], ..runtimes::Options::default() };
                Planned::section::<Runtimes>(COMMAND, |sections| &mut sections.runtimes, &only, run, allowed)
            }
            Self::Interval(_) => {
                let interval = clocks::Options { interval: options.interval.into_iter().collect() };
                let planned = Planned::check(&interval, run, allowed)?;
                Ok(Planned { command: COMMAND, ..planned })
            }
        }
    }

    /// Why a document cannot answer it.
    fn lacking(&self, record: &Record) -> Option<String> {
        match self {
            Self::Interval(question) => usable_clocks::lacking(question, record),
            Self::Symptom { row, .. } => lacking(row, record),
        }
    }

    fn answer(&self, record: &Record) -> Advice {
        match self {
            Self::Interval(question) => Advice::Interval(advise(question, record)),
            Self::Symptom { row, asked } => Advice::Symptom(look_up(row, asked, record)),
        }
    }
}

/// The document in `file`, if it can answer.
fn read(file: &Path, question: &Question) -> Result<Record, Failure> {
    let cannot = |why: String| Failure::usage(format!("{} cannot answer: {why}", file.display()));
    let record = saved(file).map_err(cannot)?;
    question.lacking(&record).map_or(Ok(record), |why| Err(cannot(why)))
}

/// Prints the table of symptoms.
fn list(options: &AdviseOptions) -> Result<(), Failure> {
    print(&match options.run.to.presented.format {
        Format::Human => screen::advice::symptoms_at(page_width()),
        Format::Json => {
            let json = serde_json::to_string_pretty(&serde_json::json!({ "symptoms": SYMPTOMS }));
            json.map_err(|error| Failure::run(error.to_string()))? + "\n"
        }
    })
}

/// Prints the table, and says that no row has such words.
fn no_such(text: &str, options: &AdviseOptions) -> Result<ExitCode, Failure> {
    list(options)?;
    let hint = if Path::new(text).is_file() { ": that is a file; describe what is wrong before it" } else { "" };
    Err(Failure::usage(format!("no symptom of the list matches \"{text}\"{hint}; choose one of those listed")))
}
