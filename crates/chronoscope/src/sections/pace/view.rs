use crate::document::Record;
use crate::sections::pace::report::{Acks, Pace, PaceTimes};
use chronoscope_harness::record::Histogram;

use super::rules::{RATE_KEPT, SLO_MET, SLO_MISSED, SLO_UNRESOLVED, UNREAD_LINES};
use super::words::rate;
use chronoscope_harness::finding::{Finding, Kind, Severity};
use chronoscope_harness::quantity::{count, ns, percent};
use chronoscope_render::bars::{SCALE, bars};
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{DIM, PLAIN, TITLE, WARNING};
use chronoscope_render::table::{Align, Table};
use chronoscope_render::{Width, title};

/// Rows of the histogram: one per possible octave, since bars of merged bins would be too long.
const ROWS: usize = 65;

/// Renders a run of a pacer as text with ANSI styles, for a terminal of this width.
///
/// # Guarantees
/// Those of [`terminal_at`](crate::terminal_at).
pub fn pace_at(run: &Record, pace: &Pace, width: Width) -> String {
    let mut page = Page::with_width(width);
    let tool = format!("{} {} · pace", run.tool.name, run.tool.version);
    title::head(&mut page, &tool, run);
    page.section("PACE");
    for (name, said) in entries(&run.findings, pace) {
        page.entry(name, PLAIN, &said);
    }
    for finding in run.findings.iter().filter(is_objective) {
        let style = if finding.severity >= Severity::Warning { WARNING } else { PLAIN };
        page.entry("SLO", style, &finding.evidence.summary);
    }
    let is_entry =
        |finding: &&Finding| is_objective(finding) || [RATE_KEPT, UNREAD_LINES].iter().any(|kind| finding.is(*kind));
    let (warnings, notices): (Vec<_>, Vec<_>) =
        run.findings.iter().filter(|finding| !is_entry(finding)).partition(|one| one.severity >= Severity::Warning);
    for finding in warnings {
        page.paragraph(Line::styled(WARNING, "! "), WARNING, &finding.evidence.summary);
    }
    if pace.events > 0 {
        times(&mut page, pace);
        if pace.command.is_some() {
            let words = pace.acks.as_ref().map_or_else(|| hand_over(pace), answered);
            page.paragraph(Line::plain("  "), DIM, &words);
        }
        lateness(&mut page, &pace.lateness_ns);
        for finding in notices {
            page.paragraph(Line::styled(TITLE, "→ "), PLAIN, &finding.evidence.summary);
        }
    }
    page.finish()
}

fn is_objective(finding: &&Finding) -> bool {
    [SLO_MISSED, SLO_UNRESOLVED, SLO_MET].iter().any(|kind| finding.is(*kind))
}

fn entries(findings: &[Finding], pace: &Pace) -> Vec<(&'static str, String)> {
    let words = |kind: Kind| {
        let finding = findings.iter().find(|finding| finding.is(kind))?;
        Some(finding.evidence.summary.as_str())
    };
    let mut said = vec![(
        "requested",
        format!(
            "{}{} for {}{}",
            rate(pace.rate_per_s),
            if pace.poisson { " at random times" } else { "" },
            ns(pace.for_ms as f64 * 1e6),
            pace.command.as_ref().map(|command| format!(", each sent to `{command}`")).unwrap_or_default()
        ),
    )];
    let (name, achieved) = match (words(RATE_KEPT), pace.achieved_per_s) {
        (Some(kept), _) => ("kept", kept.to_owned()),
        (None, Some(achieved)) => ("reached", rate(achieved)),
        (None, None) => ("kept", "no rate: fewer than two events".to_owned()),
    };
    said.push((name, format!("{} events, {achieved}", count(pace.events))));
    let slipped = pace.moved_ms();
    let slipped = slipped.map_or_else(String::new, |ms| format!(", the schedule moved by {}", ns(ms * 1e6)));
    let policy = match pace.behind.as_str() {
        "catch_up" => "late events start at once".to_owned(),
        "catch_up_within" => format!(
            "late events start at once, unless more than {} late",
            pace.most_late_ms.map_or_else(|| "a limit".to_owned(), |ms| ns(ms * 1e6))
        ),
        "skip" => "late events are dropped".to_owned(),
        _ => "the schedule moves".to_owned(),
    };
    said.push(("when behind", format!("{policy}: {} dropped{slipped}", count(pace.missed))));
    if pace.unread_lines.is_some() {
        let unread = words(UNREAD_LINES).unwrap_or("no line unread when the last was written");
        said.push(("consumer", unread.to_owned()));
    }
    if let Some(share) = pace.cpu_share {
        let how = if pace.real_time { ", under the real-time policy" } else { "" };
        said.push(("CPU", format!("{} of one{how}", percent(share * 100.0))));
    }
    if let Some(reason) = &pace.reason_no_real_time {
        said.push(("real time", format!("unavailable: {reason}")));
    }
    said
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
    let handover = pace.handover_ns.as_ref().filter(|_| pace.acks.is_some());
    let handover = handover.map(|times| ("hand-over", times, "actual start to line in the pipe"));
    let rows = match (&pace.command, &pace.acks) {
        (None, _) => [
            late,
            ("response", &pace.response_ns, "from the intended start to the end"),
            ("service", &pace.service_ns, "from the actual start to the end"),
        ],
        (Some(_), Some(_)) => [
            late,
            ("response", &pace.response_ns, "from the intended start to the answer"),
            ("service", &pace.service_ns, "from the actual start to the answer"),
        ],
        (Some(_), None) => [
            late,
            ("in the pipe", &pace.response_ns, "intended start to line in the pipe"),
            ("hand-over", &pace.service_ns, "actual start to line in the pipe"),
        ],
    };
    for (name, times, what) in rows.into_iter().chain(handover) {
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

/// How answers are timed.
fn answered(acks: &Acks) -> String {
    format!(
        "an event ends when its answer is read, {} in all: never too early, and late by the time the reading thread took to \
         get to run; answers that one read returns share its time, here up to {}",
        count(acks.answered),
        count(acks.most_per_read)
    )
}

/// What the figures for events handed to a program leave out.
fn hand_over(pace: &Pace) -> String {
    let room = pace.pipe_bytes.map_or_else(String::new, |bytes| format!(", here {}", bytes_of(bytes)));
    format!(
        "no figure includes the consumer's own time: the pipe takes lines, read or not, until it is full{room}; each \
         line carries the event's intended start, so the consumer can time it"
    )
}

fn bytes_of(bytes: u64) -> String {
    match (bytes / 1_024, bytes % 1_024) {
        (kib @ 1.., 0) => format!("{kib} KiB"),
        _ => format!("{} bytes", count(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::rules::RULES;
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
        assert!(text.contains("coordinated") && text.contains("LATENESS"), "{text}");
        let mut quiet = run();
        quiet.pace.response_ns = quiet.pace.service_ns.clone();
        assert!(!pace(&quiet).contains("coordinated"));
    }

    /// The fixture, with each line handed to a program.
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
        let mut quick = piped();
        quick.pace.unread_lines = Some(0);
        assert!(pace(&quick).contains("no line unread"));
        quick.pace.unread_lines = None;
        assert!(!pace(&quick).contains("unread"), "not known, not told");
    }

    /// A bar for two octaves would be longer than that of the most frequent octave.
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
        assert!(!pace(&killed).contains("was killed"));
        killed.pace.command_killed = Some(true);
        assert!(pace(&killed).contains("was killed"));
    }

    #[test]
    fn answers_make_a_response_and_objectives_have_a_line_each() {
        use crate::sections::pace::report::{Slo, SloOutcome};

        let mut answering = piped();
        answering.pace.acks = Some(Acks { answered: 2_990, unanswered: 10, most_per_read: 40, ..Acks::default() });
        let slo = |objective: &str, outcome| Slo {
            objective: objective.to_owned(),
            of: "response".to_owned(),
            limit_ns: 2_000_000,
            observed_ns: Some(1_000_000),
            outcome,
            ..Slo::default()
        };
        answering.pace.slos = vec![slo("p99", SloOutcome::Met), slo("max", SloOutcome::Missed)];
        let text = pace(&answering);
        assert!(text.contains("response") && text.contains("hand-over") && !text.contains("in the pipe  "), "{text}");
        assert!(text.contains("10 of 3\u{202f}000 events had no answer") && text.contains("here up to 40"), "{text}");
        assert_eq!(text.matches("p99 ≤ 2 ms: met; response 1.00 ms").count(), 1, "{text}");
        assert_eq!(text.matches("max ≤ 2 ms: missed").count(), 1, "{text}");
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
        assert!(pace(&skipping).contains("dropped or moved"));
    }
}
