use anstyle::Style;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::Width;
use crate::line::Line;
use crate::palette::{DIM, TITLE};
use crate::table::Table;
use chronoscope_harness::record::clean;

/// Columns of one of two drawings beside each other, at least; on a narrower page they stand below each other.
const COLUMN: usize = 48;
/// Words that stay on the line of the number before them.
const UNITS: [&str; 9] = ["ns", "µs", "ms", "s", "%", "ppm", "MHz", "Hz", "cycles"];

/// Lines of text, filled from top to bottom.
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

    /// Columns of one of two drawings that stand beside each other, if the page has room for two.
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

    /// A part of a section under a name of its own.
    pub fn heading(&mut self, title: &str) {
        self.lines(wrapped(title, self.width()).iter().map(|piece| Line::styled(TITLE, piece)));
    }

    /// A paragraph behind `lead`; its further lines begin where the first one's text does.
    pub fn paragraph(&mut self, lead: Line, style: Style, text: &str) {
        let indent = lead.width();
        let mut lead = Some(lead);
        for piece in wrapped(text, self.width().saturating_sub(indent)) {
            let start = lead.take().unwrap_or_else(|| Line::new().padded(indent));
            self.line(start.with(style, &piece));
        }
    }

    /// A name and what it stands for.
    pub fn entry(&mut self, name: &str, style: Style, text: &str) {
        self.paragraph(Line::styled(DIM, &format!("{name:<12} ")), style, text);
    }

    /// Two columns of equal width; below each other where one is too wide.
    pub fn beside(&mut self, left: Vec<Line>, right: Vec<Line>) {
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

/// `text` cut to `width` columns, with an ellipsis where something is missing.
pub fn fitted(text: &str, width: usize) -> String {
    let text = clean(text);
    if text.width() <= width {
        return text.into_owned();
    }
    let mut cut = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > width {
            break;
        }
        cut.push(c);
    }
    cut.push('…');
    cut
}

/// `text` in pieces of at most `width` columns; at least one piece.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let width = width.max(10);
    let mut pieces = Vec::new();
    let mut piece = String::new();
    let mut used = 0;
    for word in words(&clean(text)) {
        let wide = word.width();
        if used > 0 && used + 1 + wide > width {
            pieces.push(std::mem::take(&mut piece));
            used = 0;
        }
        if used > 0 {
            piece.push(' ');
            used += 1;
        }
        for c in word.chars() {
            let columns = c.width().unwrap_or(0);
            if used + columns > width {
                pieces.push(std::mem::take(&mut piece));
                used = 0;
            }
            piece.push(c);
            used += columns;
        }
    }
    if !piece.is_empty() || pieces.is_empty() {
        pieces.push(piece);
    }
    pieces
}

/// The words of `text`, each number with its unit.
pub fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let bare = word.trim_end_matches([',', ';', '.', ':', ')']);
        match words.last_mut() {
            Some(last) if UNITS.contains(&bare) && last.ends_with(|c: char| c.is_ascii_digit()) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_number_keeps_its_unit() {
        assert_eq!(wrapped("it takes 8.10 ns, at best", 13), ["it takes", "8.10 ns, at", "best"]);
        assert_eq!(wrapped("", 20), [""]);
        assert_eq!(fitted("CLOCK_MONOTONIC", 6), "CLOCK…");
    }

    proptest! {
        #[test]
        fn pieces_fit(text in ".{0,200}", width in 10_usize..80) {
            for piece in wrapped(&text, width) {
                // A character's width alone may differ from its width beside others, by one column each at most.
                prop_assert!(piece.chars().filter_map(UnicodeWidthChar::width).sum::<usize>() <= width);
            }
        }
    }
}
