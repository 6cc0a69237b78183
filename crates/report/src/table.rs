use anstyle::Style;
use comfy_table::{CellAlignment, ContentArrangement, Table as Grid, TableStyle};

use crate::line::Line;
use crate::page::{WIDTH, fitted};
use crate::palette::{HEADER, PLAIN};

/// Columns of one cell at most: a record's strings may be of any length.
const CELL: usize = 44;

/// How the cells of a column stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// A table without lines, one row of text per row.
#[derive(Debug)]
pub(crate) struct Table {
    header: Vec<String>,
    align: Vec<Align>,
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    style: Style,
    cells: Vec<String>,
    remark: Option<String>,
}

impl Table {
    pub(crate) fn new(columns: &[(&str, Align)]) -> Self {
        Self {
            header: columns.iter().map(|(name, _)| (*name).to_owned()).collect(),
            align: columns.iter().map(|(_, align)| *align).collect(),
            rows: Vec::new(),
        }
    }

    pub(crate) fn row<const N: usize>(&mut self, style: Style, cells: [String; N]) {
        self.cells(style, cells.into());
    }

    pub(crate) fn cells(&mut self, style: Style, cells: Vec<String>) {
        let cells = cells.iter().map(|cell| fitted(cell, CELL)).collect();
        self.rows.push(Row { style, cells, remark: None });
    }

    /// A row that has a name and one sentence across all further columns.
    pub(crate) fn remark(&mut self, style: Style, name: &str, remark: &str) {
        self.rows.push(Row { style, cells: vec![fitted(name, CELL)], remark: Some(remark.to_owned()) });
    }

    pub(crate) fn lines(self) -> Vec<Line> {
        let wide = self.layout(2);
        let widest = wide.iter().map(|line| Line::plain(line).width()).max().unwrap_or(0);
        let (texts, gap) = if widest > WIDTH { (self.layout(1), 1) } else { (wide, 2) };
        let first = self.name_width() + gap;
        let mut lines = Vec::with_capacity(texts.len());
        for (i, text) in texts.iter().enumerate() {
            let Some(row) = i.checked_sub(1).and_then(|i| self.rows.get(i)) else {
                lines.push(Line::styled(HEADER, text));
                continue;
            };
            match &row.remark {
                None => lines.push(Line::styled(row.style, text)),
                Some(remark) => {
                    let name = Line::styled(row.style, row.cells.first().map_or("", String::as_str));
                    lines.push(name.padded(first).with(row.style, &fitted(remark, WIDTH.saturating_sub(first))));
                }
            }
        }
        lines
    }

    fn name_width(&self) -> usize {
        let names = self.rows.iter().filter_map(|row| row.cells.first());
        names.chain(self.header.first()).map(|name| Line::plain(name).width()).max().unwrap_or(0)
    }

    fn layout(&self, gap: u16) -> Vec<String> {
        let mut grid = Grid::new();
        grid.load_style(TableStyle::new()).set_content_arrangement(ContentArrangement::Disabled);
        grid.set_header(&self.header);
        for row in &self.rows {
            grid.add_row(&row.cells);
        }
        for (i, column) in grid.column_iter_mut().enumerate() {
            column.set_padding((0, gap));
            if self.align.get(i) == Some(&Align::Right) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        grid.lines().map(|line| line.trim_end().to_owned()).collect()
    }
}

/// The style of a row that tells a fault, or of one that does not.
pub(crate) fn style_if(bad: bool, style: Style) -> Style {
    if bad { style } else { PLAIN }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_one_line() {
        let mut table = Table::new(&[("clock", Align::Left), ("latency", Align::Right)]);
        table.row(PLAIN, ["a\nb".to_owned(), "8.10 ns".to_owned()]);
        table.remark(PLAIN, "HPET", "not there");
        table.row(PLAIN, [String::new(), String::new()]);
        let mut text = String::new();
        for line in table.lines() {
            line.render(&mut text);
        }
        assert_eq!(
            anstream::adapter::strip_str(&text).to_string(),
            "clock  latency\na␊b    8.10 ns\nHPET   not there\n\n"
        );
    }
}
