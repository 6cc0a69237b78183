//! How language runtimes see time.

pub mod clocks;
pub mod latch;
pub mod pause;
mod published;

use crate::document::Record;
use crate::probe::runtime::Runtime;
use crate::sections::runtimes::plan::RUNTIMES;

use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{DIM, PLAIN};
use chronoscope_render::words::given;

/// All requested results.
pub fn show(page: &mut Page, record: &Record) {
    let asked = record.content.sections.runtimes.plan.as_ref();
    if record.content.runtimes().is_empty() {
        page.section("RUNTIMES");
        page.paragraph(Line::plain("  "), DIM, &record.content.not_tested(&[RUNTIMES]));
        return;
    }
    if asked.is_none_or(|asked| asked.clocks) {
        clocks::show(page, record);
    }
    if asked.is_some_and(|asked| !asked.pause_lengths_ns.is_empty()) {
        pause::show(page, record);
    }
    if asked.is_some_and(|asked| asked.latch_threads.is_some()) {
        latch::show(page, record);
    }
    gaps(page, record);
}

/// What could not be measured, with reasons.
pub fn gaps(page: &mut Page, record: &Record) {
    absent(page, record);
    incomplete(page, record);
}

/// A short form, for a check that included it.
pub fn show_in_check(page: &mut Page, record: &Record) {
    if record.content.parts.iter().all(|report| report.part != RUNTIMES) {
        return;
    }
    page.section("RUNTIMES");
    if record.content.runtimes().is_empty() {
        page.paragraph(Line::plain("  "), DIM, &record.content.not_tested(&[RUNTIMES]));
        return;
    }
    if record.content.runtimes().iter().any(|runtime| runtime.available) {
        clocks::brief(page, record);
    }
    let is_measured = |kind| record.content.runtimes().iter().any(|runtime| runtime.available && runtime.kind == kind);
    let mut left_out: Vec<&str> = record
        .content
        .runtimes()
        .iter()
        .filter(|runtime| !is_measured(runtime.kind))
        .map(|runtime| runtime.kind.title())
        .collect();
    left_out.dedup();
    if !left_out.is_empty() {
        let text = format!(
            "not measured here: {}; chronoscope runtimes measures those that are installed",
            left_out.join(", ")
        );
        page.paragraph(Line::plain("  "), DIM, &text);
    }
}

/// Those that could not be measured, with reasons.
fn absent(page: &mut Page, record: &Record) {
    let missing: Vec<&Runtime> = record.content.runtimes().iter().filter(|runtime| !runtime.available).collect();
    if missing.is_empty() {
        return;
    }
    page.heading("not measured");
    for runtime in missing {
        let place = runtime.executable.as_deref().map_or_else(String::new, |place| format!(" ({place})"));
        let text = format!("{}{place}: {}", runtime.title(), given(runtime.reason_unavailable.as_deref()));
        page.paragraph(Line::plain("  "), DIM, &text);
    }
}

/// Requested measurements that the measured runtimes lack.
fn incomplete(page: &mut Page, record: &Record) {
    for runtime in record.content.runtimes().iter().filter(|runtime| runtime.available) {
        for reason in &runtime.reasons_incomplete {
            page.paragraph(Line::plain("! "), PLAIN, &format!("{}: {}", runtime.title(), given(Some(reason))));
        }
    }
}
