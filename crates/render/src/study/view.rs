use chronoscope_harness::record::study::{Comparison, StudyRecord};

use super::curve::{self, Chart};
use super::{Detail, cells, comparisons, harness, plot, says, words};
use crate::bars::{SCALE, bars};
use crate::grid::Mood;
use crate::line::Line;
use crate::page::Page;
use crate::palette::{CRITICAL, DIM, PLAIN, WARNING};
use crate::words::given;
use crate::{Width, findings, machine, study_compared, title};
use chronoscope_harness::quantity::confidence;

/// Charts at the usual detail.
const CHARTS: usize = 4;
/// Rows of a histogram.
const BARS: usize = 12;

/// Renders a study as text with ANSI styles, for a terminal of this width.
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
    let mut page = Page::with_width(width);
    let circumstances = title::circumstances(&record.machine, &record.started_at, record.elapsed_ms);
    title::head(&mut page, &format!("study {}", record.study.name), &circumstances, record.interrupted);
    what_it_says(&mut page, record);
    compared(&mut page, record, detail);
    charts(&mut page, "OVER THREADS", &curve::over_threads(record), detail);
    charts(&mut page, "OVER BACKOFF", &curve::uncompared(record), detail);
    measured(&mut page, record, detail);
    latencies(&mut page, record, detail);
    if let Some(grid) = cells::parts(record) {
        page.section("PART OF THE OPERATION (rate claimed by timestamps around it, and actual rate)");
        page.table(grid.table().folding_last());
    }
    failures(&mut page, record);
    the_harness(&mut page, record, detail);
    findings::all(&mut page, &record.findings);
    let mut text = page.finish();
    if let Some(compared) = &record.compared {
        text.push_str(&study_compared(compared, width));
    }
    text
}

fn what_it_says(page: &mut Page, record: &StudyRecord) {
    page.section("CONCLUSIONS");
    let said = says::all(record);
    if said.is_empty() {
        page.paragraph(Line::plain("  "), DIM, "none: no operation has an estimate");
    }
    for (mood, text) in said {
        let sign = match mood {
            Mood::Warning => "! ",
            Mood::Quiet => "· ",
            _ => "• ",
        };
        page.paragraph(Line::styled(mood.style(), sign), mood.style(), &text);
    }
}

fn compared(page: &mut Page, record: &StudyRecord, detail: Detail) {
    if record.comparisons.is_empty() {
        return;
    }
    page.section("COMPARISONS");
    for (i, comparison) in record.comparisons.iter().enumerate() {
        if i > 0 {
            page.line(Line::new());
        }
        comparison_of(page, record, comparison, detail, i < CHARTS || detail == Detail::Full);
    }
    if record.comparisons.len() > CHARTS && detail == Detail::Usual {
        page.paragraph(Line::plain("  "), DIM, "charts of the first comparisons only; the full detail shows all");
    }
}

fn comparison_of(page: &mut Page, record: &StudyRecord, comparison: &Comparison, detail: Detail, is_drawn: bool) {
    page.heading(&words::title(comparison));
    page.table(comparisons::grid(record, comparison, detail).table().folding_last());
    if let Some(text) = comparisons::left_out(comparison, detail) {
        page.paragraph(Line::plain("  "), DIM, &text);
    }
    if is_drawn {
        let difference = format!("difference, {}", words::threads(comparison.threads));
        let column = page.column();
        let charts = [curve::times(record, comparison), curve::differences(difference, &[comparison])];
        let [left, right] = charts.map(|chart| chart.map(|chart| plot::lines(&chart, column)).unwrap_or_default());
        if !left.is_empty() || !right.is_empty() {
            page.line(Line::new());
            page.side_by_side(left, right);
        }
    }
}

fn charts(page: &mut Page, title: &str, charts: &[Chart], detail: Detail) {
    if charts.is_empty() {
        return;
    }
    page.section(title);
    let shown = if detail == Detail::Full { charts.len() } else { charts.len().min(CHARTS) };
    for chart in &charts[..shown] {
        page.lines(plot::lines(chart, page.width()));
    }
    if shown < charts.len() {
        page.paragraph(
            Line::plain("  "),
            DIM,
            &format!("{shown} of {} charts shown; the full detail has all", charts.len()),
        );
    }
}

fn measured(page: &mut Page, record: &StudyRecord, detail: Detail) {
    let level = confidence(record.study.confidence());
    page.section(&format!("CELLS (time per operation including backoff; ± {level}; undisturbed iterations of all)"));
    let chosen = cells::chosen(record, detail);
    if chosen.is_empty() {
        page.paragraph(Line::plain("  "), DIM, "nothing was measured");
        return;
    }
    page.table(cells::grid(&chosen).table().folding_last());
    if chosen.len() < record.cells.len() {
        let text = format!("{} of {} cells shown; the full detail has all", chosen.len(), record.cells.len());
        page.paragraph(Line::plain("  "), DIM, &text);
    }
    for reason in cells::reasons(&chosen) {
        page.paragraph(Line::styled(WARNING, "! "), PLAIN, &reason);
    }
}

fn latencies(page: &mut Page, record: &StudyRecord, detail: Detail) {
    let mut is_first = true;
    for cell in cells::chosen(record, detail) {
        let (Some(latencies), Some([values, how])) = (&cell.latencies, cells::percentiles(cell)) else {
            continue;
        };
        if std::mem::take(&mut is_first) {
            page.section(&format!("SINGLE OPERATIONS ({SCALE})"));
        }
        let (threads, tokens) = (words::threads(cell.threads), words::token_count(cell.backoff_tokens));
        page.heading(&format!("{}, {threads}, {tokens}", words::cell_name(cell)));
        page.lines(bars(&latencies.histogram, BARS, page.width()));
        page.paragraph(Line::plain("  "), PLAIN, &values);
        page.paragraph(Line::plain("  "), DIM, &how);
    }
}

fn failures(page: &mut Page, record: &StudyRecord) {
    if record.failures.is_empty() {
        return;
    }
    page.section("FAILURES");
    for failure in &record.failures {
        let text = format!("{}, at {}: {}", failure.case, failure.at, given(Some(&failure.reason)));
        page.paragraph(Line::styled(CRITICAL, "✘ "), PLAIN, &text);
    }
}

fn the_harness(page: &mut Page, record: &StudyRecord, detail: Detail) {
    page.section("HARNESS");
    for (name, tone, text) in harness::facts(record) {
        page.entry(name, tone.style(), &text);
    }
    let tool = format!("{} {}", record.tool.name, record.tool.version);
    page.entry("written by", PLAIN, &tool);
    let facts = machine::facts(&record.machine);
    let brief = facts.into_iter().enumerate().filter(|(i, _)| detail == Detail::Full || matches!(i, 0 | 4 | 6));
    for (_, (name, text)) in brief {
        page.entry(name, PLAIN, &text);
    }
}
