use crate::document::Record;
use crate::plan::ascending;
use crate::probe::runtime::Runtime;
use crate::screen::published_pauses::published_figures;
use chronoscope_harness::estimators::pauses::{PauseFigures, Pauses};
use chronoscope_harness::quantity::{ns, percent};
use chronoscope_probes::RuntimeKind;
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{DIM, PLAIN, TITLE};
use chronoscope_render::table::{Align, Table};
use chronoscope_render::words::{counted, given};

/// Every method of pausing that each runtime has.
pub fn show(page: &mut Page, record: &Record) {
    page.section("RUNTIMES, PAUSES: requested, actual, and CPU share");
    let runtimes = record.content.runtimes().iter();
    let paused: Vec<(String, &Pauses)> =
        runtimes.filter_map(|runtime| Some((runtime.title(), runtime.pause.as_ref()?))).collect();
    if paused.is_empty() {
        page.paragraph(Line::plain("  "), DIM, "no runtime could be measured");
        return;
    }
    let mut lengths = ascending(paused.iter().flat_map(|(_, pause)| &pause.methods).map(|method| method.requested_ns));
    // At most the article's lengths; a record may contain anything.
    lengths.truncate(MOST_LENGTHS);
    table(page, "way", &paused, &lengths, cell);
    table(page, "accuracy", &paused, &lengths, accuracy);
    for (name, pause) in &paused {
        for missing in &pause.unavailable {
            let text = format!("{name} has no {}: {}", missing.name, given(Some(&missing.reason)));
            page.paragraph(Line::plain("  "), DIM, &text);
        }
    }
    let is_java = |runtime: &Runtime| runtime.kind == RuntimeKind::Java && runtime.pause.is_some();
    if !record.machine.is_emulated() && record.content.runtimes().iter().any(is_java) {
        published_figures(page, &lengths);
    }
    let text = "mean of the whole pause, call and return included (the article's measure), and its share of one CPU; accuracy: the \
                requested length in percent of that mean; medians with intervals and p99 are in the record";
    page.paragraph(Line::plain("  "), DIM, text);
}

const MOST_LENGTHS: usize = 8;

/// A table of every way of each runtime by length, with what `cell` says of each.
fn table(
    page: &mut Page,
    head: &str,
    paused: &[(String, &Pauses)],
    lengths: &[u64],
    cell: impl Fn(&PauseFigures) -> String,
) {
    let heads: Vec<String> = lengths.iter().map(|length| ns(*length as f64)).collect();
    let columns: Vec<(&str, Align)> =
        std::iter::once((head, Align::Left)).chain(heads.iter().map(|head| (head.as_str(), Align::Right))).collect();
    let mut table = Table::new(&columns);
    for (name, pause) in paused {
        table.title(TITLE, name, &counted(pause.rounds, "process", "processes"));
        for way in ways(pause) {
            let of = |length: &u64| {
                pause.methods.iter().find(|method| (&*method.name, method.requested_ns) == (way, *length))
            };
            let cells = lengths.iter().map(|length| of(length).map_or_else(|| "–".to_owned(), &cell));
            table.cells(PLAIN, std::iter::once(format!("  {way}")).chain(cells).collect());
        }
    }
    page.table(table);
}

/// The methods, in the order reported.
fn ways(pause: &Pauses) -> Vec<&str> {
    let mut ways: Vec<&str> = Vec::new();
    for method in &pause.methods {
        if !ways.contains(&method.name.as_str()) {
            ways.push(&method.name);
        }
    }
    ways
}

fn cell(method: &PauseFigures) -> String {
    format!("{}, {}", ns(method.mean_ns), percent(method.cpu_share * 100.0))
}

fn accuracy(method: &PauseFigures) -> String {
    method.accuracy_pct().map_or_else(|| "–".to_owned(), percent)
}
