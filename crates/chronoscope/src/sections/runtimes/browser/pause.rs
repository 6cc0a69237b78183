use chronoscope_harness::estimators::pauses::{PauseFigures, Pauses};
use chronoscope_harness::literature::{pause_means, pauses};
use chronoscope_harness::quantity::ns;
use chronoscope_probes::RuntimeKind;
use chronoscope_render::axis::{Axis, Scale};
use chronoscope_render::browser::{Chart, Curve, Figure, Hue, Mark, Plot, Shape};
use chronoscope_render::page::Page;
use chronoscope_render::text::Mood;

use super::parts::measured;
use crate::document::Record;
use crate::plan::ascending;
use crate::probe::runtime::Runtime;
use crate::screen::browser::told::{asked, code};
use crate::sections::runtimes::view;

/// Maximum runtimes and ways that are drawn, and labelled lengths.
const DRAWN: usize = 12;
const TICKS: usize = 6;

/// The pauses of each runtime.
pub fn figure(record: &Record) -> Figure {
    let mut numbers = Page::default();
    view::pause::show(&mut numbers, record);
    let is_published = !record.machine.is_emulated();
    let plots = plots(record, is_published);
    let source = pauses().next().map(|figure| figure.source());
    let has_published = plots.iter().flat_map(|plot| &plot.curves).any(|curve| !curve.marks.is_empty());
    let key = source.filter(|_| has_published);
    Figure {
        id: "runtime-pauses",
        short: "pauses of languages",
        title: "Pauses in the languages: asked for and got".to_owned(),
        says: said(record).into_iter().map(|sentence| (Mood::Plain, sentence)).collect(),
        charts: vec![Chart::Plots(plots)],
        key: key
            .map(|source| (Hue::Ink, Some((Shape::Circle, true)), format!("published, {source}")))
            .into_iter()
            .collect(),
        how: "Means, as of the published figures; dashed: as requested. Both axes are logarithmic.".to_owned(),
        numbers,
    }
}

fn paused(record: &Record) -> impl Iterator<Item = (&Runtime, &Pauses)> {
    measured(record).filter_map(|runtime| Some((runtime, runtime.pause.as_ref()?)))
}

/// What the shortest pauses take, from the shortest to the longest.
fn said(record: &Record) -> Option<String> {
    let all = || paused(record).flat_map(|(runtime, pause)| pause.methods.iter().map(move |method| (runtime, method)));
    let shortest = all().map(|(_, method)| method.requested_ns).min()?;
    let mut of_shortest: Vec<(&Runtime, &PauseFigures)> =
        all().filter(|(_, method)| method.requested_ns == shortest).collect();
    of_shortest.sort_by(|(_, a), (_, b)| a.mean_ns.total_cmp(&b.mean_ns));
    let told = |(runtime, method): &(&Runtime, &PauseFigures)| {
        format!("{} by {} of {}", ns(method.mean_ns), code(&method.name), runtime.title())
    };
    let (least, most) = (of_shortest.first()?, of_shortest.last()?);
    Some(format!("A pause of {} takes from {} to {} on average.", asked(shortest), told(least), told(most)))
}

fn plots(record: &Record, is_published: bool) -> Vec<Plot> {
    let methods = || paused(record).flat_map(|(_, pause)| &pause.methods);
    let lengths: Vec<f64> = ascending(methods().map(|method| method.requested_ns))
        .into_iter()
        .filter(|length| *length > 0)
        .map(|length| length as f64)
        .collect();
    let x = Axis::of_sweep(&lengths, TICKS, Some(Scale::Log));
    let y = Axis::of_results(methods().map(|method| method.mean_ns).chain(lengths.iter().copied()), Scale::Log);
    let (Some(x), Some(y)) = (x, y) else { return Vec::new() };
    let plot = |(runtime, pause): (&Runtime, &Pauses)| {
        let requested: Vec<_> = lengths.iter().map(|length| (*length, *length)).collect();
        let dashed = Curve::dashed("", requested);
        let has_published = is_published && runtime.kind == RuntimeKind::Java;
        Plot {
            title: runtime.title(),
            x: x.clone(),
            y: y.clone(),
            // A float-to-int cast saturates.
            words: [|ns| asked(ns as u64), ns],
            names: ["requested length".to_owned(), "actual length, on average".to_owned()],
            curves: std::iter::once(dashed).chain(curves(pause, has_published.then_some(lengths.as_slice()))).collect(),
            reference: None,
            zone: None,
        }
    };
    paused(record).take(DRAWN).map(plot).collect()
}

/// A curve for each way, with the published means at those lengths.
fn curves(pause: &Pauses, published_at: Option<&[f64]>) -> Vec<Curve> {
    let mut names: Vec<&str> = Vec::new();
    for method in &pause.methods {
        if !names.contains(&method.name.as_str()) {
            names.push(&method.name);
        }
    }
    let curve = |(at, name): (usize, &&str)| {
        let (hue, shape) = (Hue::SERIES[at % Hue::SERIES.len()], Shape::SERIES[at % Shape::SERIES.len()]);
        let of_way = pause.methods.iter().filter(|method| method.name == **name);
        let mut points: Vec<(f64, f64)> = of_way.map(|method| (method.requested_ns as f64, method.mean_ns)).collect();
        points.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let published = published_at.map_or_else(Vec::new, |lengths| means(name, lengths));
        let marks = published.into_iter().map(|(x, at)| (x, Mark::Point { at, shape, is_hollow: true })).collect();
        Curve { name: code(name), hue, shape: Some(shape), points, marks, ..Curve::default() }
    };
    names.iter().enumerate().take(DRAWN).map(curve).collect()
}

/// The published means of Java's way of this name.
fn means(name: &str, lengths: &[f64]) -> Vec<(f64, f64)> {
    pause_means(name).filter(|(length, _)| lengths.contains(length)).collect()
}
