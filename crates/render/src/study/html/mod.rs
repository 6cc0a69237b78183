//! A study as one self-contained HTML page.

mod chart;

use chronoscope_harness::record::study::{Cell, Comparison, StudyRecord};

use self::chart::{how, plot};
use super::curve::{self, Chart};
use super::{Detail, OverThreads, against, cells, comparisons, says, view, words};
use crate::axis::Scale;
use crate::browser::{self, Entry, Figure, Hue, Mark, Plot, Row, Rows, Shape, Sheet};
use crate::grid::{Column, Grid, Mood};
use crate::line::Line;
use crate::page::Page;
use crate::palette::{DIM, PLAIN};
use crate::{Width, title};
use chronoscope_harness::quantity::{TIME, count, ns};

/// Maximum charts per page; a record may have any number of comparisons.
const CHARTS: usize = 60;

/// Renders a study as one page of HTML with charts.
///
/// # Guarantees
/// Those of [`Sheet::finish`]: the page asks for nothing, and every string of the record is escaped. Charts say in words what they
/// show, and the tables contain all their data. Colours follow the reader's light or dark scheme; curves also differ in shape.
///
/// # Examples
/// ```
/// use chronoscope_render::study::{html, parse};
///
/// let record = parse(include_str!("../../../tests/fixtures/study.json"))?;
/// let page = html(&record);
/// assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<svg"));
/// # Ok::<(), chronoscope_harness::record::ReportError>(())
/// ```
pub fn html(record: &StudyRecord) -> String {
    sheet(record, &Lead::default()).finish()
}

/// What a program that draws its own conclusions from a study puts first on the page.
///
/// # Examples
/// ```
/// use chronoscope_render::study::{Lead, parse, sheet};
///
/// let record = parse(include_str!("../../../tests/fixtures/study.json"))?;
/// let lead = Lead { title: "Fronts".to_owned(), sentences: vec!["a front is …".to_owned()], ..Lead::default() };
/// assert!(sheet(&record, &lead).finish().contains("<h2>Fronts</h2>"));
/// # Ok::<(), chronoscope_harness::record::ReportError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lead {
    /// The section's heading; empty for none.
    pub title: String,
    /// The main chart.
    pub chart: Option<OverThreads>,
    /// What a first-time reader must know.
    pub sentences: Vec<String>,
    /// The conclusions as a table: its columns, and a row for each; no table without rows.
    pub columns: Vec<Column>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
    /// Further charts, drawn small.
    pub more: Vec<OverThreads>,
}

/// The same page before it is written, with `lead` at its beginning.
///
/// # Examples
/// See [`Lead`].
pub fn sheet(record: &StudyRecord, lead: &Lead) -> Sheet {
    let mut left = CHARTS;
    let mut figures: Vec<Figure> = led(lead).into_iter().collect();
    figures.extend(compared(record, &mut left));
    figures.extend(against_build(record));
    figures.extend(charted(("threads", "threads", "Over threads"), &curve::over_threads(record), &mut left));
    figures.extend(charted(("backoff", "backoff", "Over backoff"), &curve::uncompared(record), &mut left));
    figures.push(times(record));
    figures.extend(latencies(record));
    figures.push(about(record));
    let said = says::all(record);
    Sheet {
        title: record.study().name.clone(),
        meta: title::circumstances(record),
        warnings: title::emulated(&record.machine)
            .into_iter()
            .chain(record.interrupted.then(|| "interrupted: partial results".to_owned()))
            .collect(),
        boxes: if said.is_empty() { Vec::new() } else { vec![("Conclusions".to_owned(), said)] },
        figures,
        source: format!("one document of {} {}", record.tool.name, record.tool.version),
        ..Sheet::default()
    }
}

fn led(lead: &Lead) -> Option<Figure> {
    if lead.title.is_empty() {
        return None;
    }
    let main = lead.chart.as_ref().map(OverThreads::chart);
    let more: Vec<Chart> = lead.more.iter().map(OverThreads::chart).collect();
    let mut numbers = Page::default();
    if !lead.rows.is_empty() {
        let rows = lead.rows.iter().map(|row| (Mood::Plain, row.clone())).collect();
        numbers.table(Grid { rows, ..Grid::new(&lead.columns) }.table());
    }
    let all: Vec<&Chart> = main.iter().chain(&more).collect();
    Some(Figure {
        id: "lead",
        short: "over threads",
        title: lead.title.clone(),
        says: lead.sentences.iter().map(|sentence| (Mood::Plain, sentence.clone())).collect(),
        how: how(&all),
        charts: [main.iter().filter_map(plot).collect(), more.iter().filter_map(plot).collect()]
            .map(browser::Chart::Plots)
            .into(),
        numbers,
        ..Figure::default()
    })
}

/// Charts under one title, as many as are `left`.
fn charted(
    (id, short, title): (&'static str, &'static str, &str),
    charts: &[Chart],
    left: &mut usize,
) -> Option<Figure> {
    let drawn: Vec<&Chart> = charts.iter().take(*left).collect();
    *left -= drawn.len();
    let says = match charts.len() - drawn.len() {
        0 => Vec::new(),
        more => vec![(Mood::Quiet, format!("{} more charts are not drawn; the tables have all.", count(more as u64)))],
    };
    (!charts.is_empty()).then(|| Figure {
        id,
        short,
        title: title.to_owned(),
        says,
        how: how(&drawn),
        charts: vec![browser::Chart::Plots(drawn.iter().filter_map(|chart| plot(chart)).collect())],
        ..Figure::default()
    })
}

fn compared(record: &StudyRecord, left: &mut usize) -> Option<Figure> {
    let mut charts: Vec<Chart> = Vec::new();
    let mut numbers = Page::default();
    for (pair, group) in by_pair(record) {
        numbers.heading(&pair);
        charts.extend(curve::differences(record, format!("Difference of {pair} over backoff"), &group));
        let is_alone = group.len() == 1;
        for comparison in group {
            let caption = words::title(&record.study().plan, comparison);
            // Next to contention on many threads, the difference on one would be a flat line.
            let alone = curve::differences(record, format!("Difference of {caption}"), &[comparison]);
            charts.extend(alone.filter(|_| !is_alone));
            charts.extend(curve::times(record, comparison));
            numbers.paragraph(Line::new(), PLAIN, &caption);
            numbers.table(comparisons::grid(record, comparison).table());
        }
    }
    if !numbers.is_empty() {
        numbers.paragraph(Line::new(), DIM, comparisons::OF_PAIRS);
    }
    let mut found = charted(("comparisons", "comparisons", "Comparisons"), &charts, left).unwrap_or_default();
    let differences = record.study().comparisons.iter().flat_map(|one| &one.points).map(|point| point.difference_ns);
    found.says.extend(crate::words::confidences(differences).map(|words| (Mood::Warning, words)));
    (!numbers.is_empty()).then(|| Figure {
        id: "comparisons",
        short: "comparisons",
        title: "Comparisons".to_owned(),
        numbers,
        ..found
    })
}

fn against_build(record: &StudyRecord) -> Option<Figure> {
    let found = record.content.against.as_ref()?;
    let mut numbers = Page::default();
    if !found.cells.is_empty() {
        numbers.table(against::grid(found).table());
    }
    let says = against::sentences(found).into_iter().map(|(mood, _, text)| (mood, text)).collect();
    Some(Figure {
        id: "against",
        short: "other build",
        title: against::title(found),
        says,
        numbers,
        ..Figure::default()
    })
}

/// Every operation.
fn times(record: &StudyRecord) -> Figure {
    let cells: Vec<&Cell> = record.study().cells.iter().collect();
    let mut numbers = Page::default();
    let mut says = vec![(Mood::Quiet, cells::heading(record, &cells))];
    if cells.is_empty() {
        says.push((Mood::Warning, "Nothing was measured.".to_owned()));
    } else {
        numbers.table(cells::grid(record, &cells, Detail::Full).table());
    }
    says.extend(cells::reasons(record, &cells).into_iter().map(|reason| (Mood::Warning, reason)));
    let drawn = cells::chosen(record, Detail::Usual);
    if drawn.len() < cells.len() {
        says.push((
            Mood::Quiet,
            format!("{} of {} are drawn; the numbers have all.", count(drawn.len() as u64), count(cells.len() as u64)),
        ));
    }
    let entries = drawn.iter().map(|cell| Entry::Row(time_row(record, cell))).collect();
    let rows =
        Rows { entries, scale: Scale::Log, word: ns, axis_name: "time per operation".to_owned(), reference: None };
    Figure {
        id: "times",
        short: "times",
        title: "Time per operation".to_owned(),
        says,
        charts: vec![browser::Chart::Rows(rows)],
        how: "Thick: the interval. An arrow is a bound: the truth is below it.".to_owned(),
        numbers,
        ..Figure::default()
    }
}

fn time_row(record: &StudyRecord, cell: &Cell) -> Row {
    let bound = cell.below_ns.filter(|_| cell.time_ns.is_none()).map(|at| Mark::Below { at });
    let interval = cell.time_ns.and_then(|time| time.interval()).map(|(from, to)| Mark::Interval { from, to });
    let value = cell.time_ns.map(|time| Mark::Point {
        at: time.estimate,
        shape: Shape::Circle,
        is_hollow: !time.has_interval(),
    });
    Row {
        name: words::cell_title(&record.study().plan, cell),
        marks: bound.into_iter().chain(interval).chain(value).collect(),
        value: words::time(cell.time_ns, cell.below_ns, |time| words::amount(TIME, time)),
        ..Row::default()
    }
}

/// The distributions of single operations.
fn latencies(record: &StudyRecord) -> Option<Figure> {
    let mut plots = Vec::new();
    let mut numbers = Page::default();
    for cell in &record.study().cells {
        let (Some(latencies), Some([values, how])) = (&cell.latencies, cells::percentiles(cell)) else {
            continue;
        };
        let name = words::cell_title(&record.study().plan, cell);
        numbers.heading(&name);
        numbers.paragraph(Line::new(), PLAIN, &values);
        numbers.paragraph(Line::new(), crate::palette::DIM, &how);
        plots.extend(Plot::distribution(name, &latencies.ns.histogram, Hue::Blue, "time of one operation"));
    }
    (!numbers.is_empty()).then(|| Figure {
        id: "single",
        short: "single operations",
        title: "Single operations".to_owned(),
        charts: vec![browser::Chart::Plots(plots)],
        numbers,
        ..Figure::default()
    })
}

/// What the study did, what failed, what was found, and where.
fn about(record: &StudyRecord) -> Figure {
    let mut numbers = view::about(record, Width::default());
    numbers.append(view::surroundings_page(record, Width::default()));
    Figure {
        id: "about",
        short: "study and machine",
        title: "The study and the machine".to_owned(),
        numbers,
        ..Figure::default()
    }
}

/// Comparisons of the same two operations, in the order of the plan.
fn by_pair(record: &StudyRecord) -> Vec<(String, Vec<&Comparison>)> {
    let mut groups: Vec<(String, Vec<&Comparison>)> = Vec::new();
    for comparison in &record.study().comparisons {
        let pair = words::pair(comparison);
        match groups.iter_mut().find(|(known, _)| *known == pair) {
            Some((_, group)) => group.push(comparison),
            None => groups.push((pair, vec![comparison])),
        }
    }
    groups
}
