//! Rows of the first screen and the cells that they are made of, before they are fitted to its width.

use chronoscope_render::line::Line;

/// One thing that the screen says.
pub struct Row {
    /// The name of its block.
    pub label: &'static str,
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

impl Cell {
    pub fn new(line: Line) -> Self {
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
