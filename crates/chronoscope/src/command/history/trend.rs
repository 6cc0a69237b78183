use std::process::ExitCode;

use chronoscope_bench::{Failure, Format, page_width, print};
use chronoscope_harness::quantity::TIME;
use chronoscope_render::Width;
use chronoscope_render::study::OverTime;
use chronoscope_render::text::{Mood, Text};
use chronoscope_render::words::counted;
use jiff::Timestamp;
use serde_json::json;

use super::opened::{latest, refused, to_read};
use super::options::TrendOptions;
use crate::answers::since::when::{local, when};
use crate::clock_id::ClockId;
use crate::history::trend::{Change, binned, changes, labels};
use crate::history::{History, Run, Scope, Series};
use crate::sections::{clocks, runtimes};

/// Points of a chart: no more than it has columns.
const POINTS: usize = 100;

/// Plots the latency of a clock over time.
pub fn run(options: &TrendOptions) -> Result<ExitCode, Failure> {
    let mut history = to_read()?;
    let machine = latest(&mut history, options.machine.as_deref())?.machine;
    let series = series(&mut history, &options.clock)?;
    let scope = Scope { machine: Some(machine.clone()), most: options.last };
    let runs = history.of_series(series.id, &scope).map_err(refused)?;
    if runs.is_empty() {
        return Err(Failure::usage(format!("no kept run of {machine} has a latency of {}", series.subject)));
    }
    let changes = changes(&runs);
    print(&match options.format {
        Format::Human => page(&series.subject, &machine, &runs, &changes, page_width()),
        Format::Json => {
            let figure = series.kind.name;
            let all = json!({ "clock": series.subject, "figure": figure, "machine": machine, "runs": runs, "changes": changes });
            format!("{all:#}\n")
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The latency of a clock, by any of its names, whatever their case.
fn series(history: &mut History, clock: &str) -> Result<Series, Failure> {
    let is_latency = |series: &Series| [clocks::figures::LATENCY, runtimes::figures::LATENCY].contains(&series.kind);
    let all: Vec<Series> = history.series().map_err(refused)?.into_iter().filter(is_latency).collect();
    let names: Vec<String> = all.iter().map(|series| series.subject.clone()).collect();
    let known = ClockId::called(clock);
    let called = [Some(clock), known.as_ref().map(ClockId::name)];
    let is_meant = |series: &Series| called.iter().flatten().any(|name| series.subject.eq_ignore_ascii_case(name));
    let found = all.into_iter().find(is_meant);
    found.ok_or_else(|| Failure::usage(format!("no kept run has a clock {clock}; choose from {}", names.join(", "))))
}

fn page(clock: &str, machine: &str, runs: &[Run], changes: &[Change], width: Width) -> String {
    let (now, zone) = (Timestamp::now(), local());
    let values = binned(runs, POINTS);
    let moments: Vec<f64> = values.iter().map(|(at, _)| *at).collect();
    let count = counted(runs.len() as u64, "run", "runs");
    let mut text = Text::with_width(width);
    text.over_time(&OverTime {
        title: format!("latency of {clock} on {machine}, {count}"),
        moments: labels(&moments, &zone),
        values,
        changes: changes.iter().map(|change| change.started_s as f64).collect(),
    });
    for change in changes {
        let began = Timestamp::from_second(change.started_s).map(|began| when(began, now, &zone)).unwrap_or_default();
        let Change { run, what, before, after, .. } = change;
        text.sentence(Mood::Warning, "┊", &format!("{began}, run {run}: {what} {before} → {after}"));
    }
    if let Some(latency) = runs.last().and_then(|run| run.figure) {
        text.sentence(Mood::Plain, "·", &format!("latest: {}", TIME.difference(&latency)));
    }
    text.finish()
}
