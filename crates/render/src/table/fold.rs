//! Wrapped cells and titles.

use unicode_width::UnicodeWidthStr;

use crate::wrap::{words, wrapped};

/// Minimum width of a wrapped cell.
pub(super) const FOLDED: usize = 10;

/// Pieces of cells side by side, row by row.
pub(super) fn side_by_side(cells: impl Iterator<Item = Vec<String>>) -> Vec<Vec<String>> {
    let cells: Vec<Vec<String>> = cells.collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    (0..height).map(|i| cells.iter().map(|pieces| pieces.get(i).cloned().unwrap_or_default()).collect()).collect()
}

/// A cell split into pieces that fit; if indented, all pieces are.
pub(super) fn folded(cell: &str, room: Option<usize>) -> Vec<String> {
    let Some(room) = room.filter(|room| cell.width() > *room) else { return vec![cell.to_owned()] };
    let indent = cell.len() - cell.trim_start_matches(' ').len();
    let indent = if room >= indent + FOLDED { &cell[..indent] } else { "" };
    wrapped(cell, room - indent.len()).iter().map(|piece| format!("{indent}{piece}")).collect()
}

/// The minimum width of a title on this many lines.
pub(super) fn narrowest(title: &str, lines: usize) -> usize {
    let whole = title.width();
    if lines == 1 {
        return whole;
    }
    let longest = words(title).iter().map(|word| word.width()).max().unwrap_or(0);
    (longest..whole).find(|room| packed(title, *room).len() <= lines).unwrap_or(whole)
}

/// A title on few lines of at most `room` columns, or as wide as its longest word.
pub(super) fn packed(title: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words(title) {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= room => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.extend(if word.width() > room { wrapped(&word, room) } else { vec![word] }),
        }
    }
    if lines.is_empty() {
        lines.push(String::new());
    }
    lines
}
