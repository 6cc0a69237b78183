//! The section on a page for browsers: how much longer an operation takes on more threads, and what a read adds to work.

use chronoscope_harness::finding::Finding;
use chronoscope_harness::quantity::{PERCENT, TIME, ns};
use chronoscope_harness::record::study::{Estimate, StudyRecord};
use chronoscope_render::axis::{Axis, Scale};
use chronoscope_render::browser::{Chart, Curve, Figure, Hue, Plot, Shape, Sheet, Zone};
use chronoscope_render::page::Page;
use chronoscope_render::study::sheet;
use chronoscope_render::text::{Column, Mood, Text, count, counted};
use chronoscope_render::words::confidences;

use super::page::lead;
use super::report::{Conclusion, End, Point, Rise};
use super::rules::FRONTS;
use crate::plan::ascending;
use crate::probe::runtime::Runtime;
use crate::screen::browser::told::{self, code};

/// Maximum clocks that are drawn, and sentences.
const CLOCKS: usize = 24;
const SENTENCES: usize = 8;
/// What any study draws of its comparisons: here each clock with the work alone, which another chart has.
const COMPARISONS: &str = "comparisons";
/// Increases beyond these, in percent, are drawn at the edge: they would flatten those that a front is judged by.
const EDGES_PCT: [f64; 2] = [-50.0, 400.0];
const NONE: &str = "–";
/// What the columns of times are, and that of the increase.
const INCREASE: &str = "1 thread, all threads: the number that leads there, which may be a typical time on one and a mean on the other, over \
                        all its processes. increase: within each process that measured both, less what threads add to the work alone \
                        where that is known, then the median; it is not the quotient of the two times";

/// The front of every clock, its times over threads, what a read adds, then everything measured.
pub fn page(record: &StudyRecord, conclusions: &[Conclusion], runtimes: &[Runtime]) -> Sheet {
    let mut page = sheet(record, &lead(record, conclusions, runtimes));
    let has_any = |one: &&Conclusion| one.points.iter().any(|point| point.increase_pct.is_some());
    let drawn: Vec<&Conclusion> = conclusions.iter().filter(has_any).take(CLOCKS).collect();
    if drawn.is_empty() {
        return page;
    }
    let is_compared = |figure: &Figure| figure.id == COMPARISONS;
    let compared = page.figures.iter().position(is_compared).map(|place| page.figures.remove(place));
    page.figures.insert(0, front(&record.findings, &drawn, conclusions));
    // Behind the times over threads.
    page.figures.insert(2, added(&drawn, compared.unwrap_or_default().numbers));
    page
}

fn front(findings: &[Finding], drawn: &[&Conclusion], all: &[Conclusion]) -> Figure {
    let is_front = |finding: &&Finding| FRONTS.iter().any(|kind| finding.is(*kind));
    let mut says: Vec<(Mood, String)> = findings.iter().filter(is_front).take(SENTENCES).map(said).collect();
    let fronts = findings.iter().filter(is_front).count();
    if fronts > says.len() {
        let more = counted((fronts - says.len()) as u64, "more clock", "more clocks");
        says.push((Mood::Quiet, format!("{more}: see the numbers.")));
    }
    let increases = drawn.iter().flat_map(|one| &one.points).filter_map(|point| point.increase_pct);
    says.extend(confidences(increases).map(|words| (Mood::Warning, words)));
    let left_out = all.len() - drawn.len();
    if left_out > 0 {
        let clocks = counted(left_out as u64, "more clock is", "more clocks are");
        says.push((Mood::Quiet, format!("{clocks} not drawn; the numbers have all.")));
    }
    let plots = plots(drawn);
    let marks = marks(&plots);
    let limit = drawn.iter().find_map(|one| one.front.tolerance_pct);
    let judged = limit.map_or_else(String::new, |limit| {
        format!("Above the dashed line, {}, a clock does not scale. ", PERCENT.value(limit))
    });
    let has_zone = plots.iter().any(|plot| plot.zone.is_some());
    let zone =
        if has_zone { "Shaded: the forbidden zone, where the clock is measured rather than the program. " } else { "" };
    Figure {
        id: "front",
        short: "fronts",
        title: "What more threads cost".to_owned(),
        says,
        charts: vec![Chart::Plots(plots)],
        how: format!(
            "How much longer a read and the work before it take on several threads than on one. {judged}{zone}{marks}"
        ),
        numbers: numbers(all),
        ..Figure::default()
    }
}

/// What the marks that are drawn stand for.
fn marks(plots: &[Plot]) -> String {
    let any = |flags: fn(&Curve) -> &Vec<bool>| {
        plots.iter().flat_map(|plot| &plot.curves).any(|of| flags(of).contains(&true))
    };
    let is_cut = plots.iter().any(Plot::is_cut);
    let said = [
        (true, if is_cut { "Band: the interval, cut off at the edge." } else { "Band: the interval." }),
        (any(|curve| &curve.is_ringed), "Ring: raised for certain."),
        (any(|curve| &curve.is_hollow), "Hollow: inconclusive."),
    ];
    said.into_iter().filter(|(is_drawn, _)| *is_drawn).map(|(_, words)| words).collect::<Vec<_>>().join(" ")
}

/// The clock, and what is known of its front.
fn said(finding: &Finding) -> (Mood, String) {
    let clock = finding.subject.as_deref().unwrap_or_default();
    (told::mood(finding), format!("{}: {}.", code(clock), finding.evidence.summary))
}

/// A panel for each clock, on the same axes.
fn plots(drawn: &[&Conclusion]) -> Vec<Plot> {
    let most = drawn.iter().flat_map(|one| &one.points).map(|point| point.work_ns).fold(0.0, f64::max);
    // A float-to-int cast saturates.
    let x = Axis::of_counts(most.ceil() as u64);
    let cut = |value: f64| value.clamp(EDGES_PCT[0], EDGES_PCT[1]);
    let values: Vec<[f64; 3]> = drawn
        .iter()
        .flat_map(|one| &one.points)
        .filter_map(|point| point.increase_pct)
        .map(|found| [found.estimate, found.low, found.high].map(cut))
        .collect();
    let limits = drawn.iter().filter_map(|one| one.front.tolerance_pct).flat_map(|limit| [limit, -limit]);
    let Some(y) = Axis::of_estimates(&values, limits.chain([0.0]), Scale::Linear) else { return Vec::new() };
    drawn.iter().map(|one| plot(one, most, &x, &y)).collect()
}

fn plot(one: &Conclusion, most_ns: f64, x: &Axis, y: &Axis) -> Plot {
    let ends = |y: &Axis| [y.ticks.first(), y.ticks.last()].map(|end| end.copied().unwrap_or_default());
    let [bottom, top] = ends(y);
    let limit = one.front.tolerance_pct.map(|limit| {
        Curve::dashed(format!("{}: the limit", PERCENT.signed().value(limit)), [(0.0, limit), (most_ns, limit)])
    });
    let scales = |End { ns: at, .. }| Curve::dashed(format!("scales from {}", ns(at)), [(at, bottom), (at, top)]);
    let flat = one.front.flat.filter(|end| end.tokens > 0).map(scales);
    let threads = ascending(one.points.iter().map(|point| point.threads));
    let is_one = threads.len() == 1;
    let curves = threads.into_iter().enumerate().map(|(place, threads)| curve(place, threads, is_one, &one.points));
    Plot {
        title: code(&one.clock),
        x: x.clone(),
        y: y.clone(),
        words: [|at| if at == 0.0 { "none".to_owned() } else { ns(at) }, |pct| PERCENT.signed().value(pct)],
        names: ["work between two reads (logarithmic above 1 ns)".to_owned(), "longer than on one thread".to_owned()],
        curves: limit.into_iter().chain(flat).chain(curves).collect(),
        reference: None,
        zone: one.front.raised.filter(|end| end.tokens > 0).map(|end| Zone {
            x: end.ns,
            y: Some(top),
            ..Zone::default()
        }),
    }
}

fn look(place: usize) -> (Hue, Option<Shape>) {
    (Hue::SERIES[place % Hue::SERIES.len()], Some(Shape::SERIES[place % Shape::SERIES.len()]))
}

fn curve(place: usize, threads: u32, is_one: bool, points: &[Point]) -> Curve {
    let points = || points.iter().filter(|point| point.threads == threads && point.increase_pct.is_some());
    let found = || points().filter_map(|point| Some((point.work_ns, point.increase_pct?)));
    let (hue, shape) = look(place);
    Curve {
        name: if is_one { String::new() } else { on(threads) },
        hue,
        shape,
        points: found().map(|(work, found)| (work, found.estimate)).collect(),
        // Without an interval a band has no width.
        band: found().map(|(work, found)| (work, found.low, found.high)).collect(),
        is_hollow: points().map(|point| point.rise == Rise::Unresolved).collect(),
        is_ringed: points().map(|point| point.rise == Rise::Raised).collect(),
        ..Curve::default()
    }
}

fn on(threads: u32) -> String {
    counted(threads.into(), "thread", "threads")
}

fn numbers(all: &[Conclusion]) -> Page {
    let mut page = Text::new();
    let columns = [
        Column::left("clock"),
        Column::right("threads").naming(),
        Column::right("tokens").naming(),
        Column::right("work").naming(),
        Column::right("the work, all threads"),
        Column::right("1 thread"),
        Column::right("all threads"),
        Column::right("increase"),
        Column::left("verdict"),
    ];
    let time = |found: Option<Estimate>| found.map_or_else(|| NONE.to_owned(), |time| TIME.difference(&time));
    let row = |clock: &str, point: &Point| {
        let increase = point.increase_pct.map(|found| PERCENT.signed().difference(&found));
        vec![
            clock.to_owned(),
            point.threads.to_string(),
            count(point.backoff_tokens),
            ns(point.work_ns),
            point.work_all_ns.map_or_else(|| NONE.to_owned(), ns),
            time(point.alone_ns),
            time(point.all_ns),
            increase.unwrap_or_else(|| NONE.to_owned()),
            match point.rise {
                Rise::Flat => "flat",
                Rise::Raised => "raised",
                Rise::Unresolved => "inconclusive",
            }
            .to_owned(),
        ]
    };
    page.table(&columns, all.iter().flat_map(|one| one.points.iter().map(|point| row(&one.clock, point))));
    page.sentence(Mood::Quiet, " ", INCREASE);
    page.into_page()
}

/// What a read adds: times of work and read, and of the work alone.
fn added(drawn: &[&Conclusion], numbers: Page) -> Figure {
    let plots: Vec<Plot> = drawn.iter().filter_map(|one| times(one)).collect();
    Figure {
        id: "added",
        short: "work and read",
        title: "What a read adds to work".to_owned(),
        says: drawn.iter().filter_map(|one| hidden(one)).take(SENTENCES).map(|words| (Mood::Plain, words)).collect(),
        charts: vec![Chart::Plots(plots)],
        how: "Both axes are logarithmic. The gap between an operation and the work alone is what a read adds."
            .to_owned(),
        numbers,
        ..Figure::default()
    }
}

fn times(one: &Conclusion) -> Option<Plot> {
    let points: Vec<&Point> = one.widest().filter(|point| point.has_work()).collect();
    let of = |name: &str, look: (Hue, Option<Shape>), value: fn(&Point) -> Option<f64>| Curve {
        name: name.to_owned(),
        hue: look.0,
        shape: look.1,
        points: points.iter().filter_map(|point| Some((point.work_ns, value(point)?))).collect(),
        ..Curve::default()
    };
    let curves = vec![
        of("the work, 1 thread", look(2), |point| Some(point.work_ns)),
        of(&format!("the work, {}", on(one.threads)), look(3), |point| point.work_all_ns),
        of("work and read, 1 thread", look(0), |point| point.alone_ns.map(|time| time.estimate)),
        of(&format!("work and read, {}", on(one.threads)), look(1), |point| point.all_ns.map(|time| time.estimate)),
    ];
    let values = || curves.iter().flat_map(|curve| &curve.points);
    Some(Plot {
        title: code(&one.clock),
        x: Axis::of_results(values().map(|(work, _)| *work), Scale::Log)?,
        y: Axis::of_results(values().map(|(_, time)| *time), Scale::Log)?,
        words: [ns, ns],
        names: ["work between two reads".to_owned(), String::new()],
        curves: curves.into_iter().filter(|curve| !curve.points.is_empty()).collect(),
        reference: None,
        zone: None,
    })
}

/// The time of reads back to back, and of the work and a read together where the work takes about as long.
fn hidden(one: &Conclusion) -> Option<String> {
    let (read, at) = one.work_as_long_as_a_read()?;
    let both = at.alone_ns?;
    Some(format!(
        "{} takes {} back to back on one thread; {} of work and a read take {} together.",
        code(&one.clock),
        ns(read.estimate),
        ns(at.work_ns),
        ns(both.estimate)
    ))
}

#[cfg(test)]
mod tests {
    use super::super::report::{Front, Read};
    use super::*;
    use chronoscope_render::browser::Sheet;

    fn conclusion() -> Conclusion {
        let about = |estimate: f64, confidence: f64| Estimate {
            estimate,
            low: estimate - 1.0,
            high: estimate + 1.0,
            confidence,
        };
        let point = |tokens: u64, increase: f64, rise: Rise, confidence: f64| Point {
            backoff_tokens: tokens,
            work_ns: tokens as f64,
            work_all_ns: Some(tokens as f64 * 1.25),
            threads: 2,
            alone_ns: Some(about(tokens as f64 + 20.0, 0.999)),
            all_ns: Some(about(tokens as f64 + 90.0, 0.999)),
            increase_pct: Some(about(increase, confidence)),
            rise,
        };
        Conclusion {
            clock: "granular".to_owned(),
            threads: 2,
            front: Front::between((8, 8.0), (512, 512.0)),
            points: vec![
                point(0, 9_000.0, Rise::Raised, 0.999),
                point(8, 70.0, Rise::Raised, 0.999),
                point(64, 12.0, Rise::Unresolved, 0.75),
                point(512, 1.0, Rise::Flat, 0.999),
            ],
            reads: vec![Read {
                threads: 1,
                latency_ns: Some(about(20.0, 0.999)),
                latency_below_ns: None,
                step_ns: None,
                step_below_ns: None,
            }],
            oversubscribed: Vec::new(),
        }
    }

    fn drawn(one: &Conclusion) -> (Figure, Plot) {
        let figure = front(&[], &[one], std::slice::from_ref(one));
        let Chart::Plots(plots) = &figure.charts[0] else { panic!("{figure:?}") };
        let plot = plots[0].clone();
        (figure, plot)
    }

    #[test]
    fn the_front_has_its_limit_its_zone_and_its_points() {
        let (figure, plot) = drawn(&conclusion());
        let names: Vec<&str> = plot.curves.iter().map(|curve| curve.name.as_str()).collect();
        assert_eq!(names, ["+10.0 %: the limit", "scales from 512 ns", ""]);
        assert_eq!(plot.zone.as_ref().map(|zone| zone.x), Some(8.0));
        let points = &plot.curves[2];
        assert_eq!(points.points, [(0.0, 9_000.0), (8.0, 70.0), (64.0, 12.0), (512.0, 1.0)]);
        assert_eq!(points.is_ringed, [true, true, false, false]);
        assert_eq!(points.is_hollow, [false, false, true, false]);
        assert_eq!(plot.y.place(9_000.0), Some(1.0), "at the edge");
        assert!(figure.says.iter().any(|(mood, words)| *mood == Mood::Warning && words.contains("75.0 %")));
        assert!(figure.how.contains("Above the dashed line, 10.0 %") && figure.how.contains("forbidden zone"));
        let page = Sheet { figures: vec![figure], ..Sheet::default() }.finish();
        for text in
            ["forbidden zone", "+10.0 %: the limit", "640 ns", "inconclusive", "not the quotient of the two times"]
        {
            assert!(page.contains(text), "{text}: {page}");
        }
    }

    #[test]
    fn marks_that_are_not_drawn_are_not_explained() {
        let (figure, _) = drawn(&conclusion());
        assert!(
            figure
                .how
                .ends_with("Band: the interval, cut off at the edge. Ring: raised for certain. Hollow: inconclusive.")
        );
        let mut flat = conclusion();
        flat.points.retain(|point| point.rise == Rise::Flat);
        let (figure, plot) = drawn(&flat);
        assert!(figure.how.ends_with("Band: the interval."), "{}", figure.how);
        assert_eq!(plot.names, ["work between two reads (logarithmic above 1 ns)", "longer than on one thread"]);
    }

    #[test]
    fn a_clock_that_scales_has_no_zone_and_an_older_record_no_limit() {
        let open = Conclusion { front: Front { tolerance_pct: None, ..Front::everywhere(0, 0.0) }, ..conclusion() };
        let (figure, plot) = drawn(&open);
        assert!(plot.zone.is_none() && plot.curves.len() == 1, "{plot:?}");
        assert!(!figure.how.contains("dashed") && !figure.how.contains("zone"), "{}", figure.how);
    }

    #[test]
    fn the_work_alone_is_drawn_on_all_threads_where_it_is_known() {
        let with = times(&conclusion()).unwrap();
        assert_eq!(with.curves.len(), 4);
        let shapes: Vec<Option<Shape>> = with.curves.iter().map(|curve| curve.shape).collect();
        let own = |shape: &Option<Shape>| shape.is_some() && shapes.iter().filter(|other| *other == shape).count() == 1;
        assert!(shapes.iter().all(own), "each curve has a shape of its own: {shapes:?}");
        assert_eq!(with.curves[1].points, [(8.0, 10.0), (64.0, 80.0), (512.0, 640.0)]);
        let mut older = conclusion();
        older.points.iter_mut().for_each(|point| point.work_all_ns = None);
        assert_eq!(times(&older).unwrap().curves.len(), 3);
        let said = hidden(&older).unwrap();
        assert_eq!(
            said,
            "`granular` takes 20.0 ns back to back on one thread; 64.0 ns of work and a read take 84.0 ns together."
        );
    }
}
