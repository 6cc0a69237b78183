use std::process::ExitCode;

use crate::json::Document;
use crate::record::study::StudyRecord;
use crate::record::{PaceRun, Part, Record};
use chronoscope_bench::{Failure, page_width, print};
use chronoscope_render::text::{Mood, Text};
use serde_json::Value;

use super::concluded::Concluded;
use super::study_run;
use crate::arguments::{self, Format, ShowOptions};
use crate::sections::selftest::{self, SELFTEST_SCHEMA_KEY, SELFTEST_SCHEMA_VERSION, SelftestRun};

/// The field that tells what a document is, and what it then is.
const KINDS: [(&str, &str); 4] = [
    ("schema_version", "a check or a part of one"),
    ("study_schema_version", "a study, scaling or an experiment"),
    ("pace_schema_version", "a pace"),
    (SELFTEST_SCHEMA_KEY, "a self-test"),
];

/// A document of any kind that the program writes.
enum Saved {
    Check(Box<Record>),
    Study(Box<StudyRecord>),
    Pace(Box<PaceRun>),
    Selftest(Box<SelftestRun>),
}

/// Prints a saved document again, as the run that saved it did.
pub fn run(options: &ShowOptions) -> Result<ExitCode, Failure> {
    let cannot = |why: String| Failure::usage(format!("{} cannot be shown: {why}", options.file.display()));
    let text = std::fs::read_to_string(&options.file).map_err(|error| cannot(error.to_string()))?;
    let saved = saved(&text).map_err(cannot)?;
    saved.takes(options).map_err(cannot)?;
    print(&match &saved {
        Saved::Check(record) => check(record, options)?,
        Saved::Study(record) => study(record, options)?,
        Saved::Pace(run) => match options.format {
            Format::Human => crate::sections::pace::view::pace_at(run, page_width()),
            Format::Json => written(crate::json::pace_json(run))?,
        },
        Saved::Selftest(run) => match options.format {
            Format::Human => selftest::terminal(run, page_width()),
            Format::Json => study_run::json(run)?,
        },
    })?;
    Ok(ExitCode::SUCCESS)
}

/// What `text` holds, or why it is none of it.
fn saved(text: &str) -> Result<Saved, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("the text is not JSON: {error}"))?;
    if !KINDS.iter().any(|(key, _)| value.get(key).is_some()) {
        let kinds = KINDS.map(|(key, what)| format!("{key} ({what})"));
        return Err(format!(
            "the JSON is not a document of chronoscope: it has none of the fields that say what it is: {}",
            kinds.join(", ")
        ));
    }
    if let Some(version) = value.get(SELFTEST_SCHEMA_KEY) {
        return selftest_of(text, version);
    }
    match crate::json::document(text).map_err(|error| error.to_string())? {
        Document::Check(record) => Ok(Saved::Check(record)),
        Document::Study(record) => Ok(Saved::Study(record)),
        Document::Pace(run) => Ok(Saved::Pace(run)),
    }
}

fn selftest_of(text: &str, version: &Value) -> Result<Saved, String> {
    if version.as_u64() != Some(u64::from(SELFTEST_SCHEMA_VERSION)) {
        return Err(format!("it has {SELFTEST_SCHEMA_KEY} {version}; this build reads {SELFTEST_SCHEMA_VERSION}"));
    }
    let run = serde_json::from_str(text).map_err(|error| format!("the self-test is wrong: {error}"))?;
    Ok(Saved::Selftest(Box::new(run)))
}

impl Saved {
    /// What it is, in words.
    fn what(&self) -> &'static str {
        match self {
            Self::Check(_) => "a check",
            Self::Study(_) => "a study",
            Self::Pace(_) => "a pace",
            Self::Selftest(_) => "a self-test",
        }
    }

    /// Refuses options that make no sense for it.
    fn takes(&self, options: &ShowOptions) -> Result<(), String> {
        let what = self.what();
        match self {
            Self::Check(_) if options.full => Err(format!("--full is for studies, and this is {what}; it has --view")),
            Self::Study(_) if options.view.is_some() => {
                Err(format!("--view is for checks, and this is {what}; it has --full"))
            }
            Self::Pace(_) | Self::Selftest(_) if options.full || options.view.is_some() => {
                let option = if options.full { "--full is for studies" } else { "--view is for checks" };
                Err(format!("{option}, and this is {what}, which has one view"))
            }
            _ => Ok(()),
        }
    }
}

fn check(record: &Record, options: &ShowOptions) -> Result<String, Failure> {
    match options.format {
        Format::Human => Ok(crate::view::terminal_at(record, view(record, options), page_width())),
        Format::Json => written(crate::json::json(record)),
    }
}

/// The view that is asked for, or the one that the run printed.
fn view(record: &Record, options: &ShowOptions) -> crate::View {
    let Some(view) = options.view else {
        let parts: Vec<Part> = record.plan.parts.iter().map(|part| part.part).collect();
        return super::view_of(&parts);
    };
    match view {
        arguments::View::Check => crate::View::Check,
        arguments::View::Clocks => crate::View::Clocks,
        arguments::View::Reads => crate::View::Reads,
        arguments::View::Causality => crate::View::Causality,
        arguments::View::Monotime => crate::View::Monotime,
        arguments::View::Latch => crate::View::Latch,
        arguments::View::Pause => crate::View::Pause,
        arguments::View::Runtimes => crate::View::Runtimes,
    }
}

fn study(record: &StudyRecord, options: &ShowOptions) -> Result<String, Failure> {
    use chronoscope_render::study::{Detail, json, terminal_at};

    let width = page_width();
    let detail = if options.full { Detail::Full } else { Detail::Usual };
    let concluded = record.command.as_deref().map(Concluded::named);
    match (concluded, options.format) {
        (Some(Some(concluded)), Format::Human) => Ok(concluded.human(record, options.full, width)),
        (Some(Some(concluded)), Format::Json) => concluded.json(record),
        (Some(None), Format::Human) => Ok(terminal_at(record, detail, width) + &unknown(record)),
        (None, Format::Human) => Ok(terminal_at(record, detail, width)),
        (_, Format::Json) => written(json(record)),
    }
}

/// That more was concluded than is shown.
fn unknown(record: &StudyRecord) -> String {
    let command = record.command.as_deref().unwrap_or_default();
    let mut text = Text::new();
    let words = format!("`chronoscope {command}` wrote this; this build does not know that command or its conclusions");
    text.sentence(Mood::Warning, "!", &words);
    text.finish()
}

fn written(json: Result<String, crate::record::ReportError>) -> Result<String, Failure> {
    json.map_err(|error| Failure::run(error.to_string()))
}
