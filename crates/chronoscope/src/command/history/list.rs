use std::process::ExitCode;

use chronoscope_bench::{Failure, page_width};
use chronoscope_harness::quantity::TIME;
use chronoscope_render::Width;
use chronoscope_render::browser::Sheet;
use chronoscope_render::page::Page;
use chronoscope_render::text::{Column, Mood, Text};
use chronoscope_render::title::moment;
use chronoscope_render::words::counted;
use jiff::Timestamp;
use serde_json::json;

use super::opened::{nothing, refused, to_read};
use super::options::ListOptions;
use super::when::{local, when};
use crate::command::output::Presenter;
use crate::history::{History, Run, Scope};

/// Lists kept runs.
pub fn run(options: &ListOptions) -> Result<ExitCode, Failure> {
    let mut history = to_read()?;
    let presenter = Presenter::prepare(&options.presented)?;
    let most = (!options.all).then_some(options.last);
    let runs = history.runs(&Scope { machine: options.machine.clone(), most }).map_err(refused)?;
    let nothing = runs.is_empty().then(|| nothing(&history, options.machine.as_deref()));
    let page = |width, dated: fn(&Run) -> String| {
        let mut text = Text::with_width(width);
        match &nothing {
            Some(why) => text.sentence(Mood::Plain, "·", why),
            None => table(&mut text, &runs, "CLOCK_MONOTONIC", dated),
        }
        text
    };
    presenter.present(
        || nothing.as_ref().map_or_else(|| page(page_width(), spoken).finish(), |why| format!("{why}\n")),
        || Ok(format!("{:#}\n", json!({ "file": history.file().to_string_lossy(), "runs": runs }))),
        || sheet(&history, "Kept runs", page(Width::default(), written).into_page()).finish(),
    )?;
    Ok(ExitCode::SUCCESS)
}

/// A page about the history. It may be published: it names no folder.
pub fn sheet(history: &History, title: &str, rest: Page) -> Sheet {
    let file = history.file().file_name().unwrap_or_default().to_string_lossy();
    Sheet { title: title.to_owned(), source: format!("the history {file}"), rest, ..Sheet::default() }
}

/// When a run began, to whoever asks now.
fn spoken(run: &Run) -> String {
    let began = Timestamp::from_second(run.started_s).map(|began| when(began, Timestamp::now(), &local()));
    began.unwrap_or_else(|_| run.started_at.clone())
}

/// When a run began, on a page that is read on another day, and elsewhere.
pub fn written(run: &Run) -> String {
    moment(&run.started_at)
}

/// A row for each run; `figure` names the figure that was asked for, and `dated` tells when a run began.
pub fn table(text: &mut Text, runs: &[Run], figure: &str, dated: fn(&Run) -> String) {
    let mut columns = ["id", "when", "run", "machine", "kernel", "clocksource"].map(Column::left).to_vec();
    columns[0].is_right = true;
    columns.extend([Column::right(figure), Column::left("findings")]);
    text.table_with_moods(&columns, runs.iter().map(|run| (mood(run), row(run, dated(run)))));
}

fn mood(run: &Run) -> Mood {
    match (run.criticals, run.warnings) {
        (0, 0) => Mood::Plain,
        (0, _) => Mood::Warning,
        _ => Mood::Bad,
    }
}

fn row(run: &Run, began: String) -> Vec<String> {
    let findings: Vec<String> = [(run.criticals, "critical", "critical"), (run.warnings, "warning", "warnings")]
        .into_iter()
        .filter(|(count, ..)| *count != 0)
        .map(|(count, one, many)| counted(count.unsigned_abs(), one, many))
        .chain(run.interrupted.then(|| "interrupted".to_owned()))
        .collect();
    vec![
        run.id.to_string(),
        began,
        run.command.clone(),
        run.machine.clone(),
        run.kernel.clone(),
        run.clocksource.clone(),
        run.figure.map_or_else(|| "–".to_owned(), |latency| TIME.difference(&latency)),
        findings.join(", "),
    ]
}
