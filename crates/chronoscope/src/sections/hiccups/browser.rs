//! The section on a page for browsers: how late threads were on each CPU, and how often.

use chronoscope_harness::quantity::ns;
use chronoscope_render::axis::Scale;
use chronoscope_render::browser::{Chart, Entry, Figure, Hue, Row, Rows, Shape};
use chronoscope_render::page::Page;
use chronoscope_render::text::Mood;

mod over_time;

use super::report::{HiccupWay, Hiccups, HiccupsReport};
use super::view;
use crate::document::Record;
use crate::screen::browser::{curve, told};

/// Maximum CPUs that are drawn for each way.
const CPUS: usize = 24;

pub fn figures(record: &Record) -> Vec<Figure> {
    let mut numbers = Page::default();
    view::show(&mut numbers, record);
    let report = record.content.sections.hiccups.report.as_ref();
    if let Some(report) = report {
        over_time::numbers(&mut numbers, report);
    }
    let how_over_time = report.and_then(|report| report.over_time.as_ref()).map_or("", |_| over_time::HOW);
    vec![Figure {
        id: "hiccups",
        short: "hiccups",
        title: "Stalls that threads would see".to_owned(),
        says: said(record, report),
        charts: report.map_or_else(Vec::new, charts),
        how: format!(
            "Lateness of looks at the clock, those that a stall prevented included. {} The curves are over all CPUs. {}{how_over_time}",
            curve::MARKS,
            curve::CURVES
        ),
        numbers,
        ..Figure::default()
    }]
}

/// How a way to watch is drawn, and what its thread does.
const fn look(way: HiccupWay) -> (Hue, Shape, &'static str) {
    match way {
        HiccupWay::Spin => (Hue::Blue, Shape::Circle, "a thread that only computes"),
        HiccupWay::Sleep => (Hue::Purple, Shape::Triangle, "a thread that sleeps 1 ms at a time"),
    }
}

fn said(record: &Record, report: Option<&HiccupsReport>) -> Vec<(Mood, String)> {
    let Some(report) = report else {
        return vec![(Mood::Quiet, told::sentence(&record.content.not_tested(&[super::plan::HICCUPS])))];
    };
    let each = report.all.iter().flat_map(|seen| [Some(of_way(seen)), over_time::said(report, seen.way)]);
    let mut said: Vec<(Mood, String)> = each.flatten().map(|sentence| (Mood::Plain, sentence)).collect();
    if said.is_empty() {
        said.push((Mood::Quiet, "It ended before the first look was due.".to_owned()));
    }
    said.extend(told::warnings(record, "hiccups"));
    said
}

/// The longest stall of a way, and what one in a thousand was.
fn of_way(seen: &Hiccups) -> String {
    let late = &seen.figures.late_ns;
    let longest = match seen.way {
        HiccupWay::Spin => format!("A thread that only computes was held up for {} at most", ns(late.max)),
        HiccupWay::Sleep => format!("A thread that sleeps was woken {} late at most", ns(late.max)),
    };
    format!("{longest}; 1 in 1\u{202f}000 looks was over {} late.", ns(late.p999))
}

fn charts(report: &HiccupsReport) -> Vec<Chart> {
    let entries: Vec<Entry> = HiccupWay::ALL.into_iter().flat_map(|way| rows(report, way)).collect();
    let rows = Rows { entries, scale: Scale::Log, word: ns, axis_name: "lateness".to_owned(), reference: None };
    let panels: Vec<curve::Panel<'_>> =
        report.all.iter().map(|seen| (title(seen.way), vec![("", look(seen.way).0, &seen.figures.late_ns)])).collect();
    let curves = curve::plots(&panels, "lateness", "share of looks at least so late");
    vec![Chart::Rows(rows), Chart::Plots(curves), Chart::Plots(over_time::plots(report, title))]
}

fn title(way: HiccupWay) -> String {
    told::sentence(look(way).2).trim_end_matches('.').to_owned()
}

/// All CPUs together, then each; of many those with the longest stalls.
fn rows(report: &HiccupsReport, way: HiccupWay) -> Vec<Entry> {
    let of_way = |seen: &&Hiccups| seen.way == way;
    let (_, _, title) = look(way);
    let all = report.all.iter().filter(of_way).map(|seen| row("all CPUs".to_owned(), seen));
    let mut each: Vec<&Hiccups> = report.cpus.iter().filter(of_way).collect();
    let cpus = each.len();
    each.sort_by(|a, b| b.figures.late_ns.max.total_cmp(&a.figures.late_ns.max));
    each.truncate(CPUS);
    each.sort_by_key(|seen| seen.cpu);
    let heading = match cpus - each.len() {
        0 => title.to_owned(),
        _ => format!("{title}: the {CPUS} of {cpus} CPUs with the longest stalls"),
    };
    let each = each.into_iter().map(|seen| {
        let name = seen.cpu.map_or_else(|| "any CPU".to_owned(), |cpu| format!("CPU {cpu}"));
        row(name, seen)
    });
    let rows: Vec<Entry> = all.chain(each).collect();
    if rows.is_empty() { rows } else { std::iter::once(Entry::Heading(heading)).chain(rows).collect() }
}

fn row(name: String, seen: &Hiccups) -> Entry {
    let (hue, shape, _) = look(seen.way);
    let late = &seen.figures.late_ns;
    let more = format!("{}, {name}\n{}", seen.way.name(), curve::said(late));
    let value = format!("p50 {}, most {}", ns(late.p50), ns(late.max));
    Entry::Row(Row { name, hue, marks: curve::marks(late, shape), value, more, ..Row::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections::hiccups::report::HiccupFigures;
    use crate::sections::hiccups::rules::WOKEN_LATE;
    use chronoscope_harness::finding::Finding;
    use chronoscope_harness::record::{Bin, Histogram, Times};

    fn seen(way: HiccupWay, cpu: Option<u32>, share_over_1_ms: f64) -> Hiccups {
        let histogram = Histogram { bins: vec![Bin { from_ns: 30.0, to_ns: 40.0, count: 99 }] };
        let late_ns =
            Times { mean: None, p50: 37.0, p90: 48.0, p99: 10_000.0, p999: 50_000.0, max: 678_000.0, histogram };
        Hiccups { cpu, way, figures: HiccupFigures { late_ns, share_over_1_ms, looks: 99, ..HiccupFigures::default() } }
    }

    fn drawn(report: Option<HiccupsReport>) -> Figure {
        let mut record = crate::rules::tests::blank();
        record.content.sections.hiccups.report = report;
        figures(&record).remove(0)
    }

    #[test]
    fn each_way_has_its_rows_and_its_curve() {
        let all: Vec<Hiccups> = HiccupWay::ALL.map(|way| seen(way, None, 0.0)).into();
        let cpus = vec![seen(HiccupWay::Spin, Some(3), 0.0), seen(HiccupWay::Sleep, Some(3), 0.0)];
        let figure = drawn(Some(HiccupsReport { all, cpus, ..HiccupsReport::default() }));
        let [Chart::Rows(rows), Chart::Plots(plots), Chart::Plots(_)] = figure.charts.as_slice() else {
            panic!("{:?}", figure.charts)
        };
        assert_eq!((rows.entries.len(), plots.len()), (6, 2), "{rows:?}");
        let Entry::Row(row) = &rows.entries[2] else { panic!("{rows:?}") };
        assert_eq!((row.name.as_str(), row.value.as_str()), ("CPU 3", "p50 37.0 ns, most 678 µs"));
    }

    #[test]
    fn of_many_cpus_those_with_the_longest_stalls_are_drawn() {
        let mut cpus: Vec<Hiccups> = (0..60).map(|cpu| seen(HiccupWay::Spin, Some(cpu), 0.0)).collect();
        (cpus[57].figures.late_ns.max, cpus[58].figures.late_ns.max) = (9e6, f64::NAN);
        let figure = drawn(Some(HiccupsReport { cpus, ..HiccupsReport::default() }));
        let Some(Chart::Rows(rows)) = figure.charts.first() else { panic!("{figure:?}") };
        let is_worst = |entry: &Entry| matches!(entry, Entry::Row(row) if row.name == "CPU 57");
        assert!(rows.entries.len() == 1 + CPUS && rows.entries.iter().any(is_worst), "{rows:?}");
        let Entry::Heading(heading) = &rows.entries[0] else { panic!("{rows:?}") };
        assert!(heading.ends_with("the 24 of 60 CPUs with the longest stalls"), "{heading}");
    }

    #[test]
    fn the_sentence_tells_the_longest_stall_and_what_to_act_on() {
        let mut record = crate::rules::tests::blank();
        let all = vec![seen(HiccupWay::Sleep, None, 0.0)];
        record.content.sections.hiccups.report = Some(HiccupsReport { all, ..HiccupsReport::default() });
        let quiet = figures(&record).remove(0).says;
        assert_eq!(quiet.len(), 1, "{quiet:?}");
        assert_eq!(
            quiet[0].1,
            "A thread that sleeps was woken 678 µs late at most; 1 in 1\u{202f}000 looks was over 50.0 µs late."
        );
        record.findings.push(Finding::new(WOKEN_LATE, "a thread that sleeps would be woken late".to_owned()));
        let warned = figures(&record).remove(0).says;
        assert_eq!(warned[1], (Mood::Warning, "A thread that sleeps would be woken late.".to_owned()));
    }

    #[test]
    fn a_run_without_looks_has_no_chart() {
        assert!(drawn(None).charts.is_empty());
        let empty = drawn(Some(HiccupsReport::default()));
        assert_eq!(empty.says, [(Mood::Quiet, "It ended before the first look was due.".to_owned())]);
    }
}
