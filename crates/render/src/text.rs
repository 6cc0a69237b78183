//! Pages of text for programs that draw conclusions of their own, and how quantities are written.

use crate::Width;
use crate::grid::Grid;
pub use crate::grid::{Column, Mood};
use crate::line::Line;
use crate::page::Page;
use crate::study::OverThreads;
pub use crate::words::counted;
pub use chronoscope_harness::quantity::{count, ns, percent, three_digits};

/// A page of text, as the reports of this crate look, for programs with conclusions of their own.
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

    /// Charts: two next to each other where the page has room.
    pub fn charts(&mut self, charts: &[OverThreads]) {
        if let [left, right] = charts {
            let column = self.page.column();
            return self.page.side_by_side(left.lines(column), right.lines(column));
        }
        for chart in charts {
            self.page.lines(chart.lines(self.page.width()));
        }
    }

    /// The title of what follows, with a rule behind it.
    pub fn section(&mut self, title: &str) {
        self.page.section(title);
    }

    /// The title of a part of a section.
    pub fn heading(&mut self, title: &str) {
        self.page.heading(title);
    }

    /// A sentence behind a sign; its further lines begin below its first word.
    pub fn sentence(&mut self, mood: Mood, sign: &str, sentence: &str) {
        self.page.paragraph(Line::styled(mood.style(), &format!("{sign} ")), mood.style(), sentence);
    }

    /// A table without lines; a row that lacks cells ends early.
    pub fn table(&mut self, columns: &[Column], rows: impl IntoIterator<Item = Vec<String>>) {
        self.table_with_moods(columns, rows.into_iter().map(|row| (Mood::Plain, row)));
    }

    /// The same with a mood for each row.
    pub fn table_with_moods(&mut self, columns: &[Column], rows: impl IntoIterator<Item = (Mood, Vec<String>)>) {
        let grid = Grid { rows: rows.into_iter().collect(), ..Grid::new(columns) };
        self.page.table(grid.table());
    }

    /// The whole, with ANSI styles.
    pub fn finish(self) -> String {
        self.page.finish()
    }
}
