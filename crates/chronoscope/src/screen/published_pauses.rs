//! Published lengths of pauses, under a table of those measured.

use chronoscope_harness::estimators::pauses::{PublishedPause, published};
use chronoscope_harness::quantity::ns;
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::DIM;

/// Published means for those of `lengths` that have them.
pub fn published_figures(page: &mut Page, lengths: &[u64]) {
    let of_lengths = |row: &PublishedPause| -> Vec<String> {
        let known = row.mean_ns.iter().filter(|(length, _)| lengths.contains(length));
        known.map(|(length, mean)| format!("{} took {}", ns(*length as f64), ns(*mean))).collect()
    };
    let mut source = None;
    for row in published() {
        let figures = of_lengths(&row);
        if !figures.is_empty() {
            source = Some(row.source);
            page.paragraph(Line::plain("  "), DIM, &format!("published: {}: {}", row.name, figures.join(", ")));
        }
    }
    if let Some(source) = source {
        page.paragraph(Line::plain("  "), DIM, &format!("means, from {source}"));
    }
}
