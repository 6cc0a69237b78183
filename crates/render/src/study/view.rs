use chronoscope_harness::finding::{Finding, Severity};
use chronoscope_harness::quantity::count;
use chronoscope_harness::record::study::{Comparison, StudyRecord};
use chronoscope_harness::study_rules::{BELOW_RESOLUTION, CASE_FAILED};

use super::curve::{self, Chart};
use super::{Detail, against, cells, comparisons, harness, plot, says, words};
use crate::bars::{SCALE, bars};
use crate::grid::Mood;
use crate::line::Line;
use crate::page::Page;
use crate::palette::{CRITICAL, DIM, PLAIN, WARNING};
use crate::words::{counted, given};
use crate::{Width, findings, machine, title};

/// Charts at the usual detail.
const CHARTS: usize = 4;
/// Rows of a histogram.
const BARS: usize = 12;

/// Renders a study as text with ANSI styles, for a terminal of this width: a line for each operation, its comparisons in one
/// table, and warnings. In full detail also every comparison by itself, histograms, and what the study did; how the harness
/// measures here, and the machine, are in [`surroundings`].
///
/// # Guarantees
/// Never panics, for any record. The record's strings cannot control the terminal: control characters in them are shown
/// as pictures. An unresolved difference is never written as a cost. Nothing is conveyed by colour alone.
///
/// # Examples
/// ```
/// use chronoscope_render::Width;
/// use chronoscope_render::study::{Detail, parse, terminal};
///
/// let record = parse(include_str!("../../tests/fixtures/study.json"))?;
/// let styled = terminal(&record, Detail::Usual, Width::of_columns(80));
/// assert!(styled.contains("CONCLUSIONS"));
/// assert!(styled.contains("seq_cst against relaxed, 1 thread"));
/// # Ok::<(), chronoscope_harness::record::ReportError>(())
/// ```
pub fn terminal(record: &StudyRecord, detail: Detail, width: Width) -> String {
    page(record, detail, width).finish()
}

/// The same before it is laid out.
pub fn page(record: &StudyRecord, detail: Detail, width: Width) -> Page {
    let mut page = Page::with_width(width);
    title::head(&mut page, &format!("study {}", record.study().name), record);
    what_it_says(&mut page, record);
    measured(&mut page, record, detail);
    compared(&mut page, record, detail);
    against_build(&mut page, record);
    charts(&mut page, "OVER THREADS", &curve::over_threads(record), detail);
    charts(&mut page, "OVER BACKOFF", &curve::uncompared(record), detail);
    if let Some(grid) = cells::parts(record) {
        page.section("PART OF THE OPERATION (rate claimed by timestamps around it, and actual rate)");
        page.table(grid.table().folding_last());
        page.paragraph(Line::plain("  "), DIM, cells::OF_PARTS);
    }
    if detail == Detail::Full {
        latencies(&mut page, record);
        page.section("STUDY");
        facts(&mut page, harness::of_study(record));
    }
    failures(&mut page, record);
    found(&mut page, record, detail);
    page
}

/// Renders what all studies of a run have in common: how the harness measures here, and the machine.
///
/// # Guarantees
/// As for [`terminal`].
///
/// # Examples
/// ```
/// use chronoscope_render::Width;
/// use chronoscope_render::study::{parse, surroundings};
///
/// let record = parse(include_str!("../../tests/fixtures/study.json"))?;
/// assert!(surroundings(&record, Width::default()).contains("empty loop"));
/// # Ok::<(), chronoscope_harness::record::ReportError>(())
/// ```
pub fn surroundings(record: &StudyRecord, width: Width) -> String {
    surroundings_page(record, width).finish()
}

/// The same before it is laid out.
pub fn surroundings_page(record: &StudyRecord, width: Width) -> Page {
    let mut page = Page::with_width(width);
    page.section("HARNESS");
    facts(&mut page, harness::of_run(record));
    page.entry("written by", PLAIN, &format!("{} {}", record.tool.name, record.tool.version));
    machine::show(&mut page, &record.machine);
    page
}

/// What the study did, what failed, and what was found.
#[cfg(feature = "html")]
pub(super) fn about(record: &StudyRecord, width: Width) -> Page {
    let mut page = Page::with_width(width);
    if let Some(grid) = cells::parts(record) {
        page.section("Part of the operation");
        page.table(grid.table());
        page.paragraph(Line::plain("  "), DIM, cells::OF_PARTS);
    }
    failures(&mut page, record);
    found(&mut page, record, Detail::Full);
    page.section("Study");
    facts(&mut page, harness::of_study(record));
    page
}

fn what_it_says(page: &mut Page, record: &StudyRecord) {
    let said = says::all(record);
    if said.is_empty() {
        return;
    }
    page.section("CONCLUSIONS");
    for (mood, text) in said {
        let sign = if mood == Mood::Quiet { "· " } else { "• " };
        page.paragraph(Line::styled(mood.style(), sign), mood.style(), &text);
    }
}

fn measured(page: &mut Page, record: &StudyRecord, detail: Detail) {
    let chosen = cells::chosen(record, detail);
    page.section(&format!("TIME PER OPERATION ({})", cells::heading(record, &chosen)));
    if chosen.is_empty() {
        page.paragraph(Line::plain("  "), DIM, "nothing was measured");
        return;
    }
    page.table(cells::grid(record, &chosen, detail).table().folding_last());
    if chosen.len() < record.study().cells.len() {
        let text = format!(
            "{} of {} cells shown; the full detail has all",
            count(chosen.len() as u64),
            count(record.study().cells.len() as u64)
        );
        page.paragraph(Line::plain("  "), DIM, &text);
    }
    for reason in cells::reasons(record, &chosen) {
        page.paragraph(Line::styled(WARNING, "! "), PLAIN, &reason);
    }
}

fn compared(page: &mut Page, record: &StudyRecord, detail: Detail) {
    if record.study().comparisons.is_empty() {
        return;
    }
    page.section(&format!("COMPARISONS ({})", comparisons::heading(record)));
    page.table(comparisons::all(record).table().folding_last());
    let left_out = comparisons::left_out(record).filter(|_| detail == Detail::Usual);
    for text in comparisons::legend(record).into_iter().chain(left_out) {
        page.paragraph(Line::plain("  "), DIM, &text);
    }
    match detail {
        Detail::Usual => differences(page, record),
        Detail::Full => {
            record.study().comparisons.iter().for_each(|comparison| in_full(page, record, comparison));
            page.paragraph(Line::plain("  "), DIM, comparisons::OF_PAIRS);
        }
    }
}

/// A comparison by itself.
fn in_full(page: &mut Page, record: &StudyRecord, comparison: &Comparison) {
    page.line(Line::new());
    page.heading(&words::title(&record.study().plan, comparison));
    page.table(comparisons::grid(record, comparison).table().folding_last());
    let title = format!("difference{}", words::on_threads(&record.study().plan, comparison.threads));
    let charts = [curve::times(record, comparison), curve::differences(record, title, &[comparison])];
    side_by_side(page, &charts.into_iter().flatten().collect::<Vec<_>>());
}

/// A chart of the difference for each comparison: next to contention on many threads, that on one would be a flat line.
fn differences(page: &mut Page, record: &StudyRecord) {
    let chart = |comparison| {
        let title = format!("difference of {}", words::title(&record.study().plan, comparison));
        curve::differences(record, title, &[comparison])
    };
    let charts: Vec<Chart> = record.study().comparisons.iter().filter_map(chart).collect();
    side_by_side(page, &charts[..charts.len().min(CHARTS)]);
    if charts.len() > CHARTS {
        page.paragraph(Line::plain("  "), DIM, "charts of the first comparisons only; the full detail shows all");
    }
}

/// Two charts in a row where the page has room.
fn side_by_side(page: &mut Page, charts: &[Chart]) {
    for two in charts.chunks(2) {
        page.line(Line::new());
        match two {
            [left, right] => {
                let column = page.column();
                page.side_by_side(plot::lines(left, column), plot::lines(right, column));
            }
            _ => two.iter().for_each(|chart| page.drawing(plot::lines(chart, page.width()))),
        }
    }
}

fn against_build(page: &mut Page, record: &StudyRecord) {
    let Some(found) = &record.content.against else { return };
    page.section(&against::title(found));
    if !found.cells.is_empty() {
        page.table(against::grid(found).table().folding_last());
    }
    for (mood, sign, text) in against::sentences(found) {
        page.paragraph(Line::styled(mood.style(), &format!("{sign} ")), mood.style(), &text);
    }
}

fn charts(page: &mut Page, title: &str, charts: &[Chart], detail: Detail) {
    if charts.is_empty() {
        return;
    }
    page.section(title);
    let shown = if detail == Detail::Full { charts.len() } else { charts.len().min(CHARTS) };
    for chart in &charts[..shown] {
        page.drawing(plot::lines(chart, page.width()));
    }
    if shown < charts.len() {
        page.paragraph(
            Line::plain("  "),
            DIM,
            &format!("{shown} of {} charts shown; the full detail has all", count(charts.len() as u64)),
        );
    }
}

fn latencies(page: &mut Page, record: &StudyRecord) {
    let mut is_first = true;
    for cell in &record.study().cells {
        let (Some(latencies), Some([values, how])) = (&cell.latencies, cells::percentiles(cell)) else {
            continue;
        };
        if std::mem::take(&mut is_first) {
            page.section_of_drawings("SINGLE OPERATIONS", SCALE);
        }
        page.heading(&words::cell_title(&record.study().plan, cell));
        page.drawing(bars(&latencies.ns.histogram, BARS, page.width()));
        page.paragraph(Line::plain("  "), PLAIN, &values);
        page.paragraph(Line::plain("  "), DIM, &how);
    }
}

fn failures(page: &mut Page, record: &StudyRecord) {
    if record.study().failures.is_empty() {
        return;
    }
    page.section("FAILURES");
    for failure in &record.study().failures {
        let text = format!("{}: {}", failure.name(), given(Some(&failure.reason)));
        page.paragraph(Line::styled(CRITICAL, "✘ "), PLAIN, &text);
    }
}

fn facts(page: &mut Page, facts: Vec<harness::Fact>) {
    for (name, tone, text) in facts {
        page.entry(name, tone.style(), &text);
    }
}

/// Warnings and errors, and what was too short to time; other notices in full detail.
fn found(page: &mut Page, record: &StudyRecord, detail: Detail) {
    // A failure is a section of its own.
    let is_shown = |finding: &&Finding| match finding.severity {
        Severity::Notice => finding.is(BELOW_RESOLUTION),
        Severity::Warning | Severity::Critical => !finding.is(CASE_FAILED),
    };
    let (shown, others): (Vec<&Finding>, Vec<&Finding>) = record.findings.iter().partition(is_shown);
    let notices = others.iter().filter(|finding| finding.severity == Severity::Notice).count() as u64;
    if detail == Detail::Full {
        return findings::all(page, &record.findings);
    }
    findings::all(page, shown);
    if notices > 0 {
        let text = format!("{} in the full detail", counted(notices, "notice", "notices"));
        page.paragraph(Line::styled(DIM, "· "), DIM, &text);
    }
}
