use anstyle::Style;

use crate::palette::{DIM, PLAIN, WARNING};
use crate::table::{Align, Table};

/// A table before it is known where it will stand.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    pub(super) columns: Vec<(String, Align)>,
    pub(super) rows: Vec<(Tone, Vec<String>)>,
    naming: usize,
    tied: Vec<usize>,
}

/// How a row or a sentence is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Tone {
    #[default]
    Plain,
    Quiet,
    Warning,
}

impl Tone {
    pub(super) fn style(self) -> Style {
        match self {
            Self::Plain => PLAIN,
            Self::Quiet => DIM,
            Self::Warning => WARNING,
        }
    }

    /// The tone of what warns, or not.
    pub(super) fn warning_if(bad: bool) -> Self {
        if bad { Self::Warning } else { Self::Plain }
    }
}

impl Grid {
    pub(super) fn new(columns: &[(&str, Align)]) -> Self {
        let columns = columns.iter().map(|(name, align)| ((*name).to_owned(), *align)).collect();
        Self { columns, rows: Vec::new(), naming: 1, tied: Vec::new() }
    }

    pub(super) fn row(&mut self, tone: Tone, cells: Vec<String>) {
        self.rows.push((tone, cells));
    }

    /// The same without the columns in which no row has anything.
    pub(super) fn without_empty_columns(mut self) -> Self {
        for column in (0..self.columns.len()).rev() {
            let is_empty = |(_, cells): &(Tone, Vec<String>)| cells.get(column).is_none_or(String::is_empty);
            if self.rows.iter().all(is_empty) {
                self.columns.remove(column);
                self.naming -= usize::from(column < self.naming);
                self.rows.iter_mut().filter(|(_, cells)| column < cells.len()).for_each(|(_, cells)| {
                    cells.remove(column);
                });
            }
        }
        self
    }

    /// So many columns, the first ones, name the rows.
    pub(super) fn named_by(mut self, columns: usize) -> Self {
        self.naming = columns;
        self
    }

    /// Columns at these places mean nothing without the one to their left.
    pub(super) fn tied_at(mut self, columns: &[usize]) -> Self {
        self.tied = columns.to_vec();
        self
    }

    /// The table of a page; words in the last column that do not fit go on in further lines.
    pub(super) fn table(&self) -> Table {
        let columns: Vec<(&str, Align)> = self.columns.iter().map(|(name, align)| (name.as_str(), *align)).collect();
        let mut table = Table::new(&columns).named_by(self.naming).folding_last();
        for column in &self.tied {
            table = table.tied_at(*column);
        }
        for (tone, cells) in &self.rows {
            table.cells(tone.style(), cells.clone());
        }
        table
    }
}
