use std::process::ExitCode;

use chronoscope_bench::{Failure, page_width};
use chronoscope_harness::quantity::{TIME, ns};
use chronoscope_harness::record::Estimate;
use chronoscope_render::Width;
use chronoscope_render::axis::{Axis, Scale};
use chronoscope_render::browser::{Chart, Curve, Figure, Label, Plot, Shape, Sheet};
use chronoscope_render::page::Page;
use chronoscope_render::study::OverTime;
use chronoscope_render::text::{Mood, Text};
use chronoscope_render::title::moment;
use chronoscope_render::words::counted;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::json;

use super::list::{sheet, table, written};
use super::opened::{latest, refused, to_read};
use super::options::TrendOptions;
use super::when::{local, when};
use crate::clock_id::ClockId;
use crate::command::output::Presenter;
use crate::history::trend::{Change, binned, changes, form, label, labels, ticks};
use crate::history::{History, Run, Scope, Series};
use crate::sections::{clocks, runtimes};

/// Points of a chart: no more than it has columns.
const POINTS: usize = 100;
/// Dates below a page's chart: no more than a narrow screen has room for.
const TICKS: u32 = 3;
/// Changes that a page tells, the latest of all.
const TOLD: usize = 12;
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
        let Change { run, started_s, .. } = change;
        let began = Timestamp::from_second(*started_s).map(|began| when(began, Timestamp::now(), &local()));
        text.sentence(Mood::Warning, "┊", &format!("{}, run {run}: {}", began.unwrap_or_default(), changed(change)));
    }
    if let Some(latest) = latest_value(runs) {
        text.sentence(Mood::Plain, "·", &format!("latest: {latest}"));
    }
    text.finish()
}

/// The same for browsers, with a row for each run.
fn figure(clock: &str, runs: &[Run], changes: &[Change]) -> Figure {
    let mut table_of_runs = Text::new();
    table(&mut table_of_runs, runs, clock, written);
    let latest = latest_value(runs).map(|value| (Mood::Plain, format!("In the latest run a read took {value}.")));
    Figure {
        id: "trend",
        short: "trend",
        title: format!("What a read cost in {}", counted(runs.len() as u64, "run", "runs")),
        says: latest.into_iter().chain(told(changes)).collect(),
        charts: plot(&binned(runs, POINTS), changes).map(|plot| Chart::Plots(vec![plot])).into_iter().collect(),
        how: "A point is a run, or the median of several; the band holds the intervals of all. Dashed: the first run after a change."
            .to_owned(),
        numbers: table_of_runs.into_page(),
        ..Figure::default()
    }
}

/// The latest changes in sentences, and how many came before.
fn told(changes: &[Change]) -> Vec<(Mood, String)> {
    let earlier = changes.len().saturating_sub(TOLD);
    let more = (earlier > 0).then(|| {
        let before = counted(earlier as u64, "earlier change is", "earlier changes are");
        (Mood::Quiet, format!("{before} not listed."))
    });
    let of_run = |change: &Change| {
        let began = Timestamp::from_second(change.started_s).map(|began| moment(&began.to_string()));
        (Mood::Warning, format!("{}, run {}: {}.", began.unwrap_or_default(), change.run, changed(change)))
    };
    more.into_iter().chain(changes[earlier..].iter().map(of_run)).collect()
}

/// An upright line at the first run after changes, with what changed.
fn uprights(changes: &[Change], y: &Axis) -> Vec<Curve> {
    let (Some(low), Some(high)) = (y.ticks.first(), y.ticks.last()) else { return Vec::new() };
    let of_run = |changes: &[Change]| {
        let x = changes[0].started_s as f64;
        let lines = changes.iter().map(|change| change.what.to_owned()).collect();
        Curve { labels: vec![Label { x, y: *high, lines, share: None }], ..Curve::dashed("", [(x, *low), (x, *high)]) }
    };
    changes.chunk_by(|one, next| one.run == next.run).map(of_run).collect()
}

fn plot(values: &[(f64, Estimate)], changes: &[Change]) -> Option<Plot> {
    let moments: Vec<f64> = values.iter().map(|(at, _)| *at).collect();
    let (first, last) = (*moments.first()?, *moments.last()?);
    let form = form(last - first);
    let date = DATES[form];
    let mut x = Axis::of_sweep(&moments, moments.len(), Some(Scale::Linear))?;
    x.ticks = ticks(first, last, form, TICKS);
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
    let y = Axis::of_results(ends.into_iter(), scale)?;
    Some(Plot {
        title: String::new(),
        x,
        curves: uprights(changes, &y).into_iter().chain([curve]).collect(),
        y,
        words: [date, ns],
        names: ["when the run began, UTC".to_owned(), "latency of a read".to_owned()],
        reference: None,
        zone: None,
    })
}

/// Write moments in each form.
const DATES: [fn(f64) -> String; 3] = [date::<0>, date::<1>, date::<2>];

fn date<const FORM: usize>(at: f64) -> String {
    label(at, FORM, &TimeZone::UTC).unwrap_or_default()
}

fn changed(change: &Change) -> String {
    let Change { what, before, after, .. } = change;
    format!("{what} {before} → {after}")
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
        let drawn =
            plot(&[value(0.0, 20.0, 0.999), value(60.0, 21.0, 0.0), value(86_400.0, 22.0, 0.999)], &[]).unwrap();
        let curve = &drawn.curves[0];
        assert_eq!(curve.points, [(0.0, 20.0), (60.0, 21.0), (86_400.0, 22.0)]);
        assert_eq!(curve.band, [(0.0, 19.0, 21.0), (86_400.0, 21.0, 23.0)]);
        assert_eq!((drawn.x.ticks, drawn.y.is_log()), (vec![0.0, 43_200.0, 86_400.0], false));
        let at_once = plot(&[value(7.0, 20.0, 0.999), value(8.0, 20.0, 0.999)], &[]).unwrap();
        assert_eq!(at_once.x.ticks.len(), 1);
    }

    #[test]
    fn more_than_a_decade_is_logarithmic_and_nothing_is_no_chart() {
        assert!(plot(&[value(0.0, 20.0, 0.999), value(60.0, 2_000.0, 0.999)], &[]).unwrap().y.is_log());
        assert!(plot(&[], &[]).is_none());
        for odd in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
            let figure = Figure {
                charts: vec![Chart::Plots(plot(&[value(0.0, odd, 0.999)], &[]).into_iter().collect())],
                ..Figure::default()
            };
            assert!(Sheet { figures: vec![figure], ..Sheet::default() }.finish().contains("</html>"), "{odd}");
        }
    }

    fn change(run: i64, what: &'static str) -> Change {
        let (before, after) = ("one".to_owned(), "two".to_owned());
        Change { run, started_s: 60 * run, what, before, after }
    }

    #[test]
    fn each_run_after_a_change_has_an_upright_that_names_all_that_changed() {
        let changes = [change(1, "kernel"), change(1, "CPU"), change(2, "clocksource")];
        let values = [value(0.0, 20.0, 0.999), value(60.0, 24.0, 0.999), value(120.0, 22.0, 0.999)];
        let drawn = plot(&values, &changes).unwrap();
        let [one, two, of_values] = &drawn.curves[..] else { panic!("{:?}", drawn.curves) };
        let (low, high) = (drawn.y.ticks[0], *drawn.y.ticks.last().unwrap());
        assert_eq!((&one.points, one.is_dashed), (&vec![(60.0, low), (60.0, high)], true));
        assert_eq!((&one.labels[0].lines[..], two.labels[0].x), (&["kernel".to_owned(), "CPU".to_owned()][..], 120.0));
        assert_eq!(two.labels[0].lines, ["clocksource"]);
        assert_eq!(of_values.points.len(), 3);
        assert_eq!(plot(&values, &[]).unwrap().curves.len(), 1);
    }

    #[test]
    fn the_latest_changes_are_told_and_the_others_counted() {
        let changes: Vec<Change> = (1..=14).map(|run| change(run, "kernel")).collect();
        let said = told(&changes);
        assert_eq!(said.len(), TOLD + 1);
        assert_eq!(said[0].1, "2 earlier changes are not listed.");
        assert_eq!(said[TOLD].1, "1970-01-01 00:14 UTC, run 14: kernel one → two.");
        assert_eq!(told(&changes[..1]).len(), 1);
    }
}
