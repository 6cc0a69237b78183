//! Tables as text.

use comfy_table::{CellAlignment, Table, presets::ASCII_MARKDOWN};

/// A table under `headings` whose first column is text and whose others are numbers.
pub fn numbers(headings: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = plain(headings, rows);
    table.column_iter_mut().skip(1).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table.to_string()
}

/// A table of text.
pub fn text(headings: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    plain(headings, rows).to_string()
}

fn plain(headings: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Table {
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN).set_header(headings.iter().copied()).add_rows(rows);
    table
}

/// A value that may be missing.
pub fn or_dash(value: Option<String>) -> String {
    value.unwrap_or_else(|| "–".into())
}
