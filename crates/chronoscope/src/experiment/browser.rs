//! An experiment as a page for browsers: the charts that its article is read for, then its conclusions, and all times.

use chronoscope_examples::{Chart, Conclusions, Panel, Series, Spot, Topic, Unit};
use chronoscope_harness::quantity::{PER_SECOND, Quantity, RATIO, TIME};
use chronoscope_harness::record::study::{Estimate, StudyRecord};
use chronoscope_render::axis::{Axis, Scale};
use chronoscope_render::browser::{self, Curve, Entry, Figure, Hue, Mark, Plot, Row, Rows, Shape, Sheet};
use chronoscope_render::page::Page;
use chronoscope_render::study::{Lead, sheet};
use chronoscope_render::text::{self, Column, Mood, Text, counted};
use chronoscope_render::words::confidences;

use super::show;
use crate::screen::browser::told;

/// Maximum panels of a chart, series of a panel, values of a series, and sentences: a document may have any number of each.
const PANELS: usize = 12;
const SERIES: usize = 12;
const SPOTS: usize = 200;
const SENTENCES: usize = 16;
/// Maximum ticks of an axis of places.
const TICKS: usize = 7;
/// Values whose ratio exceeds this are drawn on a log scale.
const DECADE: f64 = 10.0;
/// Places likewise.
const WIDE: f64 = 100.0;
/// What everyone has, without charts of its own.
const OF_ANY_STUDY: [&str; 3] = ["times", "single", "about"];

/// The page.
pub fn page(conclusions: &Conclusions, record: &StudyRecord) -> Sheet {
    let any = sheet(record, &Lead::default());
    let mut figures: Vec<Figure> = conclusions.charts.iter().map(figure).collect();
    // Records of older versions have no charts: they keep those of any study.
    let is_drawn = !figures.is_empty();
    figures.push(concluded(conclusions, record));
    figures.extend(any.figures.into_iter().filter(|figure| !is_drawn || OF_ANY_STUDY.contains(&figure.id)));
    Sheet { lead: conclusions.question.clone(), boxes: Vec::new(), figures, ..any }
}

/// What its run printed.
fn concluded(conclusions: &Conclusions, record: &StudyRecord) -> Figure {
    Figure {
        id: "conclusions",
        short: "conclusions",
        title: "What was concluded, and what was published".to_owned(),
        numbers: show::conclusions(conclusions, record),
        ..Figure::default()
    }
}

const fn names(topic: Topic) -> (&'static str, &'static str) {
    match topic {
        Topic::Times => ("raw", "times as measured"),
        Topic::Subtractions => ("subtractions", "subtractions"),
        Topic::Direct => ("direct", "direct comparison"),
        Topic::Claims => ("claims", "claims"),
        Topic::CallTimes => ("calls", "call times"),
        Topic::Calls => ("release", "calls"),
        Topic::Scaling => ("scaling", "scaling"),
        Topic::Staleness => ("staleness", "staleness"),
    }
}

fn figure(chart: &Chart) -> Figure {
    let (id, short) = names(chart.topic);
    let panels: Vec<&Panel> = chart.panels.iter().take(PANELS).collect();
    let left_out = chart.panels.len() - panels.len();
    let mut says: Vec<(Mood, String)> =
        chart.sentences.iter().take(SENTENCES).map(|words| (Mood::Plain, told::sentence(words))).collect();
    let measured = panels.iter().flat_map(|panel| &panel.series).filter(|series| !series.is_published);
    let values = measured.flat_map(|series| &series.points).filter_map(|spot| spot.value);
    says.extend(confidences(values).map(|words| (Mood::Warning, words)));
    if left_out > 0 {
        let panels = counted(left_out as u64, "more panel is", "more panels are");
        says.push((Mood::Quiet, format!("{panels} not drawn; the numbers have all.")));
    }
    let charts = drawn(&panels);
    let is_cut =
        charts.iter().any(|chart| matches!(chart, browser::Chart::Plots(plots) if plots.iter().any(Plot::is_cut)));
    Figure {
        id,
        short,
        title: chart.title.clone(),
        says,
        how: how(&panels, is_cut),
        charts,
        numbers: numbers(&chart.panels),
        ..Figure::default()
    }
}

/// Panels of names are rows; those of numbers are plots.
fn drawn(panels: &[&Panel]) -> Vec<browser::Chart> {
    let plots: Vec<Plot> =
        panels.iter().filter(|panel| panel.names.is_empty()).filter_map(|panel| plot(panel)).collect();
    let rows = panels.iter().filter(|panel| !panel.names.is_empty()).map(|panel| browser::Chart::Rows(rows(panel)));
    let plots = (!plots.is_empty()).then_some(browser::Chart::Plots(plots));
    plots.into_iter().chain(rows).collect()
}

/// The colour and shape of each series, in order; published ones have colours of their own.
fn look(place: usize, series: &Series) -> (Hue, Shape) {
    let hue = if series.is_published { PUBLISHED } else { OURS[place % OURS.len()] };
    (hue, Shape::SERIES[place % Shape::SERIES.len()])
}

const PUBLISHED: Hue = Hue::Ochre;
const OURS: [Hue; 5] = [Hue::Blue, Hue::Orange, Hue::Green, Hue::Purple, Hue::Ink];

fn plot(panel: &Panel) -> Option<Plot> {
    let series: Vec<&Series> = panel.series.iter().take(SERIES).collect();
    let spots = || series.iter().flat_map(|series| series.points.iter().take(SPOTS));
    let cpus = panel.cpus.map(f64::from);
    let places: Vec<f64> = spots().map(|spot| spot.at).chain(cpus).collect();
    let [left, right] = [f64::min, f64::max].map(|end| places.iter().copied().reduce(end).unwrap_or_default());
    let is_wide = Scale::spanning(places.iter().copied(), WIDE) == Scale::Log;
    let x = if is_wide { Axis::of_ratios(places.iter().copied()) } else { Axis::of_sweep(&places, TICKS, None) }?;
    let y = heights(panel, &spots().copied().collect::<Vec<Spot>>())?;
    let levels = panel
        .levels
        .iter()
        .take(SERIES)
        .map(|level| Curve::dashed(&level.name, [(left, level.value), (right, level.value)]));
    let ends = [y.ticks.first()?, y.ticks.last()?].map(|end| *end);
    let upright = cpus.map(|at| Curve::dashed(counted(at as u64, "CPU", "CPUs"), ends.map(|end| (at, end))));
    let ours = series.iter().enumerate().map(|(place, series)| curve(panel.unit, place, series));
    Some(Plot {
        title: panel.title.clone(),
        curves: levels.chain(upright).chain(ours).collect(),
        reference: (panel.unit == Unit::DifferenceNs).then_some(0.0),
        x,
        y,
        words: [place_word, tick(panel.unit)],
        names: [panel.places.clone(), String::new()],
        zone: None,
    })
}

/// Places are whole numbers: tokens, threads, calls.
fn place_word(at: f64) -> String {
    // A float-to-int cast saturates.
    text::count(at as u64)
}

/// The axis of values.
fn heights(panel: &Panel, spots: &[Spot]) -> Option<Axis> {
    let values: Vec<[f64; 3]> =
        spots.iter().filter_map(|spot| spot.value).map(|value| [value.estimate, value.low, value.high]).collect();
    let others = || spots.iter().filter_map(|spot| spot.below).chain(panel.levels.iter().map(|level| level.value));
    let all = || values.iter().map(|[value, ..]| *value).chain(others());
    if panel.unit != Unit::DifferenceNs && Scale::spanning(all(), DECADE) == Scale::Log {
        return Axis::of_estimates(&values, others(), Scale::Log);
    }
    Axis::of_estimates(&values, others().chain([0.0]), Scale::Linear)
}

fn curve(unit: Unit, place: usize, series: &Series) -> Curve {
    let (hue, shape) = look(place, series);
    let spots = || series.points.iter().take(SPOTS);
    let values = || spots().filter_map(|spot| Some((spot.at, spot.value?)));
    if series.is_published {
        // Marks alone: nobody measured between them, and a line is said as measured here.
        let mark = |(at, value): (f64, Estimate)| (at, Mark::Point { at: value.estimate, shape, is_hollow: true });
        let (name, marks) = (series.name.clone(), values().map(mark).collect());
        return Curve { name, hue, shape: Some(shape), marks, ..Curve::default() };
    }
    Curve {
        name: series.name.clone(),
        hue,
        shape: Some(shape),
        points: values().map(|(at, value)| (at, value.estimate)).collect(),
        // Without an interval a band has no width.
        band: values().map(|(at, value)| (at, value.low, value.high)).collect(),
        is_hollow: values().map(|(_, value)| is_hollow(unit, series, &value)).collect(),
        marks: spots().filter_map(|spot| Some((spot.at, Mark::Below { at: spot.below? }))).collect(),
        ..Curve::default()
    }
}

fn is_hollow(unit: Unit, series: &Series, value: &Estimate) -> bool {
    let is_open = unit == Unit::DifferenceNs && !value.is_resolved();
    series.is_published || !value.has_interval() || is_open
}

/// A row for each name, with the values of all series there.
fn rows(panel: &Panel) -> Rows {
    let series: Vec<&Series> = panel.series.iter().take(SERIES).collect();
    let quantity = quantity(panel.unit);
    let of_name = |(place, name): (usize, &String)| {
        let here = |series: &&Series| series.points.iter().find(|spot| spot.at == place as f64).copied();
        let row = |(nth, series): (usize, &&Series)| {
            let spot = here(series)?;
            let (hue, shape) = look(nth, series);
            let point = spot.value.map(|value| Mark::Point {
                at: value.estimate,
                shape,
                is_hollow: is_hollow(panel.unit, series, &value),
            });
            let interval = spot.value.filter(|value| value.has_interval() && !series.is_published);
            let interval = interval.map(|value| Mark::Interval { from: value.low, to: value.high });
            let below = spot.below.map(|at| Mark::Below { at });
            Some(Entry::Row(Row {
                name: series.name.clone(),
                hue,
                marks: below.into_iter().chain(interval).chain(point).collect(),
                value: worded(quantity, series, &spot),
                ..Row::default()
            }))
        };
        let rows: Vec<Entry> = series.iter().enumerate().filter_map(row).collect();
        (!rows.is_empty()).then(|| [Entry::Heading(name.clone())].into_iter().chain(rows))
    };
    let entries = panel.names.iter().enumerate().filter_map(of_name).flatten().collect();
    Rows { entries, scale: Scale::Log, word: tick(panel.unit), axis_name: panel.places.clone(), reference: None }
}

const fn quantity(unit: Unit) -> Quantity {
    match unit {
        Unit::Ns => TIME,
        Unit::DifferenceNs => TIME.signed(),
        Unit::PerSecond => PER_SECOND,
        Unit::Factor => RATIO,
    }
}

/// How values of an axis are written.
fn tick(unit: Unit) -> fn(f64) -> String {
    match unit {
        Unit::Ns => |value| TIME.value(value),
        Unit::DifferenceNs => |value| TIME.signed().value(value),
        Unit::PerSecond => |value| PER_SECOND.value(value),
        Unit::Factor => |value| RATIO.value(value),
    }
}

fn worded(quantity: Quantity, series: &Series, spot: &Spot) -> String {
    match (spot.value, spot.below) {
        (Some(value), _) if series.is_published => quantity.value(value.estimate),
        (Some(value), _) => quantity.difference(&value),
        (None, Some(below)) => quantity.below(below),
        (None, None) => String::new(),
    }
}

/// All values, in a table for each panel.
fn numbers(panels: &[Panel]) -> Page {
    let mut page = Text::new();
    for panel in panels {
        page.heading(&panel.title);
        let place = |at: f64| {
            // A float-to-int cast saturates.
            let name = panel.names.get(at as usize);
            name.cloned().unwrap_or_else(|| place_word(at))
        };
        let row = |series: &Series, spot: &Spot| {
            vec![series.name.clone(), place(spot.at), worded(quantity(panel.unit), series, spot)]
        };
        let rows = panel.series.iter().flat_map(|series| series.points.iter().map(move |spot| (series, spot)));
        let mut rows: Vec<Vec<String>> = rows.map(|(series, spot)| row(series, spot)).collect();
        let level = |name: &str, value: f64| vec![name.to_owned(), String::new(), quantity(panel.unit).value(value)];
        rows.extend(panel.levels.iter().map(|of| level(&of.name, of.value)));
        let columns = [Column::left("").naming(), Column::right(&panel.places).naming(), Column::right("value")];
        page.table(&columns, rows);
    }
    page.into_page()
}

/// How to read the marks that are there.
fn how(panels: &[&Panel], is_cut: bool) -> String {
    let series = || panels.iter().flat_map(|panel| &panel.series);
    let any = |is: fn(&Unit, &Series, &Spot) -> bool| {
        let all = panels.iter().flat_map(|panel| panel.series.iter().map(move |series| (&panel.unit, series)));
        all.into_iter().any(|(unit, series)| series.points.iter().any(|spot| is(unit, series, spot)))
    };
    let is_of_names = panels.iter().any(|panel| !panel.names.is_empty());
    let mut how = vec![if is_of_names { "Thick lines are intervals" } else { "Bands are intervals" }.to_owned()];
    if any(|unit, series, spot| {
        !series.is_published && spot.value.is_some_and(|value| is_hollow(*unit, series, &value))
    }) {
        how.push("hollow points are inconclusive".to_owned());
    }
    if is_cut {
        how.push("bands that reach past a chart are cut at its edge".to_owned());
    }
    if any(|_, _, spot| spot.below.is_some()) {
        how.push("an arrow is a bound: the truth is below it".to_owned());
    }
    if series().any(|series| series.is_published) {
        how.push("hollow marks in ochre were published, of other machines".to_owned());
    }
    if panels.iter().any(|panel| panel.cpus.is_some()) {
        how.push("the upright line is at the number of CPUs: to its right threads wait for each other".to_owned());
    }
    format!("{}.", how.join("; "))
}

#[cfg(test)]
mod tests {
    use chronoscope_examples::{Experiment, Level};

    use super::*;
    use crate::document::{Record, as_study};

    fn about(estimate: f64, half: f64, confidence: f64) -> Estimate {
        Estimate { estimate, low: estimate - half, high: estimate + half, confidence }
    }

    fn series(name: &str, is_published: bool, points: &[Spot]) -> Series {
        Series { name: name.to_owned(), is_published, points: points.to_vec() }
    }

    fn spot(at: f64, value: Estimate) -> Spot {
        Spot { at, value: Some(value), below: None }
    }

    fn panel(unit: Unit, series: Vec<Series>) -> Panel {
        Panel {
            title: "a panel".to_owned(),
            unit,
            places: "threads".to_owned(),
            names: Vec::new(),
            series,
            levels: vec![Level { name: "the most".to_owned(), value: 4.0 }],
            cpus: Some(2),
        }
    }

    fn of(panel: Panel) -> Figure {
        figure(&Chart {
            topic: Topic::Claims,
            title: "Claims".to_owned(),
            sentences: vec!["they claim more".to_owned()],
            panels: vec![panel],
        })
    }

    /// One bound, a wide and a narrow interval, and what was published.
    fn all() -> Vec<Series> {
        let bound = Spot { at: 1.0, value: None, below: Some(1.5) };
        vec![
            series("ours", false, &[bound, spot(2.0, about(2.0, 0.1, 0.999)), spot(4.0, about(3.0, 9.0, 0.75))]),
            series("theirs", true, &[spot(4.0, Estimate::certain(3.5))]),
        ]
    }

    #[test]
    fn every_value_is_drawn_for_what_it_is() {
        let plot = plot(&panel(Unit::Ns, all())).unwrap();
        let names: Vec<&str> = plot.curves.iter().map(|curve| curve.name.as_str()).collect();
        assert_eq!(names, ["the most", "2 CPUs", "ours", "theirs"]);
        let [level, upright, ours, theirs] = &plot.curves[..] else { panic!("{names:?}") };
        assert_eq!(level.points, [(1.0, 4.0), (4.0, 4.0)]);
        assert!(upright.is_dashed && upright.points.iter().all(|(x, _)| *x == 2.0), "{upright:?}");
        assert_eq!(ours.points, [(2.0, 2.0), (4.0, 3.0)]);
        assert_eq!(ours.marks, [(1.0, Mark::Below { at: 1.5 })]);
        let published = Mark::Point { at: 3.5, shape: Shape::Square, is_hollow: true };
        assert_eq!((theirs.hue, &theirs.marks[..], theirs.points.len()), (PUBLISHED, &[(4.0, published)][..], 0));
        let figure = of(panel(Unit::Ns, all()));
        assert_eq!(figure.says[0].1, "They claim more.");
        assert_eq!(
            figure.says[1],
            (Mood::Warning, "The bands differ in confidence: from 75.0 % to 99.9 %.".to_owned())
        );
        assert!(figure.how.contains("bound") && figure.how.contains("published") && figure.how.contains("CPUs"));
        let page = Sheet { figures: vec![figure], ..Sheet::default() }.finish();
        assert!(page.contains("&lt; 1.50 ns"), "{page}");
        assert!(page.contains("3.50 ns") && page.contains("ours: from 2.00 ns at 2"), "{page}");
    }

    #[test]
    fn places_over_decades_have_round_ticks() {
        let points = [100.0, 5_000.0, 351_999.0].map(|at| spot(at, about(3.0, 0.5, 0.999)));
        let plot = plot(&Panel { cpus: None, ..panel(Unit::Ns, vec![series("ours", false, &points)]) }).unwrap();
        assert_eq!(plot.x.round_ticks(TICKS), [100.0, 1_000.0, 10_000.0, 100_000.0]);
    }

    #[test]
    fn a_difference_that_may_be_zero_is_hollow() {
        let open = series("ours", false, &[spot(1.0, about(0.1, 0.5, 0.999)), spot(2.0, about(3.0, 0.5, 0.999))]);
        let curve = curve(Unit::DifferenceNs, 0, &open);
        assert_eq!(curve.is_hollow, [true, false]);
        assert!(of(panel(Unit::DifferenceNs, vec![open])).how.contains("hollow points are inconclusive"));
    }

    #[test]
    fn a_band_cut_at_the_edge_is_said_to_be_and_no_other() {
        let with = |half: f64| {
            let points: Vec<Spot> =
                [(1.0, 0.5), (2.0, 0.5), (4.0, half)].map(|(at, half)| spot(at, about(3.0, half, 0.999))).to_vec();
            of(Panel { levels: Vec::new(), ..panel(Unit::DifferenceNs, vec![series("ours", false, &points)]) }).how
        };
        assert!(with(2_682.0).contains("bands that reach past a chart are cut at its edge"), "{}", with(2_682.0));
        assert!(!with(0.5).contains("cut"), "{}", with(0.5));
    }

    #[test]
    fn named_places_are_rows() {
        let named = Panel {
            names: vec!["read".to_owned(), "write".to_owned()],
            cpus: None,
            ..panel(
                Unit::Ns,
                vec![
                    series("ours", false, &[spot(0.0, about(2.0, 0.1, 0.999)), spot(1.0, about(8.0, 0.1, 0.999))]),
                    series("theirs", true, &[spot(1.0, Estimate::certain(9.0))]),
                ],
            )
        };
        let rows = rows(&named);
        let names: Vec<String> = rows
            .entries
            .iter()
            .map(|entry| match entry {
                Entry::Heading(name) => name.clone(),
                Entry::Row(row) => format!("{} {}", row.name, row.value),
            })
            .collect();
        assert_eq!(names, ["read", "ours 2.00 ns ± 0.10", "write", "ours 8.00 ns ± 0.10", "theirs 9.00 ns"]);
        assert!(matches!(of(named).charts[..], [browser::Chart::Rows(_)]));
    }

    #[test]
    fn an_experiment_has_its_own_charts_and_an_older_record_those_of_any_study() {
        let text = include_str!("../../tests/fixtures/zen4/omission.json");
        let record: Record = serde_json::from_str(text).unwrap();
        let study = as_study(&record).unwrap();
        let older = record.content.experiment.clone().unwrap();
        assert!(older.charts.is_empty());
        let ids = page(&older, &study).ids();
        assert!(ids.contains(&"conclusions") && ids.contains(&"times") && !ids.contains(&"claims"), "{ids:?}");
        let now = Experiment::from_name("omission").unwrap().conclude(&study);
        let sheet = page(&now, &study);
        assert_eq!(sheet.ids(), ["claims", "conclusions", "times", "about"]);
        assert_eq!(sheet.lead, now.question);
        let page = sheet.finish();
        for text in ["claimed by the stamps", "one thread × 2: ", "2 CPUs", "done, JMH 1.37 with 2 CPUs"] {
            assert!(page.contains(text), "{text}");
        }
        assert!(page.len() < 300_000, "{}", page.len());
    }
}
