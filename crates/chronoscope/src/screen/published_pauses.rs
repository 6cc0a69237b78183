//! Published lengths of pauses, under a table of those measured.

use chronoscope_harness::literature::pauses;
use chronoscope_harness::quantity::ns;
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{DIM, PLAIN};
use chronoscope_render::table::{Align, Table};

/// Published means at those of `lengths` that have them, in columns of their own.
pub fn published_figures(page: &mut Page, lengths: &[u64]) {
    // A float-to-int cast saturates.
    let at = |length: u64| pauses().filter(move |figure| figure.place_ns().map(|ns| ns as u64) == Some(length));
    let lengths: Vec<u64> = lengths.iter().copied().filter(|length| at(*length).next().is_some()).collect();
    let Some(first) = pauses().next().filter(|_| !lengths.is_empty()) else { return };
    let heads: Vec<String> = lengths.iter().map(|length| ns(*length as f64)).collect();
    let columns: Vec<(&str, Align)> = std::iter::once(("published means", Align::Left))
        .chain(heads.iter().map(|head| (head.as_str(), Align::Right)))
        .collect();
    let mut calls: Vec<&str> = pauses().map(|figure| figure.call).collect();
    calls.dedup();
    let mut table = Table::new(&columns);
    for call in calls {
        let of = |length: &u64| at(*length).find(|figure| figure.call == call);
        let cells = lengths.iter().map(|length| of(length).map_or_else(|| "–".to_owned(), |figure| figure.said()));
        table.cells(PLAIN, std::iter::once(call.to_owned()).chain(cells).collect());
    }
    page.table(table);
    page.paragraph(Line::plain("  "), DIM, &format!("published: {}", first.source()));
}
