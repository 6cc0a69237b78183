use crate::document::Record;

use crate::sections::thread_release::view::{calls, ratios};
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::DIM;

/// Calls in one thread and in many released by one latch, runtime by runtime.
pub fn show(page: &mut Page, record: &Record) {
    let threads = record.runtimes.plan.as_ref().and_then(|plan| plan.latch_threads).unwrap_or_default();
    page.section(&format!("RUNTIMES, THREAD RELEASE: calls by one thread and by {threads} released together"));
    let mut any = false;
    for runtime in &record.runtimes.report {
        let Some(seen) = &runtime.latch else { continue };
        any = true;
        page.heading(&runtime.title());
        calls(page, seen);
    }
    if let Some(said) = record.runtimes.iter().filter_map(|runtime| runtime.latch.as_ref()).find_map(ratios) {
        page.paragraph(Line::plain("  "), DIM, said);
    }
    if !any {
        page.paragraph(Line::plain("  "), DIM, "no runtime could be measured");
    }
}
