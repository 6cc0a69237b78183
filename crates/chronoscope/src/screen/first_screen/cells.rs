//! Rows of the first screen and the cells that they are made of, before they are fitted to its width.

use chronoscope_render::line::Line;
use chronoscope_render::palette::TITLE;

/// One thing that the screen says.
pub struct Row {
    /// The text at its left; further lines of the row are indented by as much.
    pub label: Line,
    pub cells: Vec<Cell>,
    /// What is left out first on a full screen has the highest; 0 is never left out.
    pub rank: u8,
}

/// A piece of a row: it is kept on one line where it fits on one.
pub struct Cell {
    pub line: Line,
    /// Columns that it takes in a block of rows, where they are aligned.
    pub width: usize,
}

/// Columns of the name of a block: `TRUST  `.
const LABEL: usize = 7;

impl Row {
    /// A row under the name of its block.
    pub fn named(name: &str, cells: impl IntoIterator<Item = Line>) -> Self {
        Self::after(Line::styled(TITLE, name).padded(LABEL), cells)
    }

    /// A row after a label.
    pub fn after(label: Line, cells: impl IntoIterator<Item = Line>) -> Self {
        Self { label, cells: cells.into_iter().map(Cell::new).collect(), rank: 0 }
    }

    /// A row without a label.
    pub fn of(cells: impl IntoIterator<Item = Line>) -> Self {
        Self::after(Line::new(), cells)
    }

    /// An empty line, which gives way to everything that counts.
    pub fn empty() -> Self {
        Self::of([]).ranked(EMPTY)
    }

    /// Left out of a full screen before rows of a lower rank.
    pub fn ranked(self, rank: u8) -> Self {
        Self { rank, ..self }
    }

    /// Whether it says anything.
    pub fn says(&self) -> bool {
        !self.cells.is_empty()
    }
}

/// The rank of an empty line.
const EMPTY: u8 = 6;

impl Cell {
    fn new(line: Line) -> Self {
        Self { line, width: 0 }
    }
}

/// The widths that cells at the same place share.
pub fn align(rows: &mut [Row]) {
    let most = rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    for place in 0..most {
        let width = rows.iter().filter_map(|row| row.cells.get(place)).map(|cell| cell.line.width()).max();
        for row in rows.iter_mut() {
            if let Some(cell) = row.cells.get_mut(place) {
                cell.width = width.unwrap_or(0);
            }
        }
    }
}
