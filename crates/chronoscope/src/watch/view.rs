//! The lines of a watch, for people.

use std::time::Duration;

use chronoscope_harness::finding::Severity;
use chronoscope_harness::quantity::{count, length, ns, percent};
use chronoscope_render::Width;
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{CRITICAL, DIM, PLAIN, TITLE, WARNING};

use super::entry::{Event, Start, Summary};

/// `HH:MM:SS.mmm` of a time in RFC 3339.
const CLOCK: std::ops::Range<usize> = 11..23;

/// What is watched.
pub fn start(start: &Start, width: Width) -> String {
    let mut page = Page::with_width(width);
    let host = start.hostname.as_deref().unwrap_or("this machine");
    let minute = start.at.get(..16).unwrap_or(&start.at).replace('T', " ");
    let title = format!("{} {} · watch · {host} · {minute} UTC", start.tool.name, start.tool.version);
    page.paragraph(Line::new(), TITLE, &title);
    let until = start
        .for_ms
        .map_or_else(|| "until Ctrl-C".to_owned(), |ms| format!("for {}", length(Duration::from_millis(ms))));
    page.entry("looks", PLAIN, &format!("every {}, {until}", length(Duration::from_millis(start.every_ms))));
    let clocksource = start.clocksource.as_deref().unwrap_or("unknown");
    let sync = match start.is_synchronised {
        Some(true) => "the wall clock is synchronised",
        Some(false) => "the wall clock is not synchronised",
        None => "whether the wall clock is synchronised is unknown",
    };
    page.entry("now", PLAIN, &format!("clocksource {clocksource}; {sync}"));
    for missing in &start.unavailable {
        page.entry("unavailable", DIM, &format!("{}: {}", missing.id, missing.reason));
    }
    page.finish()
}

/// What happened; with advice, unless that was given before.
pub fn event(event: &Event, with_advice: bool, width: Width) -> String {
    let mut page = Page::with_width(width);
    let (style, sign) = match event.finding.severity {
        Severity::Notice => (PLAIN, "·"),
        Severity::Warning => (WARNING, "!"),
        Severity::Critical => (CRITICAL, "✘"),
    };
    let time = event.at.get(CLOCK).unwrap_or(&event.at);
    let lead = Line::styled(DIM, time).with(style, &format!(" {sign} "));
    page.paragraph(lead, style, &format!("{}: {}", event.finding.id, event.finding.evidence.summary));
    for advice in event.finding.advice.iter().filter(|_| with_advice) {
        page.paragraph(Line::styled(TITLE, &format!("{:width$}→ ", "", width = CLOCK.len() + 3)), PLAIN, advice);
    }
    page.finish()
}

/// What a watch saw, and what it used.
pub fn summary(summary: &Summary, width: Width) -> String {
    let mut page = Page::with_width(width);
    page.section("SUMMARY");
    let seen: Vec<String> = (summary.events.iter().filter(|(_, times)| **times > 0))
        .map(|(id, times)| format!("{id} {}", count(*times)))
        .collect();
    let seen = if seen.is_empty() { "none".to_owned() } else { seen.join(", ") };
    page.entry("events", PLAIN, &seen);
    let apart = summary.longest_between_looks_ns.map(|apart| format!(", at most {} apart", ns(apart as f64)));
    let watched = ns(summary.elapsed_ms as f64 * 1e6);
    page.entry("looks", PLAIN, &format!("{} in {watched}{}", count(summary.looks), apart.unwrap_or_default()));
    let (used, share) = (ns(summary.cpu_ms * 1e6), percent(summary.cpu_share * 100.0));
    page.entry("own CPU", PLAIN, &format!("{used} since the program started: {share} of a CPU"));
    if let Some(reason) = &summary.reason_log_ended {
        page.entry("log", WARNING, &format!("incomplete: {reason}"));
    }
    page.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::sample::tests::blank;
    use anstream::adapter::strip_str;
    use chronoscope_harness::finding::{Finding, Kind, Meaning, NO_ACTION};
    use chronoscope_harness::record::Tool;

    use crate::watch::entry::Unavailable;

    const ODD: Kind = Kind::warning("odd", Meaning { about: "something is odd", evidence: "none", mend: NO_ACTION });

    #[test]
    fn start_events_and_summary() {
        let at_start = Start {
            at: "2026-11-24T12:00:00.5Z".to_owned(),
            monotonic_ns: 0,
            tool: Tool { name: "chronoscope".to_owned(), version: "1".to_owned() },
            hostname: None,
            every_ms: 1_000,
            for_ms: None,
            clocksource: Some("tsc".to_owned()),
            is_synchronised: Some(false),
            unavailable: vec![Unavailable { id: "skew_grown", reason: "it takes two CPUs".to_owned() }],
        };
        let finding = Finding::new(ODD, "the clock\x1b[31m was set").advice("look for what sets it");
        let odd = Event::new(&blank(123_000_000), finding);
        let quiet = Summary { looks: 60, elapsed_ms: 60_000, cpu_ms: 12.3, cpu_share: 0.000_205, ..Summary::default() };
        let mut eventful = quiet.clone();
        eventful.events.insert("suspended", 2);
        eventful.reason_log_ended = Some("disk full".to_owned());
        let width = Width::default();
        // Advice is given once.
        let pages = [
            start(&at_start, width),
            event(&odd, true, width),
            event(&odd, false, width),
            summary(&quiet, width),
            summary(&eventful, width),
        ];
        crate::tests::golden_file::assert_golden("watch.txt", &strip_str(&pages.concat()).to_string());
    }
}
