use anstyle::Style;

use crate::palette::{CRITICAL, DIM, GOOD, PLAIN, WARNING};
use crate::table::{Align, Table};

/// A table before it is known where it will stand.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<(Mood, Vec<String>)>,
}

/// How a line is meant.
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
    /// The mood of what warns, or not.
    pub(crate) fn warning_if(bad: bool) -> Self {
        if bad { Self::Warning } else { Self::Plain }
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

impl Grid {
    pub(crate) fn new(columns: &[Column]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, mood: Mood, cells: Vec<String>) {
        self.rows.push((mood, cells));
    }

    /// The same without the columns in which no row has anything.
    pub(crate) fn without_empty_columns(mut self) -> Self {
        for column in (0..self.columns.len()).rev() {
            let is_empty = |(_, cells): &(Mood, Vec<String>)| cells.get(column).is_none_or(String::is_empty);
            if self.rows.iter().all(is_empty) {
                self.columns.remove(column);
                self.rows.iter_mut().filter(|(_, cells)| column < cells.len()).for_each(|(_, cells)| {
                    cells.remove(column);
                });
            }
        }
        self
    }

    /// The table of a page.
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
