use anstyle::Style;

use crate::palette::{CRITICAL, DIM, GOOD, PLAIN, WARNING};
use crate::table::{Align, Table};

/// The cell of a number that there is not.
pub(crate) const NONE: &str = "–";

/// A table, independent of where it will be drawn.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<(Mood, Vec<String>)>,
}

/// The mood of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mood {
    /// Neutral.
    #[default]
    Plain,
    /// De-emphasized.
    Quiet,
    /// Good news.
    Good,
    /// A warning.
    Warning,
    /// Something is wrong.
    Bad,
}

impl Mood {
    /// The mood of a warning if `bad`, else neutral.
    pub(crate) fn warning_if(bad: bool) -> Self {
        if bad { Self::Warning } else { Self::Plain }
    }

    /// That which this style stands for.
    #[cfg(feature = "html")]
    pub(crate) fn of(style: Style) -> Self {
        let all = [Self::Quiet, Self::Good, Self::Warning, Self::Bad];
        all.into_iter().find(|mood| mood.style() == style).unwrap_or(Self::Plain)
    }

    pub(crate) fn style(self) -> Style {
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its heading.
    pub title: String,
    /// Whether its cells are right-aligned, as for numbers.
    pub is_right: bool,
    /// Whether it names the rows: if a table is too wide for the page and is split, every part begins with it. The
    /// first column always does.
    pub is_naming: bool,
    /// Whether it is meaningless without the column to its left, like an interval, and never separated from it.
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

    /// The same as a column that names the rows, provided that all columns to its left do too.
    #[must_use]
    pub fn naming(self) -> Self {
        Self { is_naming: true, ..self }
    }

    /// The same, never separated from the column to its left.
    #[must_use]
    pub fn tied(self) -> Self {
        Self { is_tied: true, ..self }
    }
}

impl Grid {
    pub(crate) fn new(columns: &[Column]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, mood: Mood, cells: Vec<String>) {
        self.rows.push((mood, cells));
    }

    /// The same without columns that are empty in every row.
    pub(crate) fn without_empty_columns(mut self) -> Self {
        for column in (0..self.columns.len()).rev() {
            let is_empty =
                |(_, cells): &(Mood, Vec<String>)| cells.get(column).is_none_or(|cell| cell.is_empty() || cell == NONE);
            if self.rows.iter().all(is_empty) {
                self.columns.remove(column);
                self.rows.iter_mut().filter(|(_, cells)| column < cells.len()).for_each(|(_, cells)| {
                    cells.remove(column);
                });
            }
        }
        self
    }

    /// The table for a page.
    pub(crate) fn table(self) -> Table {
        let align = |column: &Column| if column.is_right { Align::Right } else { Align::Left };
        let titles: Vec<(&str, Align)> =
            self.columns.iter().map(|column| (column.title.as_str(), align(column))).collect();
        let naming = self.columns.iter().skip(1).take_while(|column| column.is_naming).count();
        let mut table = Table::new(&titles).named_by(1 + naming);
        for (place, _) in self.columns.iter().enumerate().filter(|(_, column)| column.is_tied) {
            table = table.tied_at(place);
        }
        for (mood, row) in self.rows {
            table.cells(mood.style(), row);
        }
        table
    }
}
