//! A study as one self-contained HTML page.

mod figure;
mod markup;

use chronoscope_harness::record::study::{Cell, Comparison, StudyRecord};

use self::markup::{escaped, grid, sentence};
use super::curve::{self, Chart};
use super::{Detail, OverThreads, against, cells, comparisons, harness, says, words};
use crate::bars::{SCALE, bars};
use crate::grid::{Column, Grid, Mood};
use crate::words::given;
use crate::{Width, findings, machine, title};

const STYLE: &str = include_str!("style.css");
/// Maximum charts per page; a record may have any number of comparisons.
const CHARTS: usize = 60;
/// Rows of a histogram.
const BARS: usize = 20;

/// Renders a study as one page of HTML with charts.
///
/// # Guarantees
/// The page loads nothing and runs no script; its own policy forbids both. Never panics, for any record; every string
/// of the record is escaped. Charts have titles for readers who cannot see them, and the tables contain all their data.
/// Colours follow the reader's light or dark scheme; curves also differ in shape.
///
/// # Examples
/// ```
/// use chronoscope_render::study::{html, parse};
///
/// let record = parse(include_str!("../../../tests/fixtures/study.json"))?;
/// let page = html(&record);
/// assert!(page.starts_with("<!doctype html>"));
/// assert!(page.contains("<svg") && !page.contains("<script"));
/// # Ok::<(), chronoscope_harness::record::ReportError>(())
/// ```
pub fn html(record: &StudyRecord) -> String {
    html_with(record, &Lead::default())
}

/// What a program that draws its own conclusions from a study puts first on the page.
///
/// # Examples
/// ```
/// use chronoscope_render::study::{Lead, html_with, parse};
///
/// let record = parse(include_str!("../../../tests/fixtures/study.json"))?;
/// let lead = Lead { title: "Fronts".to_owned(), sentences: vec!["a front is …".to_owned()], ..Lead::default() };
/// assert!(html_with(&record, &lead).contains("<h2>Fronts</h2>"));
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

/// The same page with `lead` at its beginning.
///
/// # Examples
/// See [`Lead`].
pub fn html_with(record: &StudyRecord, lead: &Lead) -> String {
    let mut page = Page { body: String::new(), charts: 0 };
    page.title(record);
    page.lead(lead);
    page.says(record);
    page.compared(record);
    page.against(record);
    page.charts("Over threads", &curve::over_threads(record));
    page.charts("Over backoff", &curve::uncompared(record));
    page.cells(record);
    page.latencies(record);
    page.parts(record);
    page.failures(record);
    page.facts("Study", &harness::of_study(record));
    page.facts("Harness", &harness::of_run(record));
    let facts = machine::facts(&record.machine).map(|(name, text)| (name, Mood::Plain, text));
    page.facts("Machine", &facts);
    page.findings(record);
    let study = escaped(&record.study().name);
    let tool = escaped(&format!("{} {}", record.tool.name, record.tool.version));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{study} · study</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{}</main>\n<footer>written by {tool}</footer>\n</body>\n</html>\n",
        page.body
    )
}

/// The body of the page, written from top to bottom.
struct Page {
    body: String,
    charts: usize,
}

impl Page {
    fn push(&mut self, markup: &str) {
        self.body.push_str(markup);
        self.body.push('\n');
    }

    fn section(&mut self, title: &str) {
        self.push(&format!("<h2>{}</h2>", escaped(title)));
    }

    fn title(&mut self, record: &StudyRecord) {
        self.push(&format!("<h1>{}</h1>", escaped(&record.study().name)));
        self.push(&format!("<p class=\"quiet\">{}</p>", escaped(&title::circumstances(record))));
        if let Some(text) = title::emulated(&record.machine) {
            self.push(&format!("<p class=\"warning\">! {}</p>", escaped(&text)));
        }
        if record.interrupted {
            self.push("<p class=\"warning\">! interrupted: partial results</p>");
        }
    }

    fn lead(&mut self, lead: &Lead) {
        if !lead.title.is_empty() {
            self.section(&lead.title);
        }
        if let Some(chart) = &lead.chart {
            self.chart(&chart.chart());
        }
        for sentence in &lead.sentences {
            self.push(&format!("<p>{}</p>", escaped(sentence)));
        }
        if !lead.rows.is_empty() {
            let rows = lead.rows.iter().map(|row| (Mood::Plain, row.clone())).collect();
            self.push(&grid(&Grid { rows, ..Grid::new(&lead.columns) }, &lead.title));
        }
        if !lead.more.is_empty() {
            self.push("<div class=\"small\">");
            lead.more.iter().for_each(|chart| self.chart(&chart.chart()));
            self.push("</div>");
        }
    }

    fn says(&mut self, record: &StudyRecord) {
        let said = says::all(record);
        if !said.is_empty() {
            self.section("Conclusions");
        }
        self.sentences(said);
    }

    fn compared(&mut self, record: &StudyRecord) {
        if record.study().comparisons.is_empty() {
            return;
        }
        self.section("Comparisons");
        for (pair, group) in by_pair(record) {
            self.push(&format!("<h3>{}</h3>", escaped(&pair)));
            if let Some(chart) = curve::differences(record, format!("Difference of {pair} over backoff"), &group) {
                self.chart(&chart);
            }
            let is_alone = group.len() == 1;
            for comparison in group {
                let caption = words::title(&record.study().plan, comparison);
                // Next to contention on many threads, the difference on one would be a flat line.
                let chart = curve::differences(record, format!("Difference of {caption}"), &[comparison]);
                if let Some(chart) = chart.filter(|_| !is_alone) {
                    self.chart(&chart);
                }
                if let Some(chart) = curve::times(record, comparison) {
                    self.chart(&chart);
                }
                self.push(&grid(&comparisons::grid(record, comparison), &caption));
            }
        }
    }

    fn against(&mut self, record: &StudyRecord) {
        let Some(found) = &record.content.against else { return };
        let title = against::title(found);
        self.section(&title);
        if !found.cells.is_empty() {
            self.push(&grid(&against::grid(found), &title));
        }
        self.sentences(against::sentences(found).into_iter().map(|(mood, _, text)| (mood, text)));
    }

    /// A list of them; none without any.
    fn sentences(&mut self, said: impl IntoIterator<Item = (Mood, String)>) {
        let mut said = said.into_iter().peekable();
        if said.peek().is_none() {
            return;
        }
        self.push("<ul class=\"says\">");
        for (mood, text) in said {
            self.push(&sentence(mood, &text));
        }
        self.push("</ul>");
    }

    fn charts(&mut self, title: &str, charts: &[Chart]) {
        if !charts.is_empty() {
            self.section(title);
        }
        for chart in charts {
            self.chart(chart);
        }
    }

    fn chart(&mut self, chart: &Chart) {
        self.charts += 1;
        if self.charts <= CHARTS {
            self.push(&figure::figure(chart, self.charts));
        } else if self.charts == CHARTS + 1 {
            self.push(&format!(
                "<p class=\"quiet\">Only the first {CHARTS} charts are drawn; the tables have all.</p>"
            ));
        }
    }

    fn cells(&mut self, record: &StudyRecord) {
        self.section("Time per operation");
        let cells: Vec<&Cell> = record.study().cells.iter().collect();
        self.push(&format!("<p class=\"quiet\">{}</p>", escaped(&cells::heading(record, &cells))));
        if cells.is_empty() {
            self.push("<p>Nothing was measured.</p>");
            return;
        }
        self.push(&grid(&cells::grid(record, &cells, Detail::Full), "every operation"));
        self.sentences(cells::reasons(record, &cells).into_iter().map(|reason| (Mood::Warning, reason)));
    }

    fn latencies(&mut self, record: &StudyRecord) {
        let mut is_first = true;
        for cell in &record.study().cells {
            let (Some(latencies), Some([values, how])) = (&cell.latencies, cells::percentiles(cell)) else {
                continue;
            };
            if std::mem::take(&mut is_first) {
                self.section("Single operations");
                self.push(&format!("<p class=\"quiet\">{}</p>", escaped(SCALE)));
            }
            let name = words::cell_title(&record.study().plan, cell);
            self.push(&format!("<h3>{}</h3>", escaped(&name)));
            let rows: Vec<String> =
                bars(&latencies.ns.histogram, BARS, Width::USUAL).iter().map(|line| escaped(&line.text())).collect();
            let label = escaped(&format!("histogram of {name}: {values}"));
            self.push(&format!("<pre role=\"img\" aria-label=\"{label}\">{}</pre>", rows.join("\n")));
            self.push(&format!("<p>{}</p>\n<p class=\"quiet\">{}</p>", escaped(&values), escaped(&how)));
        }
    }

    fn parts(&mut self, record: &StudyRecord) {
        if let Some(parts) = cells::parts(record) {
            self.section("Part of the operation");
            self.push(&grid(&parts, "rate claimed by timestamps around part of the operation, and actual rate"));
        }
    }

    fn failures(&mut self, record: &StudyRecord) {
        if record.study().failures.is_empty() {
            return;
        }
        self.section("Failures");
        self.push("<ul class=\"says\">");
        for failure in &record.study().failures {
            let text = format!("{}: {}", failure.name(), given(Some(&failure.reason)));
            self.push(&sentence(Mood::Warning, &text));
        }
        self.push("</ul>");
    }

    fn facts(&mut self, title: &str, facts: &[harness::Fact]) {
        self.section(title);
        self.push("<dl>");
        for (name, tone, text) in facts {
            let class = markup::class(*tone);
            let name = if name.is_empty() { String::new() } else { format!("<dt>{}</dt>", escaped(name)) };
            self.push(&format!("{name}<dd{class}>{}</dd>", escaped(text)));
        }
        self.push("</dl>");
    }

    fn findings(&mut self, record: &StudyRecord) {
        if record.findings.is_empty() {
            return;
        }
        self.section("Findings");
        self.push("<ul class=\"says\">");
        for finding in &record.findings {
            let mut text = format!("{}: {}", finding.severity.word(), findings::said(finding));
            for advice in &finding.advice {
                text.push_str(" → ");
                text.push_str(advice);
            }
            self.push(&sentence(Mood::Plain, &text));
        }
        self.push("</ul>");
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
