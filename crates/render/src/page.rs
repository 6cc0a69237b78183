use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use crate::Width;
use crate::line::Line;
use crate::palette::{DIM, TITLE};
use crate::table::Table;
pub use crate::wrap::{fitted, wrapped};

/// Minimum width of each of two drawings side by side, in columns; on a narrower page they are stacked.
const COLUMN: usize = 48;

/// What a page consists of, added from top to bottom. It is laid out once it is finished: for a terminal in columns, for a browser as
/// markup.
#[derive(Debug, Default)]
pub struct Page {
    blocks: Vec<Block>,
    width: Width,
}

/// A piece of a page.
#[derive(Debug)]
pub(crate) enum Block {
    /// The title of a section, and how to read what is drawn in it with characters; empty where nothing is.
    Section(String, String),
    /// A heading within a section.
    Heading(String),
    /// A text after its lead, of which further lines are indented to where the first one's text starts.
    Paragraph(Line, Style, String),
    /// A line laid out by whoever made it.
    Line(Line),
    /// A line of a drawing, which a page that draws otherwise does without.
    Drawn(Line),
    Table(Table),
}

impl Page {
    /// An empty page of this width.
    pub fn with_width(width: Width) -> Self {
        Self { blocks: Vec::new(), width }
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
        self.blocks.push(Block::Line(line));
    }

    /// Adds lines.
    pub fn lines(&mut self, lines: impl IntoIterator<Item = Line>) {
        self.blocks.extend(lines.into_iter().map(Block::Line));
    }

    /// Adds the lines of a drawing.
    pub fn drawing(&mut self, lines: impl IntoIterator<Item = Line>) {
        self.blocks.extend(lines.into_iter().map(Block::Drawn));
    }

    /// Adds a table, folded to the width.
    pub fn table(&mut self, table: Table) {
        self.blocks.push(Block::Table(table));
    }

    /// Begins a section: a blank line and its title.
    pub fn section(&mut self, title: &str) {
        self.section_of_drawings(title, "");
    }

    /// Begins a section with drawings, with how to read them behind its title.
    pub fn section_of_drawings(&mut self, title: &str, how: &str) {
        self.blocks.push(Block::Section(title.to_owned(), how.to_owned()));
    }

    /// A heading within a section.
    pub fn heading(&mut self, title: &str) {
        self.blocks.push(Block::Heading(title.to_owned()));
    }

    /// A paragraph after `lead`; further lines are indented to where the first one's text starts.
    pub fn paragraph(&mut self, lead: Line, style: Style, text: &str) {
        self.blocks.push(Block::Paragraph(lead, style, text.to_owned()));
    }

    /// A name and its explanation.
    pub fn entry(&mut self, name: &str, style: Style, text: &str) {
        self.paragraph(Line::styled(DIM, &format!("{name:<12} ")), style, text);
    }

    /// Two drawings of equal width; stacked where one is too wide.
    pub fn side_by_side(&mut self, left: Vec<Line>, right: Vec<Line>) {
        let column = self.width() / 2 + 1;
        let rest = self.width() - column;
        if left.iter().any(|line| line.width() >= column) || right.iter().any(|line| line.width() > rest) {
            self.drawing(left);
            self.drawing(right);
            return;
        }
        let (mut left, mut right) = (left.into_iter(), right.into_iter());
        loop {
            match (left.next(), right.next()) {
                (None, None) => break,
                (l, Some(r)) => self.drawing([l.unwrap_or_default().padded(column).joined(r)]),
                (Some(l), None) => self.drawing([l]),
            }
        }
    }

    /// Adds all of another page.
    pub fn append(&mut self, other: Self) {
        self.blocks.extend(other.blocks);
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// It without drawings, without how to read them, and without sections that consist of nothing else.
    #[cfg(feature = "html")]
    pub(crate) fn without_drawings(self) -> Self {
        let is_kept = |block: &Block| !matches!(block, Block::Drawn(_));
        let mut blocks: Vec<Block> = Vec::new();
        for block in self.blocks.into_iter().filter(is_kept) {
            let block = match block {
                Block::Section(title, _) => Block::Section(title, String::new()),
                other => other,
            };
            if matches!(block, Block::Section(..)) {
                blocks.pop_if(|last| matches!(last, Block::Section(..)));
            }
            blocks.push(block);
        }
        blocks.pop_if(|last| matches!(last, Block::Section(..)));
        Self { blocks, width: self.width }
    }

    /// Its blocks, for a medium without columns.
    #[cfg(feature = "html")]
    pub(crate) fn into_blocks(self) -> Vec<Block> {
        self.blocks
    }

    /// The text of the page, with its escapes.
    pub fn finish(self) -> String {
        let width = self.width;
        let mut text = String::new();
        self.blocks.into_iter().flat_map(|block| block.lines(width)).for_each(|line| line.render(&mut text));
        text
    }
}

/// A title, with how to read what is drawn below it.
pub(crate) fn titled(title: &str, how: &str) -> String {
    if how.is_empty() { title.to_owned() } else { format!("{title} ({how})") }
}

impl Block {
    /// It in lines of at most so many columns.
    fn lines(self, width: Width) -> Vec<Line> {
        let columns = width.of_prose();
        match self {
            Self::Line(line) | Self::Drawn(line) => vec![line],
            Self::Table(table) => table.lines(width),
            Self::Heading(title) => wrapped(&title, columns).iter().map(|piece| Line::styled(TITLE, piece)).collect(),
            Self::Section(title, how) => {
                let mut pieces = wrapped(&titled(&title, &how), columns);
                let last = pieces.pop().unwrap_or_default();
                let rule = "─".repeat(columns.saturating_sub(last.width() + 1));
                let last = Line::styled(TITLE, &last).with(DIM, &format!(" {rule}"));
                pieces.iter().map(|piece| Line::styled(TITLE, piece)).chain([last]).collect()
            }
            Self::Paragraph(lead, style, text) => {
                let indent = lead.width();
                let mut lead = Some(lead);
                let pieces = wrapped(&text, columns.saturating_sub(indent));
                let line =
                    |piece: &String| lead.take().unwrap_or_else(|| Line::new().padded(indent)).with(style, piece);
                pieces.iter().map(line).collect()
            }
        }
    }
}
