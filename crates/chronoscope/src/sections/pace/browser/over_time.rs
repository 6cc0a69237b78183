//! When the latest events were due, and what made them late.

use chronoscope_harness::quantity::{count, ns};
use chronoscope_render::browser::{Hue, Plot, Shape};
use chronoscope_render::page::Page;
use chronoscope_render::palette::PLAIN;
use chronoscope_render::table::{Align, Table};

use super::super::report::{LateCause, LatestEvent, Pace};
use super::super::words::{cause, time};
use crate::screen::browser::over_time::{self, interval};

/// Events that are listed, the latest.
const LISTED: usize = 20;

/// How to read the plot.
pub const HOW: &str = " Over time: the latest event of each interval, by what made most of its lateness. A backlog counts towards what \
                       began it.";

const fn look(cause: LateCause) -> (Hue, Shape) {
    match cause {
        LateCause::Caller => (Hue::Orange, Shape::Square),
        LateCause::Machine => (Hue::Blue, Shape::Circle),
        LateCause::Pacer => (Hue::Purple, Shape::Triangle),
    }
}

/// When the latest event was due, and how many intervals' latest have which cause; None where that is not told.
pub fn said(pace: &Pace) -> Option<String> {
    let over_time = pace.over_time.as_ref()?;
    let latest = over_time.latest.iter().max_by(|a, b| a.late_ns.total_cmp(&b.late_ns))?;
    let of = |cause| over_time.latest.iter().filter(|event| event.cause == cause).count();
    let causes: Vec<String> = LateCause::ALL
        .into_iter()
        .filter(|of_cause| of(*of_cause) > 0)
        .map(|of_cause| format!("{} by {}", count(of(of_cause) as u64), cause(of_cause, pace)))
        .collect();
    let (all, length) = (count(over_time.latest.len() as u64), ns(over_time.interval_ms * 1e6));
    Some(format!(
        "The latest was due {} into the run and late mostly by {}. Of {all} intervals of {length}, the latest event is late mostly: {}.",
        interval(latest.from_ms, over_time.interval_ms),
        cause(latest.cause, pace),
        causes.join(", ")
    ))
}

/// The latest event of each interval, by cause.
pub fn plots(pace: &Pace) -> Vec<Plot> {
    let Some(over_time) = &pace.over_time else { return Vec::new() };
    let series = |of: LateCause| {
        let points = over_time.latest.iter().filter(|event| event.cause == of);
        (cause(of, pace), look(of), points.map(|event| (event.from_ms * 1e6, event.late_ns)).collect())
    };
    let panel = (String::new(), LateCause::ALL.into_iter().map(series).collect());
    over_time::plots(vec![panel], pace.for_ms as f64 * 1e6, "lateness of the latest event")
}

/// The latest of all, below what the page has.
pub fn numbers(page: &mut Page, pace: &Pace) {
    let Some(over_time) = &pace.over_time else { return };
    let mut latest: Vec<&LatestEvent> = over_time.latest.iter().collect();
    latest.sort_by(|a, b| b.late_ns.total_cmp(&a.late_ns));
    let more = latest.len().saturating_sub(LISTED);
    let mut table =
        Table::new(&[("interval from", Align::Right), ("latest event", Align::Right), ("cause", Align::Left)]);
    for event in latest.into_iter().take(LISTED) {
        table.row(PLAIN, [ns(event.from_ms * 1e6), time(event.late_ns, pace), cause(event.cause, pace).to_owned()]);
    }
    page.section("THE LATEST OVER TIME");
    page.table(table);
    if more > 0 {
        page.paragraph(
            Default::default(),
            PLAIN,
            &format!("{} that were less late are not listed.", count(more as u64)),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::report::LatestOverTime;
    use super::*;

    fn pace(latest: &[(f64, f64, LateCause)]) -> Pace {
        let record = crate::json::document(include_str!("../../../../tests/fixtures/pace.json")).unwrap();
        let of = |(from_ms, late_ns, cause): &(f64, f64, LateCause)| LatestEvent {
            from_ms: *from_ms,
            late_ns: *late_ns,
            cause: *cause,
        };
        let over_time = LatestOverTime { interval_ms: 50.0, latest: latest.iter().map(of).collect() };
        Pace { over_time: Some(over_time), for_ms: 10_000, stall_ms: Some(50.0), ..record.content.pace.unwrap() }
    }

    fn drawn(pace: &Pace) -> String {
        let figures = super::super::figures(&crate::rules::tests::blank(), pace);
        let figures = figures.into_iter().filter(|figure| figure.id == "lateness").collect();
        chronoscope_render::browser::Sheet { figures, ..Default::default() }.finish().replace('\u{a0}', " ")
    }

    #[test]
    fn each_interval_has_its_latest_event_by_cause() {
        let pace = pace(&[
            (0.0, 1_000.0, LateCause::Pacer),
            (2_500.0, 1_000_000.0, LateCause::Caller),
            (5_000.0, 31_622.8, LateCause::Machine),
        ]);
        let page = drawn(&pace);
        assert!(page.contains(r#"<svg x="0.00%" y="175.6" overflow="visible">"#), "{page}");
        assert!(page.contains(r#"<svg x="25.00%" y="1.2" overflow="visible">"#), "{page}");
        assert!(page.contains(r#"<circle class="m" cx="50.00%" cy="88.4""#), "{page}");
        assert!(
            page.contains("<i>the stall</i>") && page.contains("<i>interruptions of the pacing thread</i>"),
            "{page}"
        );
        assert!(page.contains("<td>2.50 s</td><td>1.00 ms</td><td class=\"l\">the stall</td>"), "{page}");
        let sentence = "The latest was due 2.50 s to 2.55 s into the run and late mostly by the stall. Of 3 intervals of 50.0 ms, the \
                        latest event is late mostly: 1 by the stall, 1 by interruptions of the pacing thread, 1 by late wake-ups \
                        and the pacer's own steps.";
        assert_eq!(said(&pace).unwrap(), sentence);
    }

    #[test]
    fn a_pace_without_a_stall_has_none_as_its_cause() {
        let own = pace(&[(0.0, 1_000.0, LateCause::Pacer), (50.0, 900.0, LateCause::Pacer)]);
        let sentence = said(&own).unwrap();
        assert!(sentence.ends_with("is late mostly: 2 by late wake-ups and the pacer's own steps."), "{sentence}");
        assert!(!drawn(&own).contains("<i>the stall</i>"));
        let many: Vec<_> = (0..30).map(|at| (f64::from(at), 1e3, LateCause::Pacer)).collect();
        assert!(drawn(&pace(&many)).contains("10 that were less late are not listed."));
    }

    /// As every document of an earlier version.
    #[test]
    fn a_pace_without_times_has_no_such_chart_and_says_nothing_of_when() {
        let old = Pace { over_time: None, ..pace(&[]) };
        assert_eq!((plots(&old).len(), said(&old)), (0, None));
        let page = drawn(&old);
        assert!(!page.contains("into the run") && !page.contains("OVER TIME") && !page.contains("Over time"), "{page}");
        drawn(&pace(&[(f64::NAN, f64::INFINITY, LateCause::Machine)]));
    }
}
