use chronoscope_record::{Histogram, Pace, PaceRun, PaceTimes};

use crate::bars::{SCALE, bars};
use crate::line::Line;
use crate::page::Page;
use crate::palette::{DIM, PLAIN, TITLE, WARNING};
use crate::quantity::{count, ns, percent, three_digits};
use crate::section::title;
use crate::table::{Align, Table};

/// A response that is so many times what a service takes is worth a word.
const MUCH: f64 = 1.5;
/// Rows of the histogram.
const ROWS: usize = 24;

/// Renders a run of a pacer as text with ANSI styles.
///
/// # Guarantees
/// Those of [`terminal`](crate::terminal).
///
/// # Examples
/// ```
/// # let text = include_str!("../tests/fixtures/pace.json");
/// let run: chronoscope_record::PaceRun = serde_json::from_str(text)?;
/// assert!(chronoscope_report::pace(&run).contains("response"));
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn pace(run: &PaceRun) -> String {
    let mut page = Page::new();
    let tool = format!("{} {} · pace", run.tool.name, run.tool.version);
    title::head(
        &mut page,
        &tool,
        &title::circumstances(&run.machine, &run.started_at, run.elapsed_ms),
        run.interrupted,
    );
    let pace = &run.pace;
    page.section("PACE");
    for (name, said) in entries(pace) {
        page.entry(name, PLAIN, &said);
    }
    if let Some(reason) = &pace.reason_ended {
        page.paragraph(Line::styled(WARNING, "! "), WARNING, &format!("it ended before its time: {reason}"));
    }
    if pace.events > 0 {
        times(&mut page, pace);
        lateness(&mut page, &pace.lateness_ns);
        for said in conclusions(pace) {
            page.paragraph(Line::styled(TITLE, "→ "), PLAIN, &said);
        }
    }
    page.finish()
}

fn entries(pace: &Pace) -> Vec<(&'static str, String)> {
    let rate = |per_s: f64| format!("{} per second", three_digits_or_more(per_s));
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
    let kept = match (pace.achieved_per_s, pace.rate_error_ppm) {
        (Some(achieved), Some(ppm)) => format!("{}: {ppm:+.3} ppm", rate(achieved)),
        (Some(achieved), None) => rate(achieved),
        (None, _) => "no rate, of fewer than two events".to_owned(),
    };
    said.push(("kept", format!("{} events, {kept}", count(pace.events))));
    let slipped = if pace.slipped_ms > 0.0 {
        format!(", the schedule moved by {}", ns(pace.slipped_ms * 1e6))
    } else {
        String::new()
    };
    let policy = match pace.behind.as_str() {
        "catch_up" => "late ones come at once",
        "skip" => "late ones are left out",
        _ => "the schedule moves",
    };
    said.push(("when behind", format!("{policy}: {} left out{slipped}", count(pace.missed))));
    if let Some(share) = pace.cpu_share {
        let how = if pace.real_time { ", under the real-time policy" } else { "" };
        said.push(("CPU", format!("{} of one{how}", percent(share * 100.0))));
    }
    if let Some(reason) = &pace.reason_no_real_time {
        said.push(("real time", format!("not here: {reason}")));
    }
    said
}

fn three_digits_or_more(value: f64) -> String {
    if value >= 1_000.0 { count(value.round() as u64) } else { three_digits(value) }
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
    let rows = [
        ("lateness", &pace.lateness_ns, "from the intended to the actual start"),
        ("response", &pace.response_ns, "from the intended start to the end"),
        ("service", &pace.service_ns, "from the actual start to the end"),
    ];
    for (name, times, what) in rows {
        let figures = [times.p50, times.p90, times.p99, times.p999, times.max].map(|value| ns(value as f64));
        let [p50, p90, p99, p999, most] = figures;
        table.row(PLAIN, [name.to_owned(), ns(times.mean), p50, p90, p99, p999, most, what.to_owned()]);
    }
    page.lines(table.lines());
}

fn lateness(page: &mut Page, times: &PaceTimes) {
    page.section("LATENESS");
    page.lines(bars(&Histogram { bins: times.histogram.clone() }, ROWS));
    page.paragraph(Line::new(), DIM, SCALE);
}

fn conclusions(pace: &Pace) -> Vec<String> {
    let mut said = Vec::new();
    let causes = [
        (pace.late_share_caller, "what was done for earlier events"),
        (pace.late_share_machine, "the machine, which took the CPU while it was kept"),
        (pace.late_share_pacer, "the pacer's own waits"),
    ];
    let named: Vec<String> = causes
        .iter()
        .filter(|(share, _)| *share >= 0.005)
        .map(|(share, cause)| format!("{} by {cause}", percent(share * 100.0)))
        .collect();
    if !named.is_empty() {
        said.push(format!("of all lateness: {}", named.join(", ")));
    }
    let (response, service) = (pace.response_ns.p99 as f64, pace.service_ns.p99 as f64);
    if response > service * MUCH {
        let blind = format!(
            "a tool that times from the actual start would report a p99 of {}; the events' users saw {}",
            ns(service),
            ns(response)
        );
        let times =
            if service > 0.0 { format!(", {} times that", three_digits(response / service)) } else { String::new() };
        said.push(format!("{blind}{times}: coordinated omission"));
    }
    if pace.behind != "catch_up" && (pace.missed > 0 || pace.slipped_ms > 0.0) {
        said.push(
            "what was left out or moved would have been late: response times here are those of the events that came"
                .to_owned(),
        );
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> PaceRun {
        serde_json::from_str(include_str!("../tests/fixtures/pace.json")).unwrap()
    }

    #[test]
    fn omission_is_said_where_it_would_have_happened() {
        let text = pace(&run());
        assert!(text.contains("coordinated omission") && text.contains("LATENESS"), "{text}");
        let mut quiet = run();
        quiet.pace.response_ns = quiet.pace.service_ns.clone();
        assert!(!pace(&quiet).contains("coordinated omission"));
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
