use chronoscope_record::{LibraryClock, LibraryClockState, Record};

use crate::line::Line;
use crate::page::Page;
use crate::palette::{DIM, PLAIN, WARNING};
use crate::quantity::{count, hertz, ns, three_digits};
use crate::section::counted;

/// What the library's clock says of itself, in a sentence; None where the record is older than it.
pub(crate) fn said(record: &Record) -> Option<String> {
    let text = match (&record.library_clock, &record.reason_library_clock_unknown) {
        (Some(clock), _) => sentence(clock),
        (None, Some(reason)) => format!("unknown: {reason}"),
        (None, None) => return None,
    };
    Some(format!("library clock: {text}"))
}

fn sentence(clock: &LibraryClock) -> String {
    let mut text = match clock.state {
        LibraryClockState::Fallback => format!("fallback, it reads {}", clock.rate_source_said),
        state => format!(
            "{} by {}, ± {} of CLOCK_MONOTONIC",
            state.word(),
            clock.rate_source_said,
            ns(clock.error_bound_ns as f64)
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

/// All that it says of itself.
pub(crate) fn show(page: &mut Page, record: &Record) {
    let Some(clock) = &record.library_clock else { return };
    page.section("LIBRARY CLOCK");
    let style = if clock.state == LibraryClockState::Verified { PLAIN } else { WARNING };
    page.entry("state", style, clock.state.word());
    for reason in &clock.reasons {
        page.paragraph(Line::styled(DIM, "             "), PLAIN, &format!("{}: {}", reason.name, reason.clause));
    }
    page.entry("rate", PLAIN, &rate(clock));
    page.entry("error", PLAIN, &error(clock));
}

fn rate(clock: &LibraryClock) -> String {
    let counter = clock.counter_hz.map_or_else(|| "no counter".to_owned(), hertz);
    let off = match clock.rate_error_ppb {
        0 => String::new(),
        ppb => format!(", at most {} ppm off", three_digits(ppb as f64 / 1e3)),
    };
    format!("{counter} by {}{off}", clock.rate_source_said)
}

fn error(clock: &LibraryClock) -> String {
    format!(
        "within {} of CLOCK_MONOTONIC · {}, one every {} · worst lag {} · {}",
        ns(clock.error_bound_ns as f64),
        counted(clock.looks, "look at it", "looks at it"),
        ns(clock.refresh_interval_ns as f64),
        ns(clock.worst_lag_ns as f64),
        match clock.jumps {
            0 => "no jumps".to_owned(),
            1 => "1 jump".to_owned(),
            jumps => format!("{} jumps", count(jumps)),
        }
    )
}
