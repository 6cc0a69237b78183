//! Text pages for programs that draw their own conclusions, and the formatting of quantities.

use crate::Width;
use crate::grid::Grid;
pub use crate::grid::{Column, Mood};
use crate::line::Line;
use crate::page::Page;
use crate::study::{OverThreads, OverTime};
pub use crate::words::counted;
pub use chronoscope_harness::quantity::{count, ns, percent, three_digits};

/// A text page in the style of this crate's reports, for programs with their own conclusions.
///
/// # Examples
/// ```
/// use chronoscope_render::text::{Column, Mood, Text};
///
/// let mut text = Text::new();
/// text.section("RESULT");
/// text.sentence(Mood::Good, "✔", "the operation takes 8.10 ns");
/// text.table(&[Column::left("case"), Column::right("time")], [vec!["a".into(), "8.10 ns".into()]]);
/// assert!(text.finish().contains("the operation takes 8.10 ns"));
/// ```
#[derive(Debug, Default)]
pub struct Text {
    page: Page,
}

impl Text {
    /// An empty page of 118 columns.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty page for a terminal of this width.
    pub fn with_width(width: Width) -> Self {
        Self { page: Page::with_width(width) }
    }

    /// A line alone.
    pub fn line(&mut self, mood: Mood, line: &str) {
        self.page.paragraph(Line::new(), mood.style(), line);
    }

    /// Adds charts, two side by side where the page has room.
    pub fn charts(&mut self, charts: &[OverThreads]) {
        if let [left, right] = charts {
            let column = self.page.column();
            return self.page.side_by_side(left.lines(column), right.lines(column));
        }
        for chart in charts {
            self.page.drawing(chart.lines(self.page.width()));
        }
    }

    /// Adds a chart over time.
    pub fn over_time(&mut self, chart: &OverTime) {
        self.page.drawing(chart.lines(self.page.width()));
    }

    /// Adds a section title, followed by a rule.
    pub fn section(&mut self, title: &str) {
        self.page.section(title);
    }

    /// Adds a heading within a section.
    pub fn heading(&mut self, title: &str) {
        self.page.heading(title);
    }

    /// Adds a sentence after a sign; further lines align with its first word.
    pub fn sentence(&mut self, mood: Mood, sign: &str, sentence: &str) {
        self.page.paragraph(Line::styled(mood.style(), &format!("{sign} ")), mood.style(), sentence);
    }

    /// Adds a borderless table; a row may have fewer cells.
    pub fn table(&mut self, columns: &[Column], rows: impl IntoIterator<Item = Vec<String>>) {
        self.table_with_moods(columns, rows.into_iter().map(|row| (Mood::Plain, row)));
    }

    /// The same with a mood for each row.
    pub fn table_with_moods(&mut self, columns: &[Column], rows: impl IntoIterator<Item = (Mood, Vec<String>)>) {
        let grid = Grid { rows: rows.into_iter().collect(), ..Grid::new(columns) };
        self.page.table(grid.table());
    }

    /// The page, to add to another or to lay out.
    pub fn into_page(self) -> Page {
        self.page
    }

    /// The finished page, with ANSI styles.
    pub fn finish(self) -> String {
        self.page.finish()
    }
}
