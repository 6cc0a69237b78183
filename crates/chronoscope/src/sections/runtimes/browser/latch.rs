use chronoscope_harness::estimators::latch::{ReleaseRow, ThreadReleaseReport};
use chronoscope_harness::quantity::ns;
use chronoscope_harness::record::Estimate;
use chronoscope_render::axis::Scale;
use chronoscope_render::browser::{Chart, Entry, Figure, Hue, Mark, Row, Rows, Shape};
use chronoscope_render::page::Page;
use chronoscope_render::text::Mood;

use super::parts::{headed, measured};
use crate::document::Record;
use crate::probe::runtime::Runtime;
use crate::screen::browser::told::code;
use crate::sections::runtimes::view;

const SERIAL: Shape = Shape::Circle;
const TOGETHER: Shape = Shape::Square;
const INSIDE: Shape = Shape::Triangle;

/// Calls in one thread, and in many that are released together.
pub fn figure(record: &Record) -> Figure {
    let mut numbers = Page::default();
    view::latch::show(&mut numbers, record);
    let of_runtime = |(runtime, seen): (&Runtime, &ThreadReleaseReport)| {
        headed(&runtime.title(), seen.rows.iter().map(|of| row(runtime, of)).collect())
    };
    let entries: Vec<Entry> = released(record).flat_map(of_runtime).collect();
    let rows = Rows { entries, scale: Scale::Log, word: ns, axis_name: "time per call".to_owned(), reference: None };
    let key = |shape, words: &str| (Hue::Ink, Some((shape, false)), words.to_owned());
    Figure {
        id: "runtime-latch",
        short: "released threads",
        title: "One thread, and many released together".to_owned(),
        says: said(record).into_iter().map(|sentence| (Mood::Plain, sentence)).collect(),
        charts: vec![Chart::Rows(rows)],
        key: vec![
            key(SERIAL, "in one thread"),
            key(TOGETHER, "from the release until the last thread has called, per thread"),
            key(INSIDE, "median within a thread"),
        ],
        how: "Hollow: without an interval. A call of nothing shows what the release itself takes.".to_owned(),
        numbers,
    }
}

fn released(record: &Record) -> impl Iterator<Item = (&Runtime, &ThreadReleaseReport)> {
    measured(record).filter_map(|runtime| Some((runtime, runtime.latch.as_ref()?)))
}

/// What an empty call seems to take, and one of a clock.
fn said(record: &Record) -> Option<String> {
    released(record).find_map(|(runtime, seen)| {
        let nothing = seen.rows.iter().find(|row| row.is_control())?.concurrent_ns?;
        let (clock, took) =
            seen.rows.iter().filter(|row| !row.is_control()).find_map(|row| Some((row, row.concurrent_ns?)))?;
        Some(format!(
            "Of {} threads of {} that are released together, each takes {} to call {}, and {} to call nothing at all.",
            seen.threads,
            runtime.title(),
            ns(took.estimate),
            code(&clock.call),
            ns(nothing.estimate)
        ))
    })
}

fn row(runtime: &Runtime, of: &ReleaseRow) -> Row {
    let all = [(SERIAL, of.serial_ns), (TOGETHER, of.concurrent_ns), (INSIDE, of.inside_ns_p50)];
    let known: Vec<(Shape, Estimate)> = all.into_iter().filter_map(|(shape, found)| Some((shape, found?))).collect();
    let point = |(shape, found): &(Shape, Estimate)| {
        let interval = found.interval().map(|(from, to)| Mark::Interval { from, to });
        let point = Mark::Point { at: found.estimate, shape: *shape, is_hollow: !found.has_interval() };
        interval.into_iter().chain([point])
    };
    let value: Vec<String> = all[..2].iter().filter_map(|(_, found)| Some(ns((*found)?.estimate))).collect();
    Row {
        name: of.call.clone(),
        is_code: !of.is_control(),
        hue: if of.is_control() { Hue::Ink } else { Hue::Blue },
        marks: known.iter().flat_map(point).collect(),
        value: value.join(" · "),
        more: format!("{}, {}", runtime.title(), of.call),
        ..Row::default()
    }
}
