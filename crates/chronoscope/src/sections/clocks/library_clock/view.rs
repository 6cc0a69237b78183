use crate::document::Record;
use crate::sections::clocks::library_clock::report::{LibraryClock, LibraryClockState};

use chronoscope_harness::quantity::{TIME, count, hertz, ns};
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{DIM, PLAIN, WARNING};
use chronoscope_render::words::counted;

/// The library clock's report on itself, in a sentence; None where the record predates it.
pub fn said(record: &Record) -> Option<String> {
    let text = match (&record.clocks.library_clock, &record.clocks.reason_library_clock_unknown) {
        (Some(clock), _) => sentence(clock),
        (None, Some(reason)) => format!("unknown: {reason}"),
        (None, None) => return None,
    };
    Some(format!("library clock: {text}"))
}

fn sentence(clock: &LibraryClock) -> String {
    let mut text = match clock.state {
        LibraryClockState::Fallback => format!("fallback, reads {}", clock.rate_source_said),
        state => format!(
            "{} by {}, {} of CLOCK_MONOTONIC",
            state.word(),
            clock.rate_source_said,
            TIME.off(clock.error_bound_ns as f64)
        ),
    };
    if let Some(hz) = clock.counter_hz {
        text.push_str(&format!(", {}", hertz(hz)));
    }
    for reason in &clock.reasons {
        text.push_str("; ");
        text.push_str(&reason.clause);
    }
    text
}

/// Its full report on itself.
pub fn show(page: &mut Page, record: &Record) {
    let Some(clock) = &record.clocks.library_clock else { return };
    page.section("LIBRARY CLOCK");
    let style = if clock.state == LibraryClockState::Verified { PLAIN } else { WARNING };
    page.entry("state", style, clock.state.word());
    for reason in &clock.reasons {
        page.paragraph(Line::styled(DIM, "             "), PLAIN, &format!("{}: {}", reason.name, reason.clause));
    }
    page.entry("source", PLAIN, &source(clock));
    page.entry("error", PLAIN, &error(clock));
}

fn source(clock: &LibraryClock) -> String {
    match clock.counter_hz {
        Some(hz) => format!("{} at {}", clock.rate_source_said, hertz(hz)),
        None => clock.rate_source_said.clone(),
    }
}

fn error(clock: &LibraryClock) -> String {
    let bound = format!("within {} of CLOCK_MONOTONIC", TIME.off(clock.error_bound_ns as f64));
    let readings = counted(clock.checks, "reading", "readings");
    match (clock.checks, clock.checks_outside) {
        // A record from before readings were compared.
        (0, _) => bound,
        (_, 0) => format!("{bound} · all of {readings} fell between two of CLOCK_MONOTONIC"),
        (_, outside) => {
            let worst = ns(clock.worst_outside_ns as f64);
            format!("{bound} · {} of {readings} fell outside two of CLOCK_MONOTONIC, by up to {worst}", count(outside))
        }
    }
}
