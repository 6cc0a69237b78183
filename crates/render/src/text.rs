//! Pages of text for programs that draw conclusions of their own, and how quantities are written.

use anstyle::Style;

use crate::Width;
use crate::line::Line;
use crate::page::{Page, fitted};
use crate::palette::{CRITICAL, DIM, GOOD, PLAIN, WARNING};
use crate::table::{Align, Table};
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

/// How a line is meant.
///
/// # Examples
/// ```
/// assert_eq!(chronoscope_render::text::Mood::default(), chronoscope_render::text::Mood::Plain);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mood {
    /// It states.
    #[default]
    Plain,
    /// It stands back.
    Quiet,
    /// It is good news.
    Good,
    /// It warns.
    Warning,
    /// Something is wrong.
    Bad,
}

impl Mood {
    fn style(self) -> Style {
        match self {
            Self::Plain => PLAIN,
            Self::Quiet => DIM,
            Self::Good => GOOD,
            Self::Warning => WARNING,
            Self::Bad => CRITICAL,
        }
    }
}

/// A column of a table.
///
/// # Examples
/// ```
/// assert_eq!(chronoscope_render::text::Column::right("time").title, "time");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// What stands above it.
    pub title: String,
    /// Whether its cells stand at its right side, as numbers do.
    pub is_right: bool,
    /// Whether it names the rows: each part of a table that is too wide for the page begins with it. The first does.
    pub is_naming: bool,
    /// Whether it means nothing without the column to its left, as an interval does, and is never parted from it.
    pub is_tied: bool,
}

impl Column {
    /// A column of words.
    pub fn left(title: impl Into<String>) -> Self {
        Self { title: title.into(), is_right: false, is_naming: false, is_tied: false }
    }

    /// A column of numbers.
    pub fn right(title: impl Into<String>) -> Self {
        Self { is_right: true, ..Self::left(title) }
    }

    /// The same as one of the columns that name the rows, as far as all to its left do.
    #[must_use]
    pub fn naming(self) -> Self {
        Self { is_naming: true, ..self }
    }

    /// The same, never parted from the column to its left.
    #[must_use]
    pub fn tied(self) -> Self {
        Self { is_tied: true, ..self }
    }
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

    /// The columns that sentences and drawings have.
    pub fn columns(&self) -> usize {
        self.page.width()
    }

    /// A line alone.
    pub fn line(&mut self, mood: Mood, line: &str) {
        self.page.paragraph(Line::new(), mood.style(), line);
    }

    /// A line as it is, such as one of a drawing: its spaces stay, and what is too wide is cut.
    pub fn verbatim(&mut self, mood: Mood, line: &str) {
        let line = fitted(line, self.page.width());
        self.page.line(Line::styled(mood.style(), &line));
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
        let align = |column: &Column| if column.is_right { Align::Right } else { Align::Left };
        let titles: Vec<(&str, Align)> = columns.iter().map(|column| (column.title.as_str(), align(column))).collect();
        let naming = columns.iter().skip(1).take_while(|column| column.is_naming).count();
        let mut table = Table::new(&titles).named_by(1 + naming);
        for (place, _) in columns.iter().enumerate().filter(|(_, column)| column.is_tied) {
            table = table.tied_at(place);
        }
        for (mood, row) in rows {
            table.cells(mood.style(), row);
        }
        self.page.table(table);
    }

    /// The whole, with ANSI styles.
    pub fn finish(self) -> String {
        self.page.finish()
    }
}
