use chronoscope_clock::{Guarantee, SourceId};

use crate::document::Record;
use crate::sections::contention::plan::CONTENTION;
use crate::sections::contention::report::{Monotime, MonotimeKnee, MonotimeRow};
use chronoscope_harness::record::Spread;

use crate::sections::clocks::library_clock::view as library_clock;
use crate::view::reason::not_tested;
use chronoscope_harness::quantity::{confidence, count, limit, ns, three_digits};
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{DIM, PLAIN, TITLE};
use chronoscope_render::table::{Align, Table};

const NONE: &str = "–";
const BARE: SourceId = SourceId::Clock(Guarantee::Unordered);
const ADAPTIVE: SourceId = SourceId::Clock(Guarantee::Adaptive);
/// A source that nobody writes scales with its threads; one that does by less than this share had no CPU to do so.
const SCALES_FREELY: f64 = 0.8;

/// Throughput, scaling and staleness of causal times, by granularity and number of threads.
pub fn show(page: &mut Page, record: &Record) {
    page.section("MONOTIME: causal times for many threads");
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
    if let Some(knee) = &seen.knee {
        page.paragraph(Line::styled(TITLE, "→ "), PLAIN, &knee_said(seen, knee));
    }
    for note in notes(record, seen) {
        page.paragraph(Line::plain("  "), DIM, &note);
    }
}

/// The clock is named in its first row alone.
fn cells(row: &MonotimeRow, is_first: bool) -> [String; 11] {
    let none = || NONE.to_owned();
    let stale = row.staleness.as_ref();
    let published = row.published.as_ref();
    [
        if is_first { row.clock.to_string() } else { String::new() },
        count(u64::from(row.threads)),
        millions(row.reads_per_s.median),
        range(&row.reads_per_s, millions),
        row.scaling.map_or_else(none, |scaling| times(scaling.median)),
        row.scaling.filter(|_| row.threads > 1).map_or_else(none, |scaling| range(&scaling, times)),
        stale.map_or_else(none, |stale| ns(stale.p50_ns)),
        stale.map_or_else(none, |stale| ns(stale.p99_ns)),
        stale.map_or_else(none, |stale| ns(stale.maximum_ns)),
        published.map_or_else(none, |published| millions(published.reads_per_s)),
        published.map_or_else(none, |published| times(published.scaling)),
    ]
}

fn millions(reads_per_s: f64) -> String {
    three_digits(reads_per_s / 1e6)
}

fn times(scaling: f64) -> String {
    format!("{}×", three_digits(scaling))
}

fn range(spread: &Spread, said: fn(f64) -> String) -> String {
    format!("{}–{}", said(spread.low).trim_end_matches('×'), said(spread.high))
}

/// What the rows at the knee's number of threads say of scaling, clock by clock, as the intervals in the table allow.
#[derive(Debug)]
struct Scaling<'a> {
    granular: Vec<(u64, &'a MonotimeRow, Option<bool>)>,
    adaptive: Option<(&'a MonotimeRow, Option<bool>)>,
}

impl<'a> Scaling<'a> {
    fn of(seen: &'a Monotime, knee: &MonotimeKnee) -> Self {
        let rows = || seen.rows.iter().filter(|row| row.threads == knee.threads);
        let bare = rows().find(|row| row.clock == BARE).and_then(|row| row.scaling);
        let scales = |row: &MonotimeRow| row.scales_like(&bare?, knee.tolerance_pct);
        Self {
            granular: rows().filter_map(|row| Some((row.granularity_ns?, row, scales(row)))).collect(),
            adaptive: rows().find(|row| row.clock == ADAPTIVE).map(|row| (row, scales(row))),
        }
    }

    /// `100 ns (1.28×), 1 000 ns (1.26×)`.
    fn named(&self, belongs: impl Fn(u64, Option<bool>) -> bool) -> Option<String> {
        let chosen = self.granular.iter().filter(|(ns, _, scales)| belongs(*ns, *scales));
        let names: Vec<String> = chosen.map(|(ns, row, _)| format!("{} ({})", whole_ns(*ns), of_row(row))).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }
}

fn of_row(row: &MonotimeRow) -> String {
    row.scaling.map_or_else(|| NONE.to_owned(), |scaling| times(scaling.median))
}

fn knee_said(seen: &Monotime, knee: &MonotimeKnee) -> String {
    let scaling = Scaling::of(seen, knee);
    let worst = scaling.granular.iter().filter(|(.., scales)| *scales == Some(false)).map(|(ns, ..)| *ns).max();
    let good = scaling.granular.iter().filter(|(ns, _, scales)| *scales == Some(true) && Some(*ns) > worst);
    let good = good.map(|(ns, ..)| *ns).min();
    let (threads, bare) = (count(u64::from(knee.threads)), times(knee.bare_scaling));
    let like = format!("within {} of the bare source ({bare})", limit(knee.tolerance_pct));
    let mut said = match good.and_then(|good| scaling.named(|ns, _| ns == good)) {
        Some(good) => format!("at {threads} threads a fixed granularity of {good} scales {like}"),
        None if scaling.granular.is_empty() => format!("at {threads} threads no fixed granularity was tried"),
        None => format!("at {threads} threads no fixed granularity tried is known to scale {like}"),
    };
    for (verb, names) in [
        ("known to scale worse", scaling.named(|_, scales| scales == Some(false))),
        ("inconclusive", scaling.named(|ns, scales| scales.is_none() && good.is_none_or(|good| ns < good))),
    ] {
        said.extend(names.map(|names| format!("; {verb}: {names}")));
    }
    if let Some((row, scales)) = scaling.adaptive {
        let near = limit(knee.tolerance_pct);
        let word = match scales {
            Some(true) => format!("scales within {near}"),
            Some(false) => format!("does not scale within {near}"),
            None => "is inconclusive".to_owned(),
        };
        said.push_str(&format!("; the adaptive clock {word} ({})", of_row(row)));
    }
    if knee.bare_scaling < SCALES_FREELY * f64::from(knee.threads) {
        said.push_str("; a bare source that scales no better is a sign of CPUs that were not free");
    }
    said
}

fn whole_ns(value: u64) -> String {
    if value < 10_000 { format!("{} ns", count(value)) } else { ns(value as f64) }
}

fn notes(record: &Record, seen: &Monotime) -> Vec<String> {
    let lowest = seen.rows.iter().map(|row| row.reads_per_s.confidence).fold(f64::INFINITY, f64::min);
    let mut notes = vec![
        format!(
            "Mreads/s: millions of reads per second of all threads together, counted from outside; median of {} rounds, \
             each a process of its own, intervals with confidence {}; scaling: over one thread of the same clock in the \
             same round",
            count(seen.rounds),
            confidence(lowest)
        ),
        "stale: the source, read right after a call, less what the call returned, sampled in windows of their own; it \
         holds the time of about one read, as the rows of the bare source (Unordered) show"
            .to_owned(),
    ];
    if seen.rows.iter().filter_map(|row| row.staleness).any(|stale| stale.p50_ns < 0.0 || stale.p99_ns < 0.0) {
        notes.push("stale below 0: the value came from another core and was ahead of this core's read".to_owned());
    }
    let cpus = record.plan.cpus.len() as u64;
    if seen.rows.iter().any(|row| u64::from(row.threads) > cpus) {
        let on = if cpus == 1 { "1 CPU".to_owned() } else { format!("{} CPUs", count(cpus)) };
        notes.push(format!("more threads than {on} share them and take turns: their scaling ends there"));
    }
    if let Some(published) = seen.rows.iter().find_map(|row| row.published.as_ref()) {
        notes.push(format!(
            "SPARC T5: Mreads/s published for {} ({}): another machine, for the shape of the curve alone",
            published.machine, published.source
        ));
    }
    notes.extend(library_clock::said(record));
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        crate::json::document(include_str!("../../../tests/fixtures/record.json")).unwrap()
    }

    /// What is said when the clock scales so at two threads, the others as in the fixture: the bare source 1.99×, 0 ns 0.404×
    /// and 1 000 ns 1.96×.
    fn said(change: impl Fn(&mut Monotime)) -> String {
        let mut seen = record().contention.report.clone().unwrap();
        change(&mut seen);
        knee_said(&seen, &seen.knee.unwrap())
    }

    fn scaling(seen: &mut Monotime, clock: &str, median: f64, half: f64) {
        let row = seen.rows.iter_mut().find(|row| row.clock == clock && row.threads == 2).unwrap();
        row.scaling = Some(Spread { median, low: median - half, high: median + half, confidence: 0.999 });
    }

    fn with_adaptive(seen: &mut Monotime, median: f64) {
        let row = seen.rows.iter().find(|row| row.clock == BARE && row.threads == 2).unwrap().clone();
        seen.rows.push(MonotimeRow { clock: "adaptive 100–2000 ns".into(), ..row });
        scaling(seen, "adaptive 100–2000 ns", median, 0.02);
    }

    #[test]
    fn the_sentence_follows_the_intervals_of_the_table() {
        assert_eq!(
            said(|_| ()),
            "at 2 threads a fixed granularity of 1\u{202f}000 ns (1.96×) scales within 10 % of the bare source (1.99×); known \
             to scale worse: 0 ns (0.404×)"
        );
        let doubtful = said(|seen| scaling(seen, "granular 1000 ns", 1.85, 0.2));
        assert_eq!(
            doubtful,
            "at 2 threads no fixed granularity tried is known to scale within 10 % of the bare source (1.99×); known to scale \
             worse: 0 ns (0.404×); inconclusive: 1\u{202f}000 ns (1.85×)"
        );
        let none = said(|seen| scaling(seen, "granular 1000 ns", 1.1, 0.1));
        assert!(none.ends_with("known to scale worse: 0 ns (0.404×), 1\u{202f}000 ns (1.10×)"), "{none}");
    }

    #[test]
    fn an_adaptive_clock_that_scales_is_not_passed_over() {
        let found = said(|seen| {
            scaling(seen, "granular 1000 ns", 1.1, 0.1);
            with_adaptive(seen, 1.93);
        });
        assert!(
            found.contains("no fixed granularity tried")
                && found.ends_with("; the adaptive clock scales within 10 % (1.93×)"),
            "{found}"
        );
        assert!(
            said(|seen| with_adaptive(seen, 1.2)).ends_with("; the adaptive clock does not scale within 10 % (1.20×)")
        );
        assert!(said(|seen| with_adaptive(seen, 1.82)).ends_with("; the adaptive clock is inconclusive (1.82×)"));
    }
}
