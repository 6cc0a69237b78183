use crate::document::Record;

use chronoscope_harness::estimators::latch::{ReleaseRow, ThreadReleaseReport, published};
use chronoscope_harness::quantity::{TIME, ns};
use chronoscope_harness::record::Estimate;
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{DIM, PLAIN};
use chronoscope_render::table::{Align, Table};

const NONE: &str = "–";

/// Calls in one thread and in many released by one latch, runtime by runtime.
pub fn show(page: &mut Page, record: &Record) {
    let threads =
        record.content.sections.runtimes.plan.as_ref().and_then(|plan| plan.latch_threads).unwrap_or_default();
    page.section(&format!("RUNTIMES, THREAD RELEASE: calls by one thread and by {threads} released together"));
    let mut any = false;
    for runtime in &record.content.sections.runtimes.report {
        let Some(seen) = &runtime.latch else { continue };
        any = true;
        page.heading(&runtime.title());
        calls(page, seen, !record.machine.is_emulated());
    }
    if let Some(said) = record.content.runtimes().iter().filter_map(|runtime| runtime.latch.as_ref()).find_map(ratios) {
        page.paragraph(Line::plain("  "), DIM, said);
    }
    if !any {
        page.paragraph(Line::plain("  "), DIM, "no runtime could be measured");
    }
}

/// The table, without the notes on the run; on hardware, with the published figures.
fn calls(page: &mut Page, seen: &ThreadReleaseReport, of_hardware: bool) {
    let mut table =
        Table::new(&COLUMNS).tied(&["interval", "p99", "max"]).apart(&[("p99", "in thread p99"), ("max", "woken max")]);
    for row in &seen.rows {
        table.row(PLAIN, cells(row));
    }
    page.table(table);
    for of in seen.rows.iter().filter_map(|row| published(&row.call, seen.threads)).filter(|_| of_hardware) {
        let (call, serial, concurrent) = (of.serial.call, of.serial.said(), of.concurrent.said());
        let source = of.serial.article.cited();
        let text = format!("published: {call}: {serial} a call in one thread, {concurrent} per thread ({source})");
        page.paragraph(Line::plain("  "), DIM, &text);
    }
}

const COLUMNS: [(&str, Align); 9] = [
    ("call", Align::Left),
    ("serial", Align::Right),
    ("interval", Align::Right),
    ("concurrent", Align::Right),
    ("interval", Align::Right),
    ("in thread", Align::Right),
    ("p99", Align::Right),
    ("woken p50", Align::Right),
    ("max", Align::Right),
];
fn cells(row: &ReleaseRow) -> [String; 9] {
    let none = || NONE.to_owned();
    let median = |of: &Option<Estimate>| of.map_or_else(none, |of| ns(of.estimate));
    let interval = |of: &Option<Estimate>| of.as_ref().and_then(Estimate::interval);
    let range = |of: &Option<Estimate>| interval(of).map_or_else(none, |(low, high)| TIME.interval(low, high));
    [
        row.call.to_string(),
        median(&row.serial_ns),
        range(&row.serial_ns),
        median(&row.concurrent_ns),
        range(&row.concurrent_ns),
        median(&row.inside_ns_p50),
        median(&row.inside_ns_p99),
        median(&row.wake_ns_p50),
        row.wake_ns_max.map_or_else(none, ns),
    ]
}

/// Explains a ratio that is not the quotient of the two figures next to it.
fn ratios(seen: &ThreadReleaseReport) -> Option<&'static str> {
    seen.rows
        .iter()
        .any(|row| row.slowdown.is_some())
        .then_some("×: the median of the per-round ratios, not the ratio of the medians")
}
