use crate::document::Record;
use crate::plan::ascending;
use crate::screen::published_pauses::published_figures;
use crate::sections::pauses::plan::PAUSES;
use crate::sections::pauses::report::PauseWay;
use chronoscope_harness::estimators::pauses::{PauseFigures, Pauses};

use chronoscope_harness::quantity::{confidence, count, ns, percent};
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{DIM, PLAIN};
use chronoscope_render::table::{Align, Table};
use chronoscope_render::words::given;

const NONE: &str = "–";
/// The table of every method and length.
pub fn show(page: &mut Page, record: &Record) {
    let load = record.content.pauses().is_some() && record.content.sections.pauses.plan.load;
    page.section(if load {
        "PAUSES: requested and actual length, next to a busy thread on the same CPU"
    } else {
        "PAUSES: requested and actual length"
    });
    let Some(seen) = record.content.pauses() else {
        page.paragraph(Line::plain("  "), DIM, &record.content.not_tested(&[PAUSES]));
        return;
    };
    let mut table = Table::new(&[
        ("requested", Align::Right),
        ("way", Align::Left),
        ("mean", Align::Right),
        ("late p50", Align::Right),
        ("p99", Align::Right),
        ("p99.9", Align::Right),
        ("most", Align::Right),
        ("of a CPU", Align::Right),
        ("early", Align::Right),
        ("inv. switches", Align::Right),
        ("pauses", Align::Right),
    ])
    .named_by(2)
    .apart(&[("p99", "late p99"), ("p99.9", "late p99.9"), ("most", "late at most")]);
    for (at, length_ns) in seen.lengths_ns().into_iter().enumerate() {
        if at > 0 {
            table.row(DIM, [const { String::new() }; 11]);
        }
        for (place, method) in of_length(seen, length_ns).enumerate() {
            table.row(PLAIN, cells(method, place == 0));
        }
    }
    page.table(table);
    for missing in &seen.unavailable {
        let reason = given(Some(&missing.reason));
        page.paragraph(Line::plain("  "), DIM, &format!("not tried: {}: {reason}", missing.name));
    }
    if !record.machine.is_emulated() {
        published_figures(page, &seen.lengths_ns());
    }
    page.paragraph(Line::plain("  "), DIM, &note(seen));
}

/// A short form of it, for a check that included it.
pub fn show_in_check(page: &mut Page, record: &Record) {
    if record.content.parts.iter().all(|report| report.part != PAUSES) {
        return;
    }
    page.section("PAUSES");
    let Some(seen) = record.content.pauses() else {
        page.paragraph(Line::plain("  "), DIM, &record.content.not_tested(&[PAUSES]));
        return;
    };
    let ways = ascending(seen.methods.iter().filter_map(|method| PauseWay::named(&method.name)));
    let lengths = seen.lengths_ns();
    let heads: Vec<String> =
        lengths.iter().map(|length| format!("{}: late p50 / p99, CPU", ns(*length as f64))).collect();
    let columns: Vec<(&str, Align)> = std::iter::once(("requested", Align::Left))
        .chain(heads.iter().map(|head| (head.as_str(), Align::Right)))
        .collect();
    let mut table = Table::new(&columns);
    for way in ways {
        let cell = |length: &u64| {
            let method = of_length(seen, *length).find(|method| method.name == way.name());
            method.map_or_else(
                || NONE.to_owned(),
                |method| {
                    let late = |ns_taken: f64| ns((ns_taken - method.requested_ns as f64).max(0.0));
                    let p99 = method.p99_ns().map_or_else(|| NONE.to_owned(), late);
                    format!("{} / {p99}, {}", late(method.p50_ns.estimate), share_of_cpu(method))
                },
            )
        };
        table.cells(PLAIN, std::iter::once(way.name().to_owned()).chain(lengths.iter().map(cell)).collect());
    }
    page.table(table);
}

/// Every method at this length.
fn of_length(seen: &Pauses, length_ns: u64) -> impl Iterator<Item = &PauseFigures> {
    seen.methods.iter().filter(move |method| method.requested_ns == length_ns)
}

/// No wait uses zero CPU: 0 means unknown.
fn share_of_cpu(method: &PauseFigures) -> String {
    method.cpu_ns().map_or_else(|| NONE.to_owned(), |_| percent(method.cpu_share * 100.0))
}

fn cells(method: &PauseFigures, first: bool) -> [String; 11] {
    let late = |taken_ns: f64| ns((taken_ns - method.requested_ns as f64).max(0.0));
    [
        if first { ns(method.requested_ns as f64) } else { String::new() },
        method.name.clone(),
        ns(method.mean_ns),
        late(method.p50_ns.estimate),
        method.p99_ns().map_or_else(|| NONE.to_owned(), late),
        method.p999_ns.map_or_else(|| NONE.to_owned(), late),
        ns(method.max_over_ns.max(0.0)),
        share_of_cpu(method),
        count(method.early),
        method.preempted.map_or_else(|| NONE.to_owned(), count),
        count(method.samples),
    ]
}

fn note(seen: &Pauses) -> String {
    let lowest = seen.methods.iter().map(|method| method.p50_ns.confidence).fold(f64::INFINITY, f64::min);
    format!(
        "late: beyond the requested length, call and return included; {} rounds, each its own process, interleaving \
         all ways and lengths; medians have {} intervals in the record; a Pauser learns for 30 ms first; inv. \
         switches: the kernel's count of involuntary switches, including yields to another thread",
        count(seen.rounds),
        confidence(lowest)
    )
}
