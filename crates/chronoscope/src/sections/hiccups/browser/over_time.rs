//! When the longest stalls came, and what they were due to.

use chronoscope_harness::quantity::{count, ns};
use chronoscope_render::browser::{Hue, Plot, Shape};
use chronoscope_render::page::Page;
use chronoscope_render::palette::PLAIN;
use chronoscope_render::table::{Align, Table};

use super::super::report::{HiccupWay, HiccupsReport, LongestStall, StallCause, StallsOverTime};
use crate::screen::browser::over_time::{self, interval};

/// Stalls that are listed, the longest.
const LISTED: usize = 20;

/// How to read the plots.
pub const HOW: &str = " Over time: the longest stall of each interval on any CPU, by what explains at least half of it. Other threads: the \
                       kernel counted that the thread waited for its CPU. The hypervisor, a quota: the kernel counted at least that much \
                       stolen or throttled time meanwhile. Interrupts and late timers are counted for no thread: unexplained.";

const fn look(cause: StallCause) -> (Hue, Shape) {
    match cause {
        StallCause::OtherThreads => (Hue::Blue, Shape::Circle),
        StallCause::OtherGuests => (Hue::Purple, Shape::Triangle),
        StallCause::Quota => (Hue::Orange, Shape::Square),
        StallCause::Unexplained => (Hue::Ink, Shape::Diamond),
    }
}

fn of_way(stalls: &StallsOverTime, way: HiccupWay) -> impl Iterator<Item = &LongestStall> {
    stalls.longest.iter().filter(move |stall| stall.way == way)
}

/// When the longest of a way came and what it was due to, and how many intervals have which cause; None where that is not told.
pub fn said(report: &HiccupsReport, way: HiccupWay) -> Option<String> {
    let stalls = report.over_time.as_ref()?;
    let longest = of_way(stalls, way).max_by(|a, b| a.late_ns.total_cmp(&b.late_ns))?;
    let intervals = of_way(stalls, way).count();
    let of = |cause| of_way(stalls, way).filter(|stall| stall.cause == cause).count();
    let causes: Vec<String> = StallCause::ALL
        .into_iter()
        .filter(|cause| of(*cause) > 0)
        .map(|cause| format!("{} {}", count(of(cause) as u64), by(cause)))
        .collect();
    let interval = interval(longest.from_ms, stalls.interval_ms);
    let cpu = longest.cpu.map_or_else(String::new, |cpu| format!(" on CPU {cpu}"));
    let (all, length) = (count(intervals as u64), ns(stalls.interval_ms * 1e6));
    Some(format!(
        "The longest came {interval} into the run{cpu}, {}. Of {all} intervals of {length}, the longest stall is: {}.",
        by(longest.cause),
        causes.join(", ")
    ))
}

fn by(cause: StallCause) -> String {
    match cause {
        StallCause::Unexplained => cause.words().to_owned(),
        _ => format!("by {}", cause.words()),
    }
}

/// A panel per way, called as `title` says.
pub fn plots(report: &HiccupsReport, title: impl Fn(HiccupWay) -> String) -> Vec<Plot> {
    let Some(stalls) = &report.over_time else { return Vec::new() };
    let series = |way, cause: StallCause| {
        let points = of_way(stalls, way).filter(|stall| stall.cause == cause);
        (cause.words(), look(cause), points.map(|stall| (stall.from_ms * 1e6, stall.late_ns)).collect())
    };
    let panel = |way| (title(way), StallCause::ALL.into_iter().map(|cause| series(way, cause)).collect());
    over_time::plots(HiccupWay::ALL.map(panel).into(), report.observed_ms * 1e6, "longest stall")
}

/// The longest of all, below what the page has.
pub fn numbers(page: &mut Page, report: &HiccupsReport) {
    let Some(stalls) = &report.over_time else { return };
    let mut longest: Vec<&LongestStall> = stalls.longest.iter().collect();
    longest.sort_by(|a, b| b.late_ns.total_cmp(&a.late_ns));
    let more = longest.len().saturating_sub(LISTED);
    let mut table = Table::new(&[
        ("interval from", Align::Right),
        ("way", Align::Left),
        ("CPU", Align::Right),
        ("longest stall", Align::Right),
        ("cause", Align::Left),
    ]);
    for stall in longest.into_iter().take(LISTED) {
        let cpu = stall.cpu.map_or_else(|| "any".to_owned(), |cpu| cpu.to_string());
        let (from, late) = (ns(stall.from_ms * 1e6), ns(stall.late_ns));
        table.row(PLAIN, [from, stall.way.name().to_owned(), cpu, late, stall.cause.words().to_owned()]);
    }
    page.section("THE LONGEST OVER TIME");
    page.table(table);
    if more > 0 {
        page.paragraph(Default::default(), PLAIN, &format!("{} shorter ones are not listed.", count(more as u64)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(stalls: &[(HiccupWay, f64, f64, StallCause)]) -> HiccupsReport {
        let longest = stalls.iter().map(|(way, from_ms, late_ns, cause)| LongestStall {
            from_ms: *from_ms,
            way: *way,
            cpu: Some(3),
            late_ns: *late_ns,
            cause: *cause,
        });
        let over_time = StallsOverTime { interval_ms: 100.0, longest: longest.collect() };
        HiccupsReport { observed_ms: 10_000.0, over_time: Some(over_time), ..HiccupsReport::default() }
    }

    fn drawn(report: HiccupsReport) -> String {
        let mut record = crate::rules::tests::blank();
        record.content.sections.hiccups.report = Some(report);
        let figures = super::super::figures(&record);
        chronoscope_render::browser::Sheet { figures, ..Default::default() }.finish().replace('\u{a0}', " ")
    }

    #[test]
    fn each_way_has_its_stalls_by_cause() {
        let (spin, sleep) = (HiccupWay::Spin, HiccupWay::Sleep);
        let page = drawn(report(&[
            (spin, 0.0, 10_000.0, StallCause::Unexplained),
            (spin, 5_000.0, 1_000_000.0, StallCause::OtherThreads),
            (sleep, 2_500.0, 100_000.0, StallCause::OtherGuests),
        ]));
        assert!(page.contains(r#"<svg x="0.00%" y="201.4" overflow="visible"><path class="m""#), "{page}");
        assert!(page.contains(r#"<circle class="m" cx="50.00%" cy="2.1""#), "{page}");
        assert!(page.contains(r#"<svg x="25.00%" y="101.7" overflow="visible">"#), "{page}");
        for name in ["other threads", "the hypervisor", "unexplained"] {
            assert!(page.contains(&format!("<i>{name}</i>")), "{name}: {page}");
        }
        assert!(!page.contains("<i>a CPU quota</i>"), "nothing was throttled");
        assert!(page.contains("<td>5.00 s</td><td class=\"l\">spin</td><td>3</td><td>1.00 ms</td>"), "{page}");
    }

    #[test]
    fn it_says_when_the_longest_came_and_by_what() {
        let (spin, unexplained) = (HiccupWay::Spin, StallCause::Unexplained);
        let mut stalls = vec![(spin, 0.0, 10_000.0, unexplained), (spin, 5_000.0, 1e6, StallCause::Quota)];
        let both = "The longest came 5.00 s to 5.10 s into the run on CPU 3, by a CPU quota. Of 2 intervals of 100 ms, the longest stall is: \
                    1 by a CPU quota, 1 unexplained.";
        assert_eq!(said(&report(&stalls), spin).unwrap(), both);
        stalls[1].3 = unexplained;
        let end = "on CPU 3, unexplained. Of 2 intervals of 100 ms, the longest stall is: 2 unexplained.";
        assert!(said(&report(&stalls), spin).unwrap().ends_with(end));
        assert_eq!(said(&report(&stalls), HiccupWay::Sleep), None);
    }

    /// As every document of an earlier version.
    #[test]
    fn a_report_without_times_has_no_such_chart_and_says_nothing_of_when() {
        let old = HiccupsReport { over_time: None, ..report(&[]) };
        assert_eq!((plots(&old, |_| String::new()).len(), said(&old, HiccupWay::Spin)), (0, None));
        let page = drawn(old);
        assert!(!page.contains("into the run") && !page.contains("OVER TIME") && !page.contains("Over time"), "{page}");
    }

    #[test]
    fn more_than_are_listed_are_counted() {
        let many: Vec<_> = (0..50).map(|at| (HiccupWay::Sleep, f64::from(at), 1e5, StallCause::Unexplained)).collect();
        assert!(drawn(report(&many)).contains("30 shorter ones are not listed."));
        drawn(report(&[(HiccupWay::Spin, f64::NAN, f64::INFINITY, StallCause::Quota)]));
    }
}
