use crate::document::Record;
use crate::sections::pace::report::Pace;

use super::rules::RATE_KEPT;
use super::words::{rate, time};
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
pub fn pace_at(run: &Record, pace: &Pace, width: Width) -> Page {
    let mut page = Page::with_width(width);
    let tool = format!("{} {} · pace", run.tool.name, run.tool.version);
    title::head(&mut page, &tool, run);
    page.section("PACE");
    summary(&mut page, run, pace);
    let (warnings, notices): (Vec<_>, Vec<_>) =
        run.findings.iter().filter(|finding| !finding.is(RATE_KEPT)).partition(|one| one.severity >= Severity::Warning);
    for finding in warnings {
        page.paragraph(Line::styled(WARNING, "! "), WARNING, &finding.evidence.summary);
    }
    if pace.events > 0 {
        times(&mut page, pace);
        lateness(&mut page, pace);
        for finding in notices {
            page.paragraph(Line::styled(TITLE, "→ "), PLAIN, &finding.evidence.summary);
        }
    }
    page
}

/// What was asked for and reached.
pub fn summary(page: &mut Page, run: &Record, pace: &Pace) {
    for (name, said) in entries(&run.findings, pace) {
        page.entry(name, PLAIN, &said);
    }
}

fn entries(findings: &[Finding], pace: &Pace) -> Vec<(&'static str, String)> {
    let words = |kind: Kind| {
        let finding = findings.iter().find(|finding| finding.is(kind))?;
        Some(finding.evidence.summary.as_str())
    };
    let mut said = vec![(
        "requested",
        format!(
            "{}{} for {}",
            rate(pace.rate_per_s),
            if pace.poisson { " at random times" } else { "" },
            ns(pace.for_ms as f64 * 1e6)
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
    if let Some(share) = pace.cpu_share {
        let how = if pace.real_time { ", under the real-time policy" } else { "" };
        said.push(("CPU", format!("{} of one{how}", percent(share * 100.0))));
    }
    if let Some(reason) = &pace.reason_no_real_time {
        said.push(("real time", format!("unavailable: {reason}")));
    }
    said
}

pub fn times(page: &mut Page, pace: &Pace) {
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
    for (name, times, what) in [
        ("lateness", &pace.lateness_ns, "from the intended to the actual start"),
        ("response", &pace.response_ns, "from the intended start to the end"),
        ("service", &pace.service_ns, "from the actual start to the end"),
    ] {
        let figures = [times.p50, times.p90, times.p99, times.p999, times.max].map(|of| time(of, pace));
        let [p50, p90, p99, p999, most] = figures;
        table.row(
            PLAIN,
            [
                name.to_owned(),
                times.mean.map_or_else(String::new, |mean| time(mean, pace)),
                p50,
                p90,
                p99,
                p999,
                most,
                what.to_owned(),
            ],
        );
    }
    page.table(table);
}

pub fn lateness(page: &mut Page, pace: &Pace) {
    page.section_of_drawings("LATENESS", SCALE);
    page.drawing(bars(&pace.lateness_ns.histogram, ROWS, page.width()));
    if let Some(step) = pace.clock_step_ns {
        page.paragraph(Line::new(), DIM, &format!("the clock moves in steps of up to {}: no time is finer", ns(step)));
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
        pace_at(&record, &run.pace, Width::default()).finish()
    }

    fn run() -> Run {
        let record = crate::json::document(include_str!("../../../tests/fixtures/pace.json")).unwrap();
        Run { pace: record.content.pace.clone().unwrap(), record }
    }

    #[test]
    fn omission_is_said_where_it_would_have_happened() {
        let text = pace(&run());
        assert!(text.contains("coordinated") && text.contains("LATENESS"), "{text}");
        let mut quiet = run();
        quiet.pace.response_ns = quiet.pace.service_ns.clone();
        assert!(!pace(&quiet).contains("coordinated"));
    }

    /// On a clock that ticks in 10 ns, a median of 5 ns is not a time that it can show.
    #[test]
    fn no_time_is_finer_than_the_clocks_step() {
        let mut fine = run();
        fine.pace.lateness_ns.p50 = 5.0;
        fine.pace.clock_step_ns = Some(11.0);
        let text = pace(&fine);
        let lateness = text.lines().find(|line| line.starts_with("lateness")).unwrap();
        assert!(lateness.contains("< 11.0 ns") && !lateness.contains(" 5.00 ns"), "{text}");
        assert!(text.contains("steps of up to 11.0 ns"), "{text}");
    }

    /// A bar for two octaves would be longer than that of the most frequent octave.
    #[test]
    fn octaves_are_not_put_together() {
        let octave = |e: i32| chronoscope_harness::record::Bin {
            from_ns: if e == 0 { 0.0 } else { 2_f64.powi(e - 1) },
            to_ns: 2_f64.powi(e),
            count: 5,
        };
        let all = chronoscope_harness::record::Histogram { bins: (0..ROWS as i32).map(octave).collect() };
        assert_eq!(bars(&all, ROWS, 118).len(), ROWS);
    }

    #[test]
    fn a_run_without_events_has_no_rate() {
        let mut none = run();
        none.pace.events = 0;
        none.pace.achieved_per_s = None;
        let text = pace(&none);
        assert!(text.contains("no rate"), "{text}");
    }

    #[test]
    fn what_was_left_out_is_not_forgotten() {
        let mut skipping = run();
        skipping.pace.behind = "skip".to_owned();
        skipping.pace.missed = 500;
        assert!(pace(&skipping).contains("dropped or moved"));
    }
}
