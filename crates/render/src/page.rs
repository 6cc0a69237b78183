use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use crate::Width;
use crate::line::Line;
use crate::palette::{DIM, TITLE};
use crate::table::Table;
pub use crate::wrap::{fitted, wrapped};

/// Minimum width of each of two drawings side by side, in columns; on a narrower page they are stacked.
const COLUMN: usize = 48;

/// Lines of text, added from top to bottom.
#[derive(Debug, Default)]
pub struct Page {
    lines: Vec<Line>,
    width: Width,
}

impl Page {
    /// An empty page of this width.
    pub fn with_width(width: Width) -> Self {
        Self { lines: Vec::new(), width }
    }

    /// Columns of a sentence or a drawing.
    pub fn width(&self) -> usize {
        self.width.of_prose()
    }

    /// The width of each of two drawings side by side, in columns, if the page has room for two.
    pub fn column(&self) -> usize {
        let column = self.width() / 2 - 1;
        if column < COLUMN { self.width() } else { column }
    }

    /// Adds a line.
    pub fn line(&mut self, line: Line) {
        self.lines.push(line);
    }

    /// Adds lines.
    pub fn lines(&mut self, lines: impl IntoIterator<Item = Line>) {
        self.lines.extend(lines);
    }

    /// Adds a table, folded to the width.
    pub fn table(&mut self, table: Table) {
        self.lines(table.lines(self.width));
    }

    /// Begins a section: a blank line and its title.
    pub fn section(&mut self, title: &str) {
        let mut pieces = wrapped(title, self.width());
        let last = pieces.pop().unwrap_or_default();
        self.lines(pieces.iter().map(|piece| Line::styled(TITLE, piece)));
        let rule = "─".repeat(self.width().saturating_sub(last.width() + 1));
        self.line(Line::styled(TITLE, &last).with(DIM, &format!(" {rule}")));
    }

    /// A heading within a section.
    pub fn heading(&mut self, title: &str) {
        self.lines(wrapped(title, self.width()).iter().map(|piece| Line::styled(TITLE, piece)));
    }

    /// A paragraph after `lead`; further lines are indented to where the first one's text starts.
    pub fn paragraph(&mut self, lead: Line, style: Style, text: &str) {
        let indent = lead.width();
        let mut lead = Some(lead);
        for piece in wrapped(text, self.width().saturating_sub(indent)) {
            let start = lead.take().unwrap_or_else(|| Line::new().padded(indent));
            self.line(start.with(style, &piece));
        }
    }

    /// A name and its explanation.
    pub fn entry(&mut self, name: &str, style: Style, text: &str) {
        self.paragraph(Line::styled(DIM, &format!("{name:<12} ")), style, text);
    }

    /// Two blocks of equal width; stacked where one is too wide.
    pub fn side_by_side(&mut self, left: Vec<Line>, right: Vec<Line>) {
        let column = self.width() / 2 + 1;
        let rest = self.width() - column;
        if left.iter().any(|line| line.width() >= column) || right.iter().any(|line| line.width() > rest) {
            self.lines(left);
            self.lines(right);
            return;
        }
        let (mut left, mut right) = (left.into_iter(), right.into_iter());
        loop {
            match (left.next(), right.next()) {
                (None, None) => break,
                (l, Some(r)) => self.line(l.unwrap_or_default().padded(column).joined(r)),
                (Some(l), None) => self.line(l),
            }
        }
    }

    /// The text of the page, with its escapes.
    pub fn finish(self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            line.render(&mut text);
        }
        text
    }
}
