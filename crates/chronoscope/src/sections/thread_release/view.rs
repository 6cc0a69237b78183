use crate::clock_id::ClockId;
use crate::document::Record;
use crate::sections::thread_release::plan::THREAD_RELEASE;
use crate::sections::thread_release::report::{ReleaseRow, ThreadReleaseReport};
use chronoscope_harness::record::Estimate;

use crate::sections::clocks::library_clock::view as library_clock;
use crate::view::reason::not_tested;
use chronoscope_harness::quantity::{TIME, confidence, count, ns};
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{DIM, PLAIN};
use chronoscope_render::table::{Align, Table};
use chronoscope_render::words::{counted, given};

const NONE: &str = "–";

/// Calls in one thread, and by many threads released together.
pub fn show(page: &mut Page, record: &Record) {
    page.section("THREAD RELEASE: calls by one thread, and by many threads released together");
    let Some(seen) = &record.thread_release.report else {
        page.paragraph(Line::plain("  "), DIM, &not_tested(record, &[THREAD_RELEASE]));
        return;
    };
    let mut table = table(seen, &COLUMNS);
    for (clock, reason) in missing(record, seen) {
        table.remark(DIM, clock, &format!("not read: {reason}"));
    }
    page.table(table);
    for note in notes(record, seen) {
        page.paragraph(Line::plain("  "), DIM, &note);
    }
}

/// The table and the published figures, without the notes on the run.
pub fn calls(page: &mut Page, seen: &ThreadReleaseReport) {
    page.table(table(seen, &COLUMNS[..COLUMNS.len() - PUBLISHED_COLUMNS]));
    let published = seen.rows.iter().filter_map(|row| row.published.as_ref());
    for of in published {
        let (serial, concurrent) = (ns(of.serial_ns), ns(of.concurrent_ns));
        let text =
            format!("published: {}: {serial} a call in one thread, {concurrent} per thread ({})", of.call, of.source);
        page.paragraph(Line::plain("  "), DIM, &text);
    }
}

const COLUMNS: [(&str, Align); 11] = [
    ("call", Align::Left),
    ("serial", Align::Right),
    ("interval", Align::Right),
    ("concurrent", Align::Right),
    ("interval", Align::Right),
    ("in thread", Align::Right),
    ("p99", Align::Right),
    ("woken p50", Align::Right),
    ("max", Align::Right),
    ("JVM serial", Align::Right),
    ("conc.", Align::Right),
];
/// This many columns at the end are published figures.
const PUBLISHED_COLUMNS: usize = 2;

fn table(seen: &ThreadReleaseReport, columns: &[(&str, Align)]) -> Table {
    let mut table = Table::new(columns).tied(&["interval", "p99", "max", "conc."]).apart(&[
        ("p99", "in thread p99"),
        ("max", "woken max"),
        ("conc.", "JVM conc."),
    ]);
    for row in &seen.rows {
        table.cells(PLAIN, cells(row).into_iter().take(columns.len()).collect());
    }
    table
}

fn cells(row: &ReleaseRow) -> [String; 11] {
    let none = || NONE.to_owned();
    let median = |of: &Option<Estimate>| of.map_or_else(none, |of| ns(of.estimate));
    let range = |of: &Option<Estimate>| of.map_or_else(none, |of| TIME.interval(of.low, of.high));
    let published = row.published.as_ref();
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
        published.map_or_else(none, |published| ns(published.serial_ns)),
        published.map_or_else(none, |published| ns(published.concurrent_ns)),
    ]
}

/// Clocks that were planned but not read, with reasons.
fn missing<'r>(record: &'r Record, seen: &'r ThreadReleaseReport) -> impl Iterator<Item = (&'r str, String)> {
    let unread = |id: &&ClockId| seen.rows.iter().all(|row| row.call != **id);
    record.thread_release.plan.clocks.iter().filter(unread).map(|id| {
        let clock = record.clocks.iter().find(|clock| clock.name == *id);
        (id.name(), given(clock.and_then(|clock| clock.reason_unavailable.as_deref())))
    })
}

/// Explains a ratio that is not the quotient of the two figures next to it.
pub fn ratios(seen: &ThreadReleaseReport) -> Option<&'static str> {
    seen.rows
        .iter()
        .any(|row| row.slowdown.is_some())
        .then_some("×: the median of the per-round ratios, not the ratio of the medians")
}

fn notes(record: &Record, seen: &ThreadReleaseReport) -> Vec<String> {
    let shown = seen.rows.iter().flat_map(|row| [row.serial_ns, row.concurrent_ns]).flatten();
    let lowest = shown.map(|of| of.confidence).fold(f64::INFINITY, f64::min);
    let threads = counted(u64::from(seen.threads), "thread", "threads");
    let mut notes = vec![
        format!(
            "concurrent: new threads wait at one latch (a mutex with a condition variable), are released together and \
             call once each; time from the release to the end of the last call, divided by {threads}; serial: per \
             call of many in one thread; both timed from outside, median of {} rounds, each its own process, {} \
             intervals",
            count(seen.rounds),
            confidence(lowest)
        ),
        "in thread: one call between two stamps in its own thread, in separate releases; the row `nothing` shows the \
         cost of the stamps, which the table does not subtract; woken: from the release to the thread's first stamp"
            .to_owned(),
    ];
    notes.extend(ratios(seen).map(str::to_owned));
    let on = counted(record.plan.cpus.len() as u64, "CPU", "CPUs");
    notes.push(match &seen.thread_start_ns {
        Some(start) => format!(
            "starting a thread takes {} ({}), included in none of these figures; {threads} on {on}",
            ns(start.estimate),
            TIME.interval(start.low, start.high)
        ),
        None => format!("no release: {}", record.reason_missing(&[THREAD_RELEASE])),
    });
    if let Some(published) = seen.rows.iter().find_map(|row| row.published.as_ref()) {
        let calls: Vec<String> = seen
            .rows
            .iter()
            .filter_map(|row| Some(format!("{} next to {}", row.published.as_ref()?.call, row.call)))
            .collect();
        notes.push(format!(
            "JVM: published for {threads} on {} ({}): {}",
            published.machine,
            published.source,
            calls.join(", ")
        ));
    }
    notes.extend(library_clock::said(record));
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_says_that_it_is_no_quotient() {
        let seen = |rows| ThreadReleaseReport {
            threads: 3,
            rounds: 11,
            releases: 11,
            thread_start_ns: None,
            rows,
            stamp_step_ns: None,
            control_share_pct_least: 80.0,
            disturbance: chronoscope_harness::record::Disturbance::default(),
        };
        let mut clock = ReleaseRow {
            call: "ordered".into(),
            is_control: false,
            serial_ns: None,
            concurrent_ns: None,
            slowdown: Some(Estimate { estimate: 1.0, low: 0.9, high: 1.1, confidence: 0.999 }),
            control_share: None,
            verdict: None,
            inside_ns_p50: None,
            inside_ns_p99: None,
            wake_ns_p50: None,
            wake_ns_max: None,
            published: None,
        };
        assert!(ratios(&seen(vec![clock.clone()])).unwrap().contains("not the ratio of the medians"));
        clock.slowdown = None;
        assert_eq!(ratios(&seen(vec![clock])), None);
    }
}
