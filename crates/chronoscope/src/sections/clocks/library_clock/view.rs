use crate::clock_id::ClockId;
use crate::document::Record;
use crate::judgement::words::names;
use crate::sections::clocks::library_clock::report::{LibraryClock, LibraryClockState};
use crate::sections::clocks::report::ClockReport;

use chronoscope_clock::{RateSource, Reason};
use chronoscope_harness::record::Known;
use serde::de::DeserializeOwned;

use chronoscope_harness::quantity::{TIME, count, hertz, ns};
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{DIM, PLAIN, WARNING};
use chronoscope_render::words::counted;

/// The library clock's report on itself, in a sentence; None where the record predates it.
pub fn said(record: &Record) -> Option<String> {
    let text = match record.content.clocks().library_clock.as_ref()? {
        Known::Value(clock) => sentence(clock),
        Known::Unavailable(reason) => format!("unknown: {reason}"),
    };
    let is_of_library = |clock: &&ClockReport| clock.name.known().is_some_and(|id| id.guarantee().is_some());
    let clocks: Vec<ClockId> =
        record.content.clocks().clocks.iter().filter(is_of_library).map(|clock| clock.name.clone()).collect();
    let clocks = if clocks.is_empty() { String::new() } else { format!(" ({})", names(&clocks)) };
    Some(format!("the library chronoscope-clock{clocks} converts the counter: {text}"))
}

fn sentence(clock: &LibraryClock) -> String {
    let mut text = match clock.state {
        LibraryClockState::Fallback => format!("fallback, reads {}", rate_source(clock)),
        state => format!(
            "{} by {}, {} of CLOCK_MONOTONIC",
            state.word(),
            rate_source(clock),
            TIME.off(clock.error_bound_ns as f64)
        ),
    };
    if let Some(hz) = clock.counter_hz {
        text.push_str(&format!(", {}", hertz(hz)));
    }
    for reason in &clock.reasons {
        text.push_str("; ");
        text.push_str(&clause(reason));
    }
    text
}

fn rate_source(clock: &LibraryClock) -> String {
    words(&clock.rate_source, |source: RateSource| source.to_string())
}

fn clause(reason: &str) -> String {
    words(reason, |reason: Reason| reason.clause().to_owned())
}

/// What the clock calls `name` in words; the name itself where this build does not know it.
fn words<T: DeserializeOwned>(name: &str, said: impl Fn(T) -> String) -> String {
    serde_json::from_value(name.into()).map_or_else(|_| name.to_owned(), said)
}

/// Its full report on itself.
pub fn show(page: &mut Page, record: &Record) {
    let Some(Known::Value(clock)) = &record.content.clocks().library_clock else { return };
    page.section("LIBRARY CLOCK");
    let style = if clock.state == LibraryClockState::Verified { PLAIN } else { WARNING };
    page.entry("state", style, clock.state.word());
    for reason in &clock.reasons {
        page.paragraph(Line::styled(DIM, "             "), PLAIN, &format!("{reason}: {}", clause(reason)));
    }
    page.entry("source", PLAIN, &source(clock));
    page.entry("error", PLAIN, &error(clock));
}

fn source(clock: &LibraryClock) -> String {
    match clock.counter_hz {
        Some(hz) => format!("{} at {}", rate_source(clock), hertz(hz)),
        None => rate_source(clock),
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
