//! The section on a page for browsers: for each way to wait, the length asked for and the one got.

use chronoscope_harness::estimators::pauses::{FEWEST_FOR_P99, FEWEST_FOR_P999, PauseFigures, Pauses};
use chronoscope_harness::literature::{pause_means, pauses};
use chronoscope_harness::quantity::{count, ns, percent};
use chronoscope_render::axis::{Axis, Scale};
use chronoscope_render::browser::{Chart, Curve, Figure, Hue, Label, Mark, Plot, Shape};
use chronoscope_render::page::Page;
use chronoscope_render::text::Mood;
use chronoscope_render::words::counted;

use super::plan::PAUSES;
use super::report::{PauseWay, least_late};
use super::view;
use crate::document::Record;
use crate::screen::browser::told::{self, asked, code};

/// Maximum ways that are drawn, and labelled lengths of each.
const WAYS: usize = 12;
const TICKS: usize = 6;
/// Room for labels: to the right of the last point, as a share of the axis, and below the lowest, as a factor.
const ROOM_RIGHT: f64 = 0.3;
const ROOM_BELOW: f64 = 0.1;
/// Bins of a distribution, at most, and how wide it is, as a share of the axis.
const BINS: usize = 10;
const WIDE: f64 = 0.07;

pub fn figures(record: &Record) -> Vec<Figure> {
    let mut numbers = Page::default();
    view::show(&mut numbers, record);
    let seen = record.content.pauses().as_ref();
    let is_published = !record.machine.is_emulated();
    let plots = seen.map_or_else(Vec::new, |seen| plots(seen, is_published));
    let has_published = plots.iter().flat_map(|plot| &plot.curves).any(|curve| curve.hue == PUBLISHED.0);
    let source = pauses().next().map(|figure| figure.source()).filter(|_| has_published);
    vec![Figure {
        id: "pauses",
        short: "pauses",
        title: "Pauses: asked for and got".to_owned(),
        says: said(record, seen),
        how: how(&plots),
        charts: vec![Chart::Plots(plots)],
        key: source
            .map(|source| {
                (PUBLISHED.0, Some((PUBLISHED.1, true)), format!("published mean (ours are medians): {source}"))
            })
            .into_iter()
            .collect(),
        numbers,
    }]
}

/// How to read what is drawn.
fn how(plots: &[Plot]) -> String {
    let curves = || plots.iter().flat_map(|plot| &plot.curves);
    let marks = || curves().flat_map(|curve| &curve.marks).map(|(_, mark)| mark);
    let mut how = vec!["Dashed: as requested. Point: the median, with how late it ends.".to_owned()];
    if curves().flat_map(|curve| &curve.labels).any(|label| label.share.is_some()) {
        how.push("CPU: how much of one the wait takes; the stronger the colour, the more.".to_owned());
    }
    if curves().any(|curve| !curve.areas.is_empty()) {
        how.push("Area: how many pauses took so long; its width is logarithmic.".to_owned());
    }
    if marks().any(|mark| matches!(mark, Mark::Reach { .. })) {
        how.push(format!(
            "Line to a tick: to the 99th percentile of at least {} pauses, or the 99.9th of at least {}.",
            count(FEWEST_FOR_P99),
            count(FEWEST_FOR_P999)
        ));
    }
    if marks().any(|mark| matches!(mark, Mark::Extreme { .. })) {
        how.push("Cross: the longest.".to_owned());
    }
    how.push("Both axes are logarithmic.".to_owned());
    how.join(" ")
}

const PUBLISHED: (Hue, Shape) = (Hue::Ochre, Shape::Diamond);

/// How late the median is, and the share of a CPU.
fn cost(method: &PauseFigures) -> (String, Option<String>) {
    let late = ns(method.late_p50_ns().max(0.0));
    (late, method.cpu_ns().map(|_| percent(100.0 * method.cpu_share)))
}

fn said(record: &Record, seen: Option<&Pauses>) -> Vec<(Mood, String)> {
    let Some(seen) = seen else {
        return vec![(Mood::Quiet, told::sentence(&record.content.not_tested(&[PAUSES])))];
    };
    let lengths = seen.lengths_ns();
    let (Some(shortest), Some(longest)) = (lengths.first(), lengths.last()) else { return Vec::new() };
    let mut said = Vec::new();
    let slept = [PauseWay::StdSleep, PauseWay::Sleep].iter().find_map(|way| of(seen, way.name(), *shortest));
    if let Some(slept) = slept {
        let (length, taken) = (asked(*shortest), ns(slept.p50_ns.estimate));
        said.push((Mood::Plain, format!("{} of {length} takes {taken}.", code(&slept.name))));
    }
    said.push((Mood::Plain, best(seen, *longest)));
    said.extend(told::warnings(record, "pauses"));
    said
}

/// How late the best way to wait for so long ends, and at what cost.
fn best(seen: &Pauses, length_ns: u64) -> String {
    let asked = asked(length_ns);
    let Some(best) = least_late(seen, length_ns) else {
        return format!("No way to wait {asked} is known to leave the CPU to others for half of that time.");
    };
    let told = |method: &PauseFigures| {
        let (late, busy) = cost(method);
        busy.map_or_else(|| late.clone(), |busy| format!("{late} late at {busy} of a CPU"))
    };
    let std = of(seen, PauseWay::StdSleep.name(), length_ns).filter(|std| std.name != best.name);
    let against = std.map_or_else(String::new, |std| format!("; {} wakes {}", code(&std.name), told(std)));
    format!(
        "Of the ways to wait {asked} that leave the CPU to others for most of it, {} is the most punctual by its median of {}: it wakes {}{against}.",
        code(&best.name),
        counted(best.samples, "pause", "pauses"),
        told(best)
    )
}

fn of<'a>(seen: &'a Pauses, name: &str, length_ns: u64) -> Option<&'a PauseFigures> {
    seen.methods.iter().find(|method| method.name == name && method.requested_ns == length_ns)
}

/// A plot for each way, all on the same axes.
fn plots(seen: &Pauses, is_published: bool) -> Vec<Plot> {
    let mut names: Vec<&str> = Vec::new();
    for method in &seen.methods {
        if !names.contains(&method.name.as_str()) {
            names.push(&method.name);
        }
    }
    let lengths: Vec<f64> =
        seen.lengths_ns().into_iter().filter(|length| *length > 0).map(|length| length as f64).collect();
    let Some((x, y)) = axes(seen, &lengths) else { return Vec::new() };
    let span = lengths.last().zip(lengths.first()).map_or(1.0, |(last, first)| last / first);
    let wide = span.max(10.0).powf(WIDE);
    let plot = |name: &&str| {
        let mut methods: Vec<&PauseFigures> = seen.methods.iter().filter(|method| method.name == **name).collect();
        methods.sort_by_key(|method| method.requested_ns);
        let published = PauseWay::named(name).and_then(PauseWay::published_as).filter(|_| is_published);
        let published = published.map(|name| published_curve(name, &lengths));
        let mut curves = vec![requested(&lengths), measured(&methods, wide)];
        curves.extend(published);
        Plot {
            title: code(name),
            x: x.clone(),
            y: y.clone(),
            // A float-to-int cast saturates.
            words: [|ns| asked(ns as u64), ns],
            names: ["requested length".to_owned(), "actual length".to_owned()],
            curves,
            reference: None,
            zone: None,
        }
    };
    names.iter().take(WAYS).map(plot).collect()
}

/// Lengths from left to right, and upwards all that pauses took, with room for labels.
fn axes(seen: &Pauses, lengths: &[f64]) -> Option<(Axis, Axis)> {
    let (first, last) = (*lengths.first()?, *lengths.last()?);
    let end = last * (last / first).max(10.0).powf(ROOM_RIGHT);
    let swept: Vec<f64> = lengths.iter().copied().chain([end]).collect();
    let mut x = Axis::of_sweep(&swept, TICKS + 1, Some(Scale::Log))?;
    x.ticks.retain(|tick| lengths.contains(tick));
    let taken = |method: &PauseFigures| [method.p50_ns.estimate, longest_ns(method), method.requested_ns as f64];
    let taken: Vec<f64> =
        seen.methods.iter().flat_map(taken).filter(|ns| ns.is_sign_positive() && ns.is_normal()).collect();
    let below = taken.iter().copied().reduce(f64::min).map(|least| least * ROOM_BELOW);
    let y = Axis::of_results(taken.into_iter().chain(below), Scale::Log)?;
    Some((x, y))
}

fn longest_ns(method: &PauseFigures) -> f64 {
    method.requested_ns as f64 + method.max_over_ns
}

fn requested(lengths: &[f64]) -> Curve {
    let points: Vec<_> = lengths.iter().map(|length| (*length, *length)).collect();
    Curve::dashed("", points)
}

fn measured(methods: &[&PauseFigures], wide: f64) -> Curve {
    let mut curve = Curve { hue: Hue::Blue, ..Curve::default() };
    for method in methods {
        let (x, at) = (method.requested_ns as f64, method.p50_ns.estimate);
        curve.points.push((x, at));
        curve.areas.extend(distribution(method, wide));
        curve.marks.extend(method.p999_ns.or(method.p99_ns()).map(|to| (x, Mark::Reach { from: at, to })));
        curve.marks.push((x, Mark::Extreme { at: longest_ns(method) }));
        let is_hollow = !method.p50_ns.has_interval();
        curve.marks.push((x, Mark::Point { at, shape: Shape::Circle, is_hollow }));
        let (late, busy) = cost(method);
        let lines = std::iter::once(format!("+{late}")).chain(busy.map(|busy| format!("CPU {busy}"))).collect();
        let share = method.cpu_ns().map(|_| method.cpu_share);
        curve.labels.push(Label { x, y: at, lines, share });
    }
    curve
}

/// How many pauses took how long, to the right of the requested length: as far as a factor of `wide` for the most of them. Nothing
/// where the document did not keep that.
fn distribution(method: &PauseFigures, wide: f64) -> Option<Vec<(f64, f64)>> {
    let x = method.requested_ns as f64;
    let bins = method.histogram.clone().in_bins(BINS).bins;
    let most = bins.iter().map(|bin| bin.count).max()?;
    let reach = |count: u64| x * wide.powf((count as f64).ln_1p() / (most as f64).ln_1p());
    let corners = bins.iter().flat_map(|bin| {
        let to = reach(bin.count);
        [(x, bin.from_ns), (to, bin.from_ns), (to, bin.to_ns), (x, bin.to_ns)]
    });
    Some(corners.collect())
}

/// The published means of a way, at those of the lengths that have them.
fn published_curve(name: &str, lengths: &[f64]) -> Curve {
    let marks = pause_means(name).filter(|(length, _)| lengths.contains(length));
    let (hue, shape) = PUBLISHED;
    let marks = marks.map(|(x, at)| (x, Mark::Point { at, shape, is_hollow: true })).collect();
    Curve { hue, marks, ..Curve::default() }
}

#[cfg(test)]
mod tests {
    use super::super::rules::tests::method;
    use super::*;
    use crate::section::Entry;
    use chronoscope_harness::record::Histogram;

    fn drawn(methods: Vec<PauseFigures>) -> Figure {
        let mut record = crate::rules::tests::blank();
        let report = Some(Pauses { methods, unavailable: Vec::new(), rounds: 3 });
        record.content.sections.pauses = Entry { report, ..Entry::default() };
        figures(&record).remove(0)
    }

    fn plots_of(figure: &Figure) -> &[Plot] {
        let [Chart::Plots(plots)] = figure.charts.as_slice() else { panic!("{:?}", figure.charts) };
        plots
    }

    #[test]
    fn each_way_has_a_plot_of_what_it_took() {
        let figure = drawn(vec![
            method(PauseWay::StdSleep, 1_000, 67_000.0, 0.04),
            method(PauseWay::Spin, 1_000, 60.0, 1.0),
            method(PauseWay::Spin, 100_000, 60.0, 1.0),
        ]);
        let [sleep, spin] = plots_of(&figure) else { panic!("{:?}", figure.charts) };
        assert_eq!((sleep.title.as_str(), spin.title.as_str()), ("`std::thread::sleep`", "`pause::spin`"));
        assert_eq!(sleep.curves[1].points, [(1_000.0, 68_000.0)]);
        assert_eq!(sleep.curves[1].marks[0], (1_000.0, Mark::Reach { from: 68_000.0, to: 68_500.0 }));
        assert_eq!(spin.curves[1].labels[1].lines, ["+60.0 ns", "CPU 100 %"]);
        assert_eq!(spin.x.ticks, [1_000.0, 100_000.0]);
        // The areas are those of the histogram, the most pauses the widest.
        let [area] = &sleep.curves[1].areas[..] else { panic!("{:?}", sleep.curves[1].areas) };
        let heights: Vec<f64> = area.iter().map(|(_, y)| *y).collect();
        let [low, at, far, end] = [0.9, 1.0, 2.0, 2.1].map(|times| times * 68_000.0);
        assert_eq!(heights, [low, low, at, at, far, far, end, end]);
        let widths: Vec<f64> = area.iter().map(|(x, _)| *x).collect();
        assert!(widths[1] > widths[5] && widths[5] > 1_000.0 && widths[0] == 1_000.0, "{widths:?}");
        assert_eq!((sleep.curves[1].labels[0].share, spin.curves[1].labels[0].share), (Some(0.04), Some(1.0)));
        // Only a busy wait is one here and there.
        assert_eq!((sleep.curves.len(), spin.curves.len(), spin.curves[2].marks.len()), (2, 3, 2));
    }

    #[test]
    fn a_few_pauses_have_no_percentile_and_the_caption_tells_what_is_drawn_alone() {
        let few =
            PauseFigures { samples: 13, histogram: Histogram::default(), ..method(PauseWay::Sleep, 1_000, 50.0, 0.0) };
        let figure = drawn(vec![few]);
        let marks = &plots_of(&figure)[0].curves[1].marks;
        assert!(!marks.iter().any(|(_, mark)| matches!(mark, Mark::Reach { .. })), "{marks:?}");
        assert_eq!(
            figure.how,
            "Dashed: as requested. Point: the median, with how late it ends. Cross: the longest. Both axes are logarithmic."
        );
        let page = chronoscope_render::browser::Sheet { figures: vec![figure], ..Default::default() }.finish();
        let row = page.split("pause::sleep</td>").nth(1).unwrap().split("</tr>").next().unwrap();
        let cells: Vec<&str> = row.split("</td>").filter_map(|cell| cell.rsplit('>').next()).collect();
        assert_eq!(cells[1..5], ["50.0 ns", "–", "–", "950 ns"], "{row}");
        let all = drawn(vec![method(PauseWay::Spin, 1_000, 60.0, 1.0)]);
        for told in ["Area: ", "Line to a tick: ", "100 pauses", "1\u{202f}000", "the stronger the colour, the more"] {
            assert!(all.how.contains(told), "{told}: {}", all.how);
        }
        assert!(all.key[0].2.starts_with("published mean (ours are medians): "), "{:?}", all.key);
    }

    #[test]
    fn a_median_without_an_interval_is_hollow() {
        let mut one = method(PauseWay::Sleep, 1_000, 50.0, 0.5);
        one.p50_ns.confidence = 0.0;
        let figure = drawn(vec![one]);
        let hollow = |(_, mark): &(f64, Mark)| matches!(mark, Mark::Point { is_hollow: true, .. });
        assert!(plots_of(&figure)[0].curves[1].marks.iter().any(hollow));
    }

    #[test]
    fn the_best_way_is_told_and_that_there_is_none() {
        let told = |methods: Vec<PauseFigures>| drawn(methods).says.pop().unwrap().1;
        let sleep = || method(PauseWay::StdSleep, 1_000_000, 79_000.0, 0.0136);
        let spin = || method(PauseWay::Spin, 1_000_000, 326.0, 1.0);
        let pauser = method(PauseWay::Pauser, 1_000_000, 526.0, 0.052);
        let best = told(vec![sleep(), pauser, spin()]);
        assert!(best.contains("`Pauser` is the most punctual by its median of 2\u{202f}000 pauses: it wakes 526 ns late at 5.20 % of a CPU"), "{best}");
        assert!(best.ends_with("`std::thread::sleep` wakes 79.0 µs late at 1.36 % of a CPU."), "{best}");
        let none = told(vec![spin()]);
        assert!(none.starts_with("No way to wait 1 ms "), "{none}");
    }

    #[test]
    fn an_empty_record_has_no_chart() {
        assert!(plots_of(&drawn(Vec::new())).is_empty());
        let nothing = figures(&crate::rules::tests::blank()).remove(0);
        assert!(plots_of(&nothing).is_empty() && nothing.says.len() == 1, "{nothing:?}");
        let odd =
            drawn(vec![method(PauseWay::Sleep, 0, f64::NAN, f64::NAN), method(PauseWay::Sleep, u64::MAX, 1e300, 2.0)]);
        assert!(plots_of(&odd).len() <= 1);
    }
}
