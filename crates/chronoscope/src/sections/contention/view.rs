use crate::document::Record;
use crate::sections::contention::plan::CONTENTION;
use crate::sections::contention::report::{ContentionReport, ContentionRow};
use chronoscope_harness::record::Estimate;

use crate::sections::clocks::library_clock::view as library_clock;
use crate::view::reason::not_tested;
use chronoscope_harness::quantity::{RATIO, confidence, count, ns, three_digits};
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{DIM, PLAIN};
use chronoscope_render::table::{Align, Table};

const NONE: &str = "–";

/// Throughput, scaling and staleness of causal times, by granularity and number of threads.
pub fn show(page: &mut Page, record: &Record) {
    page.section("CONTENTION: causal clocks on many threads");
    let Some(seen) = &record.contention.report else {
        page.paragraph(Line::plain("  "), DIM, &not_tested(record, &[CONTENTION]));
        return;
    };
    let mut table = Table::new(&[
        ("clock", Align::Left),
        ("threads", Align::Right),
        ("Mreads/s", Align::Right),
        ("interval", Align::Right),
        ("scaling", Align::Right),
        ("interval", Align::Right),
        ("stale p50", Align::Right),
        ("p99", Align::Right),
        ("max", Align::Right),
        ("SPARC T5", Align::Right),
        ("scaling", Align::Right),
    ])
    .named_by(2)
    .tied(&["interval", "scaling", "p99", "max"])
    .apart(&[("p99", "stale p99"), ("max", "stale max")]);
    let mut last = None;
    for row in &seen.rows {
        let is_first = last.replace(&row.clock) != Some(&row.clock);
        table.row(PLAIN, cells(row, is_first));
    }
    page.table(table);
    for note in notes(record, seen) {
        page.paragraph(Line::plain("  "), DIM, &note);
    }
}

/// The clock is named only in its first row.
fn cells(row: &ContentionRow, is_first: bool) -> [String; 11] {
    let none = || NONE.to_owned();
    let stale = row.staleness.as_ref();
    let published = row.published.as_ref();
    [
        if is_first { row.clock.to_string() } else { String::new() },
        count(u64::from(row.threads)),
        millions(row.reads_per_s.estimate),
        range(&row.reads_per_s, millions),
        row.scaling.map_or_else(none, |scaling| RATIO.value(scaling.estimate)),
        row.scaling
            .filter(|_| row.threads > 1)
            .map_or_else(none, |scaling| range(&scaling, |ratio| RATIO.value(ratio))),
        stale.map_or_else(none, |stale| ns(stale.p50_ns)),
        stale.map_or_else(none, |stale| ns(stale.p99_ns)),
        stale.map_or_else(none, |stale| ns(stale.maximum_ns)),
        published.map_or_else(none, |published| millions(published.reads_per_s)),
        published.map_or_else(none, |published| RATIO.value(published.scaling)),
    ]
}

fn millions(reads_per_s: f64) -> String {
    three_digits(reads_per_s / 1e6)
}

fn range(of: &Estimate, said: fn(f64) -> String) -> String {
    format!("{}–{}", said(of.low).trim_end_matches('×'), said(of.high))
}

fn notes(record: &Record, seen: &ContentionReport) -> Vec<String> {
    let lowest = seen.rows.iter().map(|row| row.reads_per_s.confidence).fold(f64::INFINITY, f64::min);
    let mut notes = vec![
        format!(
            "Mreads/s: millions of reads per second by all threads together, counted from outside; median of {} \
             rounds, each its own process, {} intervals; scaling: over one thread of the same clock in the same round",
            count(seen.rounds),
            confidence(lowest)
        ),
        "stale: the source, read right after a call, minus what the call returned, sampled in separate windows; it \
         includes about one read, as the rows of the bare source (Unordered) show"
            .to_owned(),
    ];
    if seen.is_ahead_of_source() {
        notes.push("negative stale: the value came from another core and was ahead of this core's read".to_owned());
    }
    let cpus = record.plan.cpus.len() as u64;
    if seen.is_oversubscribed(cpus) {
        let on = if cpus == 1 { "1 CPU".to_owned() } else { format!("{} CPUs", count(cpus)) };
        notes.push(format!("more threads than {on} take turns, so scaling ends there"));
    }
    if let Some(published) = seen.rows.iter().find_map(|row| row.published.as_ref()) {
        notes.push(format!(
            "SPARC T5: Mreads/s published for {} ({}): another machine; compare only the shape of the curve",
            published.machine, published.source
        ));
    }
    notes.extend(library_clock::said(record));
    notes
}
