use crate::document::Record;
use crate::sections::pace::report::{Pace, PaceTimes};
use chronoscope_harness::record::Histogram;

use super::rules::RATE_MISSED;
use super::words::{rate, signed};
use chronoscope_harness::finding::Severity;
use chronoscope_harness::quantity::{count, ns, percent, three_digits};
use chronoscope_render::Width;
use chronoscope_render::bars::{SCALE, bars};
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{DIM, PLAIN, TITLE, WARNING};
use chronoscope_render::table::{Align, Table};
use chronoscope_render::title;

/// Rows of the histogram: one for each octave that there can be, since bars of bins that were put together would be longer than
/// those of others.
const ROWS: usize = 65;

/// Renders a run of a pacer as text with ANSI styles, for a terminal of this width.
///
/// # Guarantees
/// Those of [`terminal_at`](crate::terminal_at).
pub fn pace_at(run: &Record, pace: &Pace, width: Width) -> String {
    let mut page = Page::with_width(width);
    let tool = format!("{} {} · pace", run.tool.name, run.tool.version);
    title::head(
        &mut page,
        &tool,
        &title::circumstances(&run.machine, &run.started_at, run.elapsed_ms),
        run.interrupted,
    );
    let findings = &run.findings;
    let is_missed = findings.iter().any(|finding| finding.is(RATE_MISSED));
    page.section("PACE");
    for (name, said) in entries(pace, is_missed) {
        page.entry(name, PLAIN, &said);
    }
    let (warnings, notices): (Vec<_>, Vec<_>) =
        findings.iter().partition(|finding| finding.severity >= Severity::Warning);
    for finding in warnings {
        page.paragraph(Line::styled(WARNING, "! "), WARNING, &finding.evidence.summary);
    }
    if pace.events > 0 {
        times(&mut page, pace);
        if pace.command.is_some() {
            page.paragraph(Line::plain("  "), DIM, &hand_over(pace));
        }
        lateness(&mut page, &pace.lateness_ns);
        for finding in notices {
            page.paragraph(Line::styled(TITLE, "→ "), PLAIN, &finding.evidence.summary);
        }
    }
    page.finish()
}

fn entries(pace: &Pace, is_missed: bool) -> Vec<(&'static str, String)> {
    let mut said = vec![(
        "asked for",
        format!(
            "{}{} for {}{}",
            rate(pace.rate_per_s),
            if pace.poisson { " at random times" } else { "" },
            ns(pace.for_ms as f64 * 1e6),
            pace.command.as_ref().map(|command| format!(", each to `{command}`")).unwrap_or_default()
        ),
    )];
    let name = if is_missed { "reached" } else { "kept" };
    said.push((name, format!("{} events, {}", count(pace.events), reached(pace, is_missed))));
    let slipped = if pace.slipped_ms > 0.0 {
        format!(", the schedule moved by {}", ns(pace.slipped_ms * 1e6))
    } else {
        String::new()
    };
    let policy = match pace.behind.as_str() {
        "catch_up" => "late ones come at once".to_owned(),
        "catch_up_within" => format!(
            "late ones come at once, unless more than {} late",
            pace.most_late_ms.map_or_else(|| "a limit".to_owned(), |ms| ns(ms * 1e6))
        ),
        "skip" => "late ones are left out".to_owned(),
        _ => "the schedule moves".to_owned(),
    };
    said.push(("when behind", format!("{policy}: {} left out{slipped}", count(pace.missed))));
    if let Some(lines) = pace.unread_lines {
        said.push(("consumer", unread(pace, lines)));
    }
    if let Some(share) = pace.cpu_share {
        let how = if pace.real_time { ", under the real-time policy" } else { "" };
        said.push(("CPU", format!("{} of one{how}", percent(share * 100.0))));
    }
    if let Some(reason) = &pace.reason_no_real_time {
        said.push(("real time", format!("not here: {reason}")));
    }
    said
}

/// The rate that came of it, and how far that is from what was asked for: never finer than the clock's own error.
fn reached(pace: &Pace, is_missed: bool) -> String {
    let Some(achieved) = pace.achieved_per_s else { return "no rate, of fewer than two events".to_owned() };
    let achieved = rate(achieved);
    match (pace.rate_error_ppm, pace.rate_error_bound_ppm) {
        (None, _) => achieved,
        (Some(_), _) if is_missed => achieved,
        (Some(ppm), None) => format!("{achieved}: {} ppm, the clock's own error is not in the record", signed(ppm)),
        (Some(ppm), Some(bound)) if ppm.abs() <= bound => {
            format!("{achieved}: within ± {} ppm by the clock", three_digits(ppm.abs() + bound))
        }
        (Some(ppm), Some(bound)) => {
            let digits = (-bound.max(1e-6).log10().floor()).clamp(0.0, 6.0) as usize;
            let sign = if ppm < 0.0 { '−' } else { '+' };
            format!("{achieved}: {sign}{:.digits$} ppm, clock error ± {bound:.digits$} ppm", ppm.abs())
        }
    }
}

fn times(page: &mut Page, pace: &Pace) {
    let mut table = Table::new(&[
        ("", Align::Left),
        ("mean", Align::Right),
        ("p50", Align::Right),
        ("p90", Align::Right),
        ("p99", Align::Right),
        ("p99.9", Align::Right),
        ("most", Align::Right),
        ("", Align::Left),
    ]);
    let late = ("lateness", &pace.lateness_ns, "from the intended to the actual start");
    let rows = match pace.command {
        None => [
            late,
            ("response", &pace.response_ns, "from the intended start to the end"),
            ("service", &pace.service_ns, "from the actual start to the end"),
        ],
        Some(_) => [
            late,
            ("in the pipe", &pace.response_ns, "intended start to line in the pipe"),
            ("hand-over", &pace.service_ns, "actual start to line in the pipe"),
        ],
    };
    for (name, times, what) in rows {
        let figures = [times.p50, times.p90, times.p99, times.p999, times.max].map(|value| ns(value as f64));
        let [p50, p90, p99, p999, most] = figures;
        table.row(PLAIN, [name.to_owned(), ns(times.mean), p50, p90, p99, p999, most, what.to_owned()]);
    }
    page.table(table);
}

fn lateness(page: &mut Page, times: &PaceTimes) {
    page.section("LATENESS");
    page.lines(bars(&Histogram { bins: times.histogram.clone() }, ROWS, page.width()));
    page.paragraph(Line::new(), DIM, SCALE);
}

/// What the figures of events that a program gets do not hold.
fn hand_over(pace: &Pace) -> String {
    let room = pace.pipe_bytes.map_or_else(String::new, |bytes| format!(", here {}", bytes_of(bytes)));
    format!(
        "what the consumer takes for an event is in no figure: the pipe takes lines, read or not, until it is full{room}; each \
         line holds the event's intended start, from which the consumer itself can time it"
    )
}

fn bytes_of(bytes: u64) -> String {
    match (bytes / 1_024, bytes % 1_024) {
        (kib @ 1.., 0) => format!("{kib} KiB"),
        _ => format!("{} bytes", count(bytes)),
    }
}

/// How far the consumer was behind when the last line was handed over.
fn unread(pace: &Pace, lines: u64) -> String {
    if lines == 0 {
        return "no line unread when the last was handed over".to_owned();
    }
    let of = count(pace.events);
    let behind = match pace.lines_taken_per_s {
        Some(taken) if taken > 0.0 => {
            format!("; the consumer took {}: about {} behind", lines_per_second(taken), ns(lines as f64 / taken * 1e9))
        }
        Some(_) => "; the consumer took none".to_owned(),
        None => String::new(),
    };
    format!("{} of {of} lines unread when the last was handed over{behind}", count(lines))
}

fn lines_per_second(taken: f64) -> String {
    format!("{} lines per second", three_digits(taken))
}

#[cfg(test)]
mod tests {
    use super::super::rules::{RULES, missed_rate};
    use super::*;
    use chronoscope_harness::rule::conclude;

    struct Run {
        record: Record,
        pace: Pace,
    }

    fn pace(run: &Run) -> String {
        let mut record = run.record.clone();
        record.findings = conclude(RULES, &run.pace);
        pace_at(&record, &run.pace, Width::default())
    }

    fn run() -> Run {
        let record = crate::json::document(include_str!("../../../tests/fixtures/pace.json")).unwrap();
        Run { pace: record.pace.clone().unwrap(), record }
    }

    #[test]
    fn omission_is_said_where_it_would_have_happened() {
        let text = pace(&run());
        assert!(text.contains("coordinated omission") && text.contains("LATENESS"), "{text}");
        let mut quiet = run();
        quiet.pace.response_ns = quiet.pace.service_ns.clone();
        assert!(!pace(&quiet).contains("coordinated omission"));
    }

    /// As the fixture, with each line to a program.
    fn piped() -> Run {
        let mut run = run();
        run.pace.command = Some("consumer --slow".to_owned());
        run.pace.stall_ms = None;
        run.pace.handover_ns = Some(run.pace.service_ns.clone());
        run.pace.pipe_bytes = Some(65_536);
        run.pace.unread_lines = Some(1_500);
        (run.pace.events, run.pace.rate_per_s) = (3_000, 1_000.0);
        run
    }

    #[test]
    fn a_hand_over_is_not_called_a_response() {
        let text = pace(&piped());
        assert!(text.contains("hand-over") && !text.contains("response") && !text.contains("users saw"), "{text}");
        assert!(hand_over(&piped().pace).contains("until it is full, here 64 KiB;"), "{text}");
        assert!(!pace(&run()).contains("hand-over"));
    }

    #[test]
    fn lines_that_nobody_read_are_told() {
        let text = pace(&piped());
        assert!(text.contains("1\u{202f}500 of 3\u{202f}000 lines unread"), "{text}");
        assert!(!unread(&piped().pace, 1_500).contains(" behind"), "no rate of its own, no time");
        let mut quick = piped();
        quick.pace.unread_lines = Some(0);
        assert!(pace(&quick).contains("no line unread"));
        quick.pace.unread_lines = None;
        assert!(!pace(&quick).contains("unread"), "not known, not told");
    }

    /// At the consumer's own rate, not at that which was asked for and which it did not keep up with.
    #[test]
    fn a_consumer_is_behind_by_its_own_rate() {
        let mut slow = piped().pace;
        (slow.events, slow.unread_lines, slow.lines_taken_per_s) = (3_000, Some(1_973), Some(284.0));
        let said = unread(&slow, 1_973);
        assert!(said.ends_with("; the consumer took 284 lines per second: about 6.95 s behind"), "{said}");
        slow.lines_taken_per_s = Some(0.0);
        assert!(unread(&slow, 1_973).ends_with("; the consumer took none"));
    }

    #[test]
    fn a_rate_has_no_more_digits_than_its_clock() {
        let of = |achieved: f64, ppm: f64, bound| {
            let mut pace = run().pace;
            (pace.rate_per_s, pace.achieved_per_s) = (1_000.0, Some(achieved));
            (pace.rate_error_ppm, pace.rate_error_bound_ppm) = (Some(ppm), bound);
            let missed = missed_rate(&pace).map(|finding| finding.evidence.summary);
            (reached(&pace, missed.is_some()), missed)
        };
        assert_eq!(
            of(1_000.0, -0.001, Some(0.04)),
            ("1\u{202f}000 per second: within ± 0.0410 ppm by the clock".to_owned(), None)
        );
        assert_eq!(of(999.9, -100.234, Some(0.08)).0, "1\u{202f}000 per second: −100.23 ppm, clock error ± 0.08 ppm");
        assert!(of(1_000.0, -0.001, None).0.contains("error is not in the record"));
        let (reached, missed) = of(827.5, -172_461.659, Some(0.05));
        assert!(!reached.contains("ppm"), "{reached}");
        assert_eq!(missed.unwrap(), "the rate was missed: 828 per second of 1\u{202f}000 asked for (−17.2 %)");
    }

    /// A bar of two octaves would be longer than that of the octave in which most fell.
    #[test]
    fn octaves_are_not_put_together() {
        let octave = |e: i32| chronoscope_harness::record::Bin {
            from_ns: if e == 0 { 0.0 } else { 2_f64.powi(e - 1) },
            to_ns: 2_f64.powi(e),
            count: 5,
        };
        let all = Histogram { bins: (0..ROWS as i32).map(octave).collect() };
        assert_eq!(bars(&all, ROWS, 118).len(), ROWS);
    }

    #[test]
    fn a_consumer_that_was_ended_by_force_is_told_of() {
        let mut killed = piped();
        assert!(!pace(&killed).contains("by force"));
        killed.pace.command_killed = Some(true);
        assert!(pace(&killed).contains("by force"));
    }

    #[test]
    fn a_run_without_events_says_why() {
        let mut none = run();
        none.pace.events = 0;
        none.pace.achieved_per_s = None;
        none.pace.reason_ended = Some("the consumer takes no more events: broken pipe".to_owned());
        let text = pace(&none);
        assert!(text.contains("broken pipe") && text.contains("no rate"), "{text}");
    }

    #[test]
    fn what_was_left_out_is_not_forgotten() {
        let mut skipping = run();
        skipping.pace.behind = "skip".to_owned();
        skipping.pace.missed = 500;
        assert!(pace(&skipping).contains("left out or moved"));
    }
}
