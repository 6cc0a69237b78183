use super::plan::HICCUPS;
use super::program::quoted;
use super::report::{HiccupFigures, HiccupWay, Hiccups, HiccupsReport, LogReport, ProgramReport};
use crate::document::Record;
use crate::section::Entry;
use chronoscope_harness::quantity::{count, ms, ns, share};
use chronoscope_render::bars::{SCALE, bars};
use chronoscope_render::line::Line;
use chronoscope_render::page::{Page, wrapped};
use chronoscope_render::palette::{DIM, PLAIN, TITLE};
use chronoscope_render::table::{Align, Table};
use chronoscope_render::words::given;

/// Rows of each histogram.
const ROWS: usize = 16;
const COLUMNS: [(&str, Align); 12] = [
    ("CPU", Align::Right),
    ("way", Align::Left),
    ("time", Align::Right),
    ("looks", Align::Right),
    ("late p50", Align::Right),
    ("p90", Align::Right),
    ("p99", Align::Right),
    ("p99.9", Align::Right),
    ("most", Align::Right),
    ("> 10 µs", Align::Right),
    ("> 100 µs", Align::Right),
    ("> 1 ms", Align::Right),
];
const LEGEND: &str = "time: observed; looks: glances at the clock that were due, every 10 µs by a thread that only computes (spin) and \
                      every 1 ms by one that sleeps (sleep); late: how late looks were, those that a hiccup prevented \
                      included; > 10 µs: share of moments at which work would have waited longer";

/// Every CPU, the distribution on all of them, the program and the log.
pub fn show(page: &mut Page, record: &Record) {
    page.section("HICCUPS: stalls seen by a spinning and a sleeping thread");
    let Entry { plan, report } = &record.content.sections.hiccups;
    let Some(report) = report else {
        page.paragraph(Line::plain("  "), DIM, &record.content.not_tested(&[HICCUPS]));
        return;
    };
    table(page, report);
    if let Some(program) = &report.program {
        page.entry("program", PLAIN, &format!("{}: {}", quoted(&plan.command), ended(program)));
    }
    if let Some(log) = &report.log {
        page.entry("log", PLAIN, &written(log));
    }
    if let Some(words) = not_spun(report) {
        page.paragraph(Line::plain("  "), DIM, &words);
    }
    for missing in &report.unavailable {
        let reason = given(Some(&missing.reason));
        page.paragraph(Line::plain("  "), DIM, &format!("CPU {} not watched: {reason}", missing.cpu));
    }
    page.section_of_drawings("LATENESS", SCALE);
    let mut drawn = report.all.iter().map(|all| chart(all.way, &all.figures, page.column()));
    let (left, right) = (drawn.next().unwrap_or_default(), drawn.next().unwrap_or_default());
    page.side_by_side(left, right);
}

/// It is no part of a check.
pub fn show_in_check(_page: &mut Page, _record: &Record) {}

/// The CPUs on which nothing spun although it did on others: the run was too short for all.
fn not_spun(report: &HiccupsReport) -> Option<String> {
    let on = |way| report.cpus.iter().filter(move |row| row.way == way).filter_map(|row| row.cpu);
    let left: Vec<String> = on(HiccupWay::Sleep)
        .filter(|cpu| on(HiccupWay::Spin).all(|spun| spun != *cpu))
        .map(|cpu| cpu.to_string())
        .collect();
    let some = !left.is_empty() && on(HiccupWay::Spin).next().is_some();
    some.then(|| format!("no spin on CPUs {}: a longer run reaches them", left.join(", ")))
}

fn table(page: &mut Page, report: &HiccupsReport) {
    if report.cpus.is_empty() {
        page.paragraph(Line::plain("  "), DIM, "it ended before the first look was due");
        return;
    }
    let mut table = Table::new(&COLUMNS).named_by(2).apart(&[
        ("p90", "late p90"),
        ("p99", "late p99"),
        ("p99.9", "late p99.9"),
        ("most", "late at most"),
    ]);
    for row in &report.cpus {
        let cpu = row.cpu.map_or_else(|| "any".to_owned(), |cpu| cpu.to_string());
        table.row(PLAIN, cells(cpu, row));
    }
    page.table(table);
    page.paragraph(Line::plain("  "), DIM, LEGEND);
    if report.cpus.iter().any(|row| !row.tells(1e4)) {
        let text = "–: not known, as a read of the clock takes over a tenth of that time";
        page.paragraph(Line::plain("  "), DIM, text);
    }
}

fn cells(cpu: String, row: &Hiccups) -> [String; 12] {
    let figures = &row.figures;
    let told =
        |longer_than_ns: f64, value: f64| if row.tells(longer_than_ns) { share(value) } else { "–".to_owned() };
    [
        cpu,
        row.way.name().to_owned(),
        ms(figures.observed_ms),
        count(figures.looks),
        ns(figures.late_ns.p50),
        ns(figures.late_ns.p90),
        ns(figures.late_ns.p99),
        ns(figures.late_ns.p999),
        ns(figures.late_ns.max),
        told(1e4, figures.share_over_10_us),
        told(1e5, figures.share_over_100_us),
        told(1e6, figures.share_over_1_ms),
    ]
}

fn chart(way: HiccupWay, figures: &HiccupFigures, width: usize) -> Vec<Line> {
    let words = match way {
        HiccupWay::Spin => "spin: a thread that only computes, on each CPU in turn",
        HiccupWay::Sleep => "sleep: a thread per CPU that sleeps",
    };
    let mut lines: Vec<Line> = wrapped(words, width).iter().map(|piece| Line::styled(TITLE, piece)).collect();
    lines.extend(bars(&figures.late_ns.histogram, ROWS, width));
    lines
}

fn ended(program: &ProgramReport) -> String {
    let how = match (program.exit_code, program.signal) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("ended by signal {signal}"),
        (None, None) => "how it ended is not known".to_owned(),
    };
    let why = match (program.killed, program.stopped) {
        (true, _) => ", killed since it did not end when asked to",
        (false, true) => ", as it was asked to end",
        (false, false) => "",
    };
    format!("{how}{why}")
}

fn written(log: &LogReport) -> String {
    let ended = log.reason_ended.as_ref().map_or_else(String::new, |reason| format!("; ended early: {reason}"));
    format!("{}: {} intervals{ended}", log.file, count(log.intervals))
}
