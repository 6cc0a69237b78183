use std::process::ExitCode;

use chronoscope_bench::{Failure, page_width};
use chronoscope_harness::quantity::{TIME, ns};
use chronoscope_harness::record::Estimate;
use chronoscope_render::Width;
use chronoscope_render::axis::{Axis, Scale};
use chronoscope_render::browser::{Chart, Curve, Figure, Plot, Shape, Sheet};
use chronoscope_render::page::Page;
use chronoscope_render::study::OverTime;
use chronoscope_render::text::{Mood, Text};
use chronoscope_render::words::counted;
use jiff::Timestamp;
use serde_json::json;

use super::list::{sheet, table};
use super::opened::{latest, refused, to_read};
use super::options::TrendOptions;
use crate::answers::since::when::{local, when};
use crate::clock_id::ClockId;
use crate::command::output::Presenter;
use crate::history::trend::{Change, binned, changes, form, label, labels};
use crate::history::{History, Run, Scope, Series};
use crate::sections::{clocks, runtimes};

/// Points of a chart: no more than it has columns.
const POINTS: usize = 100;
/// Spans of time between the dates below a page's chart: no more than a narrow screen has room for.
const SPANS: u32 = 2;
/// Times of a larger ratio are drawn on a logarithmic axis.
const DECADE: f64 = 10.0;

/// Plots the latency of a clock over time.
pub fn run(options: &TrendOptions) -> Result<ExitCode, Failure> {
    let mut history = to_read()?;
    let presenter = Presenter::prepare(&options.presented)?;
    let machine = latest(&mut history, options.machine.as_deref())?.machine;
    let series = series(&mut history, &options.clock)?;
    let scope = Scope { machine: Some(machine.clone()), most: options.last };
    let runs = history.of_series(series.id, &scope).map_err(refused)?;
    if runs.is_empty() {
        return Err(Failure::usage(format!("no kept run of {machine} has a latency of {}", series.subject)));
    }
    let changes = changes(&runs);
    presenter.present(
        || page(&series.subject, &machine, &runs, &changes, page_width()),
        || {
            let figure = series.kind.name;
            let all = json!({ "clock": series.subject, "figure": figure, "machine": machine, "runs": runs, "changes": changes });
            Ok(format!("{all:#}\n"))
        },
        || {
            let figures = vec![figure(&series.subject, &runs, &changes)];
            let title = format!("{} on {machine}", series.subject);
            Sheet { figures, ..sheet(&history, &title, Page::default()) }.finish()
        },
    )?;
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
    let values = binned(runs, POINTS);
    let moments: Vec<f64> = values.iter().map(|(at, _)| *at).collect();
    let mut text = Text::with_width(width);
    text.over_time(&OverTime {
        title: format!("latency of {clock} on {machine}, {}", counted(runs.len() as u64, "run", "runs")),
        moments: labels(&moments, &local()),
        values,
        changes: changes.iter().map(|change| change.started_s as f64).collect(),
    });
    for change in changes {
        text.sentence(Mood::Warning, "┊", &changed(change));
    }
    if let Some(latest) = latest_value(runs) {
        text.sentence(Mood::Plain, "·", &format!("latest: {latest}"));
    }
    text.finish()
}

/// The same for browsers, with a row for each run.
fn figure(clock: &str, runs: &[Run], changes: &[Change]) -> Figure {
    let mut table_of_runs = Text::new();
    table(&mut table_of_runs, runs, clock);
    let latest = latest_value(runs).map(|value| (Mood::Plain, format!("In the latest run a read took {value}.")));
    let said = changes.iter().map(|change| (Mood::Warning, format!("{}.", changed(change))));
    Figure {
        id: "trend",
        short: "trend",
        title: format!("What a read cost in {}", counted(runs.len() as u64, "run", "runs")),
        says: latest.into_iter().chain(said).collect(),
        charts: plot(&binned(runs, POINTS)).map(|plot| Chart::Plots(vec![plot])).into_iter().collect(),
        how: "A point is a run, or the median of several; the band holds the intervals of all.".to_owned(),
        numbers: table_of_runs.into_page(),
        ..Figure::default()
    }
}

fn plot(values: &[(f64, Estimate)]) -> Option<Plot> {
    let moments: Vec<f64> = values.iter().map(|(at, _)| *at).collect();
    let (first, last) = (*moments.first()?, *moments.last()?);
    let date = DATES[form(last - first)];
    let mut x = Axis::of_sweep(&moments, moments.len(), Some(Scale::Linear))?;
    x.ticks = (0..=SPANS).map(|span| first + f64::from(span) / f64::from(SPANS) * (last - first)).collect();
    x.ticks.dedup_by_key(|at| date(*at));
    let ends = |(_, of): &(f64, Estimate)| of.interval().map_or([of.estimate; 2], <[f64; 2]>::from);
    let ends: Vec<f64> = values.iter().flat_map(ends).collect();
    let (least, most) = ends.iter().fold((f64::MAX, 0.0_f64), |(least, most), end| (least.min(*end), most.max(*end)));
    let scale = if most > DECADE * least { Scale::Log } else { Scale::Linear };
    let band = values.iter().filter_map(|(at, of)| of.interval().map(|(low, high)| (*at, low, high)));
    let curve = Curve {
        shape: Some(Shape::Circle),
        points: values.iter().map(|(at, of)| (*at, of.estimate)).collect(),
        band: band.collect(),
        ..Curve::default()
    };
    Some(Plot {
        title: String::new(),
        x,
        y: Axis::of_results(ends.into_iter(), scale)?,
        words: [date, ns],
        names: ["when the run began".to_owned(), "latency of a read".to_owned()],
        curves: vec![curve],
        reference: None,
        zone: None,
    })
}

/// Write moments in local time, in each form.
const DATES: [fn(f64) -> String; 3] = [date::<0>, date::<1>, date::<2>];

fn date<const FORM: usize>(at: f64) -> String {
    label(at, FORM, &local()).unwrap_or_default()
}

fn changed(change: &Change) -> String {
    let Change { run, started_s, what, before, after } = change;
    let began = Timestamp::from_second(*started_s).map(|began| when(began, Timestamp::now(), &local()));
    format!("{}, run {run}: {what} {before} → {after}", began.unwrap_or_default())
}

fn latest_value(runs: &[Run]) -> Option<String> {
    Some(TIME.difference(&runs.last()?.figure?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(at: f64, estimate: f64, confidence: f64) -> (f64, Estimate) {
        (at, Estimate { estimate, low: estimate - 1.0, high: estimate + 1.0, confidence })
    }

    #[test]
    fn a_run_without_an_interval_has_no_band_and_dates_are_said_once() {
        let drawn = plot(&[value(0.0, 20.0, 0.999), value(60.0, 21.0, 0.0), value(86_400.0, 22.0, 0.999)]).unwrap();
        let curve = &drawn.curves[0];
        assert_eq!(curve.points, [(0.0, 20.0), (60.0, 21.0), (86_400.0, 22.0)]);
        assert_eq!(curve.band, [(0.0, 19.0, 21.0), (86_400.0, 21.0, 23.0)]);
        assert_eq!((drawn.x.ticks, drawn.y.is_log()), (vec![0.0, 43_200.0, 86_400.0], false));
        let at_once = plot(&[value(7.0, 20.0, 0.999), value(8.0, 20.0, 0.999)]).unwrap();
        assert_eq!(at_once.x.ticks.len(), 1);
    }

    #[test]
    fn more_than_a_decade_is_logarithmic_and_nothing_is_no_chart() {
        assert!(plot(&[value(0.0, 20.0, 0.999), value(60.0, 2_000.0, 0.999)]).unwrap().y.is_log());
        assert!(plot(&[]).is_none());
        for odd in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
            let figure = Figure {
                charts: vec![Chart::Plots(plot(&[value(0.0, odd, 0.999)]).into_iter().collect())],
                ..Figure::default()
            };
            assert!(Sheet { figures: vec![figure], ..Sheet::default() }.finish().contains("</html>"), "{odd}");
        }
    }
}
