use std::process::ExitCode;

use chronoscope_bench::{Failure, Format, page_width, print};
use chronoscope_harness::quantity::TIME;
use chronoscope_render::text::{Column, Mood, Text};
use chronoscope_render::words::counted;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::json;

use super::opened::{nothing, refused, to_read};
use super::options::ListOptions;
use crate::answers::since::when::{local, when};
use crate::history::{Run, Scope};

/// Lists kept runs.
pub fn run(options: &ListOptions) -> Result<ExitCode, Failure> {
    let mut history = to_read()?;
    let most = (!options.all).then_some(options.last);
    let runs = history.runs(&Scope { machine: options.machine.clone(), most }).map_err(refused)?;
    print(&match options.format {
        Format::Json => format!("{:#}\n", json!({ "file": history.file().to_string_lossy(), "runs": runs })),
        Format::Human if runs.is_empty() => nothing(&history, options.machine.as_deref()) + "\n",
        Format::Human => page(&runs),
    })?;
    Ok(ExitCode::SUCCESS)
}

fn page(runs: &[Run]) -> String {
    let mut text = Text::with_width(page_width());
    let mut columns = ["id", "when", "run", "machine", "kernel", "clocksource"].map(Column::left).to_vec();
    columns[0].is_right = true;
    columns.extend([Column::right("CLOCK_MONOTONIC"), Column::left("findings")]);
    let (now, zone) = (Timestamp::now(), local());
    text.table_with_moods(&columns, runs.iter().map(|run| (mood(run), row(run, now, &zone))));
    text.finish()
}

fn mood(run: &Run) -> Mood {
    match (run.criticals, run.warnings) {
        (0, 0) => Mood::Plain,
        (0, _) => Mood::Warning,
        _ => Mood::Bad,
    }
}

fn row(run: &Run, now: Timestamp, zone: &TimeZone) -> Vec<String> {
    let began = Timestamp::from_second(run.started_s).map(|began| when(began, now, zone));
    let findings: Vec<String> = [(run.criticals, "critical", "critical"), (run.warnings, "warning", "warnings")]
        .into_iter()
        .filter(|(count, ..)| *count != 0)
        .map(|(count, one, many)| counted(count.unsigned_abs(), one, many))
        .chain(run.interrupted.then(|| "interrupted".to_owned()))
        .collect();
    vec![
        run.id.to_string(),
        began.unwrap_or_else(|_| run.started_at.clone()),
        run.command.clone(),
        run.machine.clone(),
        run.kernel.clone(),
        run.clocksource.clone(),
        run.figure.map_or_else(|| "–".to_owned(), |latency| TIME.difference(&latency)),
        findings.join(", "),
    ]
}
