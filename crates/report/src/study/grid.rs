use anstyle::Style;

use unicode_width::UnicodeWidthStr;

use crate::line::Line;
use crate::page::{WIDTH, wrapped};
use crate::palette::{DIM, PLAIN, WARNING};
use crate::table::{Align, Table};

/// Columns between two columns.
const GAP: usize = 2;
/// Columns of the last column at least, however wide the others are.
const LEAST: usize = 20;

/// A table before it is known where it will stand.
#[derive(Clone, Debug, Default)]
pub(super) struct Grid {
    pub(super) columns: Vec<(String, Align)>,
    pub(super) rows: Vec<(Tone, Vec<String>)>,
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
        Self { columns: columns.iter().map(|(name, align)| ((*name).to_owned(), *align)).collect(), rows: Vec::new() }
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
                self.rows.iter_mut().filter(|(_, cells)| column < cells.len()).for_each(|(_, cells)| {
                    cells.remove(column);
                });
            }
        }
        self
    }

    /// The table in lines; words in the last column that do not fit go on in further rows.
    pub(super) fn lines(&self) -> Vec<Line> {
        let columns: Vec<(&str, Align)> = self.columns.iter().map(|(name, align)| (name.as_str(), *align)).collect();
        let mut table = Table::new(&columns);
        let room = self.room();
        for (tone, cells) in &self.rows {
            let (last, others) = cells.split_last().map_or(("", &[][..]), |(last, others)| (last.as_str(), others));
            let mut others = others.to_vec();
            for piece in wrapped(last, room) {
                let mut cells = others.clone();
                cells.push(piece);
                table.cells(tone.style(), cells);
                others.iter_mut().for_each(String::clear);
            }
        }
        table.lines()
    }

    /// Columns that the others leave to the last one.
    fn room(&self) -> usize {
        let others = self.columns.len().saturating_sub(1);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|(_, cells)| cells.get(column));
            cells.chain([&self.columns[column].0]).map(|cell| cell.width()).max().unwrap_or(0)
        };
        let used: usize = (0..others).map(|column| width(column) + GAP).sum();
        WIDTH.saturating_sub(used).max(LEAST)
    }
}
