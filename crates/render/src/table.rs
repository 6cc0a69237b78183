mod fold;

use std::collections::BTreeSet;

use anstyle::Style;
use comfy_table::{CellAlignment, ContentArrangement, Table as Grid, TableStyle};
use unicode_width::UnicodeWidthStr;

use self::fold::{FOLDED, folded, narrowest, packed, side_by_side};
use crate::Width;
use crate::line::Line;
use crate::palette::{HEADER, PLAIN};
use crate::wrap::{fitted, words, wrapped};

/// Maximum columns of a cell: a record's strings may have any length.
const CELL: usize = 44;
/// Gap between columns: the usual one, and that for a page too narrow for it.
const GAPS: [usize; 2] = [2, 1];
/// Lines for titles; as few as possible.
const TITLE_LINES: [usize; 3] = [1, 2, 3];
/// Minimum width of the last column before its words wrap.
const LAST: usize = 20;
/// Minimum width of a remark next to its name, in columns; with less room it goes below the name.
const REMARK: usize = 30;

/// Alignment of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A borderless table, one row of text per row.
///
/// Nothing is omitted if it is wider than the page: first the gaps between columns shrink, then column titles and the
/// words of the last column wrap, and finally the table is split into parts, one below the other, each with the columns
/// that name its rows.
#[derive(Debug)]
pub struct Table {
    header: Vec<String>,
    align: Vec<Align>,
    rows: Vec<Row>,
    /// This many leading columns name the rows.
    naming: usize,
    /// Columns that are meaningless without the one to their left, such as its interval.
    tied: BTreeSet<usize>,
    /// Column titles to use if the table is split, since each part then has only some of the columns.
    apart: Vec<(String, String)>,
    folds_last: bool,
}

#[derive(Debug)]
struct Row {
    style: Style,
    cells: Vec<String>,
    remark: Option<Remark>,
}

#[derive(Debug)]
struct Remark {
    text: String,
    /// Whether it is a heading for the rows that follow.
    is_title: bool,
}

/// The layout of some columns of a table.
#[derive(Clone, Debug)]
struct Layout {
    columns: Vec<usize>,
    gap: usize,
    /// Maximum lines for a column's title.
    title_lines: usize,
    /// The width of each column's cells; None if unrestricted.
    room: Vec<Option<usize>>,
    /// Whether remarks are shown in this part.
    is_first: bool,
    /// Whether all columns fit side by side.
    is_whole: bool,
}

impl Table {
    /// A table without rows.
    pub fn new(columns: &[(&str, Align)]) -> Self {
        Self {
            header: columns.iter().map(|(name, _)| fitted(name, CELL)).collect(),
            align: columns.iter().map(|(_, align)| *align).collect(),
            rows: Vec::new(),
            naming: 1,
            tied: BTreeSet::new(),
            apart: Vec::new(),
            folds_last: false,
        }
    }

    /// This many leading columns name the rows: if the table is too wide for the page and is split, every part has
    /// them.
    #[must_use]
    pub fn named_by(mut self, columns: usize) -> Self {
        self.naming = columns;
        self
    }

    /// Columns under these titles are never separated from the one to their left, without which they are meaningless.
    #[must_use]
    pub fn tied(mut self, titles: &[&str]) -> Self {
        let titled = |i: &usize| titles.contains(&self.header[*i].as_str());
        self.tied = (1..self.header.len()).filter(titled).collect();
        self
    }

    /// The same for the column at this index.
    #[must_use]
    pub fn tied_at(mut self, column: usize) -> Self {
        self.tied.insert(column);
        self
    }

    /// Column titles to use if the table is split: `p99` no longer follows `latency`.
    #[must_use]
    pub fn apart(mut self, titles: &[(&str, &str)]) -> Self {
        self.apart = titles.iter().map(|(title, apart)| ((*title).to_owned(), (*apart).to_owned())).collect();
        self
    }

    /// Wraps the words of the last column before any other measure.
    #[must_use]
    pub fn folding_last(mut self) -> Self {
        self.folds_last = true;
        self
    }

    /// Adds a row of as many cells as there are columns.
    pub fn row<const N: usize>(&mut self, style: Style, cells: [String; N]) {
        self.cells(style, cells.into());
    }

    /// Adds a row; words in the last column may have any length, since they wrap.
    pub fn cells(&mut self, style: Style, cells: Vec<String>) {
        let last = self.header.len().saturating_sub(1);
        let is_words = self.align.get(last) == Some(&Align::Left);
        let limit = |i: usize| if i == last && i > 0 && is_words { usize::MAX } else { CELL };
        let cells = cells.iter().enumerate().map(|(i, cell)| fitted(cell, limit(i))).collect();
        self.rows.push(Row { style, cells, remark: None });
    }

    /// Adds a row with a name and one sentence across all other columns.
    pub fn remark(&mut self, style: Style, name: &str, remark: &str) {
        self.across(style, name, remark, false);
    }

    /// Adds a heading for the rows that follow, with a remark about all of them.
    pub fn title(&mut self, style: Style, name: &str, remark: &str) {
        self.across(style, name, remark, true);
    }

    fn across(&mut self, style: Style, name: &str, remark: &str, is_title: bool) {
        let remark = Some(Remark { text: remark.to_owned(), is_title });
        self.rows.push(Row { style, cells: vec![fitted(name, CELL)], remark });
    }

    /// The titles of its columns.
    #[cfg(feature = "html")]
    pub(crate) fn header(&self) -> &[String] {
        &self.header
    }

    /// How the cells of its columns are aligned.
    #[cfg(feature = "html")]
    pub(crate) fn align(&self) -> &[Align] {
        &self.align
    }

    /// Its rows: style, cells, and a remark across the columns that have no cell.
    #[cfg(feature = "html")]
    pub(crate) fn all_rows(&self) -> impl ExactSizeIterator<Item = (Style, &[String], Option<&str>)> {
        self.rows.iter().map(|row| (row.style, &row.cells[..], row.remark.as_ref().map(|remark| remark.text.as_str())))
    }

    /// The table in lines of at most `width` columns.
    pub fn lines(self, width: Width) -> Vec<Line> {
        let limit = width.columns();
        let fits = |lines: &Vec<Line>| lines.iter().all(|line| line.width() <= limit);
        if let Some(lines) = self.wholes(limit).iter().map(|layout| self.drawn(layout, width)).find(fits) {
            return lines;
        }
        let mut lines = Vec::new();
        let parts = GAPS.map(|gap| self.parts(limit, gap));
        // The first of those with the fewest parts.
        let parts = parts.iter().min_by_key(|parts| parts.len());
        for (i, part) in parts.into_iter().flatten().enumerate() {
            if i > 0 {
                lines.push(Line::new());
            }
            lines.extend(self.drawn(part, width));
        }
        lines
    }

    /// The ways to fit all columns side by side, best first.
    fn wholes(&self, limit: usize) -> Vec<Layout> {
        let columns = self.count();
        let plain = || Layout {
            columns: (0..columns).collect(),
            gap: GAPS[0],
            title_lines: 1,
            room: vec![None; columns],
            is_first: true,
            is_whole: true,
        };
        let last = columns.saturating_sub(1);
        let is_foldable = self.align.get(last) == Some(&Align::Left);
        let folded = |mut layout: Layout, gap: usize| {
            let used: usize = (0..last).map(|column| self.width(column, &layout) + gap).sum();
            if let Some(room) = layout.room.last_mut() {
                *room = Some(limit.saturating_sub(used).max(LAST));
            }
            layout
        };
        let mut ways = Vec::new();
        for title_lines in TITLE_LINES {
            for gap in GAPS {
                let layout = Layout { gap, title_lines, ..plain() };
                // At the narrower gap the last column keeps its width from the wider one, if that is enough.
                ways.push(if self.folds_last { folded(layout, GAPS[0]) } else { layout });
            }
        }
        if is_foldable {
            for title_lines in TITLE_LINES {
                for gap in GAPS {
                    ways.push(folded(Layout { gap, title_lines, ..plain() }, gap));
                }
            }
        }
        ways
    }

    /// The columns in several parts, each with those that name the rows; every part fits.
    fn parts(&self, limit: usize, gap: usize) -> Vec<Layout> {
        let columns = self.count();
        let mut naming = self.naming.min(columns.saturating_sub(1)).max(1);
        let room = vec![None; columns];
        let mut layout = Layout { columns: Vec::new(), gap, title_lines: 2, room, is_first: true, is_whole: false };
        let wide = |columns: &[usize], layout: &Layout| -> usize {
            columns.iter().map(|column| self.width(*column, layout) + gap).sum::<usize>().saturating_sub(gap)
        };
        let names = |naming: usize, layout: &Layout| (0..naming).map(|column| self.width(column, layout) + gap).sum();
        // Names leave room for tied columns, but get at least a third of the page.
        let least = limit / 3;
        let kept = |group: &Vec<usize>| match wide(group, &layout) {
            whole if whole <= limit - least => whole,
            _ => group.iter().map(|column| self.width(*column, &layout)).max().unwrap_or(0),
        };
        let most = limit.saturating_sub(self.groups(naming).iter().map(kept).max().unwrap_or(0)).max(least);
        for column in self.widest_first(naming, &layout) {
            let all: usize = names(naming, &layout);
            let excess = all.saturating_sub(most);
            let shortest = self.longest_word(column).clamp(FOLDED, limit / 4);
            let own = self.width(column, &layout);
            if excess > 0 && own > shortest {
                layout.room[column] = Some(own.saturating_sub(excess).max(shortest));
            }
        }
        while naming > 1 && names(naming, &layout) > limit - least {
            naming -= 1;
        }
        let names: usize = names(naming, &layout);
        let most = limit.saturating_sub(names).max(FOLDED);
        for column in naming..columns {
            if self.width(column, &layout) > most {
                layout.room[column] = Some(most);
            }
        }
        let mut parts: Vec<Vec<usize>> = vec![Vec::new()];
        let last = columns.saturating_sub(1);
        let mut room_of_last = None;
        for group in self.groups(naming) {
            // Tied columns stay together, unless they are wider than a page.
            let pieces = if wide(&group, &layout) <= most { vec![&group[..]] } else { group.chunks(1).collect() };
            for piece in pieces {
                let Some(part) = parts.last_mut() else { continue };
                let left = most.saturating_sub(wide(part, &layout) + gap);
                if piece == [last] && !part.is_empty() && left >= LAST && self.align.get(last) == Some(&Align::Left) {
                    // Wrap words rather than move them to a separate part.
                    room_of_last = Some(left);
                    part.push(last);
                    continue;
                }
                if part.is_empty() || wide(&[&part[..], piece].concat(), &layout) <= most {
                    part.extend(piece);
                } else {
                    parts.push(piece.to_vec());
                }
            }
        }
        if let Some(room) = layout.room.last_mut() {
            *room = room_of_last.or(*room);
        }
        let part = |(i, part): (usize, Vec<usize>)| Layout {
            columns: (0..naming).chain(part).collect(),
            is_first: i == 0,
            ..layout.clone()
        };
        parts.into_iter().enumerate().map(part).collect()
    }

    fn widest_first(&self, columns: usize, layout: &Layout) -> Vec<usize> {
        let mut all: Vec<usize> = (0..columns).collect();
        all.sort_by_key(|column| std::cmp::Reverse(self.width(*column, layout)));
        all
    }

    fn longest_word(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.cells.get(column));
        cells.flat_map(|cell| words(cell)).map(|word| word.width()).max().unwrap_or(0)
    }

    /// Groups of columns that are not separated.
    fn groups(&self, from: usize) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for column in from..self.count() {
            match groups.last_mut() {
                Some(group) if self.tied.contains(&column) => group.push(column),
                _ => groups.push(vec![column]),
            }
        }
        groups
    }

    /// The number of columns; a row may have more than the header.
    fn count(&self) -> usize {
        let cells = self.rows.iter().map(|row| row.cells.len());
        cells.chain([self.header.len()]).max().unwrap_or(0)
    }

    fn width(&self, column: usize, layout: &Layout) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.cells.get(column));
        let cells = cells.flat_map(|cell| folded(cell, layout.room[column])).map(|piece| piece.width());
        let widest = cells.max().unwrap_or(0);
        let title = self.title_of(column, layout);
        let title = narrowest(title, layout.title_lines).min(layout.room[column].unwrap_or(usize::MAX));
        // An empty column is drawn as a space.
        widest.max(title).max(1)
    }

    fn title_of(&self, column: usize, layout: &Layout) -> &str {
        let title = self.header.get(column).map_or("", String::as_str);
        let apart = self.apart.iter().find(|(usual, _)| usual == title && !layout.is_whole);
        apart.map_or(title, |(_, apart)| apart)
    }

    fn drawn(&self, layout: &Layout, width: Width) -> Vec<Line> {
        let first = layout.columns.first().map_or(0, |column| self.width(*column, layout)) + layout.gap;
        let titles = self.titles(layout);
        let mut texts: Vec<Vec<String>> = titles.clone();
        for row in &self.rows {
            let own =
                if row.remark.is_some() { &layout.columns[..1.min(layout.columns.len())] } else { &layout.columns };
            texts.extend(side_by_side(
                own.iter()
                    .map(|column| folded(row.cells.get(*column).map_or("", String::as_str), layout.room[*column])),
            ));
        }
        let mut texts = self.aligned(layout, texts).into_iter();
        let style = |line: usize| if line + 1 == titles.len() { HEADER } else { PLAIN };
        let heads = texts.by_ref().take(titles.len()).enumerate();
        let mut lines: Vec<Line> = heads.map(|(line, text)| Line::styled(style(line), &text)).collect();
        for row in &self.rows {
            let own: Vec<String> = match &row.remark {
                None => {
                    let heights = layout.columns.iter().map(|column| {
                        folded(row.cells.get(*column).map_or("", String::as_str), layout.room[*column]).len()
                    });
                    texts.by_ref().take(heights.max().unwrap_or(0)).collect()
                }
                Some(_) => {
                    let room = layout.columns.first().and_then(|column| layout.room[*column]);
                    let names = folded(row.cells.first().map_or("", String::as_str), room);
                    texts.by_ref().take(names.len()).collect()
                }
            };
            match &row.remark {
                None => lines.extend(own.iter().map(|text| Line::styled(row.style, text))),
                Some(remark) if layout.is_first => lines.extend(remark.lines(row.style, &own, first, width)),
                Some(remark) if remark.is_title => lines.extend(own.iter().map(|text| Line::styled(row.style, text))),
                Some(_) => {}
            }
        }
        lines
    }

    /// The column titles, aligned at the bottom.
    fn titles(&self, layout: &Layout) -> Vec<Vec<String>> {
        let pieces: Vec<Vec<String>> = layout
            .columns
            .iter()
            .map(|column| {
                let title = self.title_of(*column, layout);
                if layout.title_lines == 1 {
                    vec![title.to_owned()]
                } else {
                    packed(title, self.width(*column, layout))
                }
            })
            .collect();
        let height = pieces.iter().map(Vec::len).max().unwrap_or(0);
        let line = |i: usize| -> Vec<String> {
            let at = |pieces: &Vec<String>| (i + pieces.len()).checked_sub(height).and_then(|i| pieces.get(i).cloned());
            pieces.iter().map(|pieces| at(pieces).unwrap_or_default()).collect()
        };
        (0..height).map(line).collect()
    }

    /// One line of text for each of `rows`.
    fn aligned(&self, layout: &Layout, rows: Vec<Vec<String>>) -> Vec<String> {
        let mut grid = Grid::new();
        grid.load_style(TableStyle::new()).set_content_arrangement(ContentArrangement::Disabled);
        for row in &rows {
            grid.add_row(row);
        }
        let gap = u16::try_from(layout.gap).unwrap_or(u16::MAX);
        for (column, drawn) in layout.columns.iter().zip(grid.column_iter_mut()) {
            drawn.set_padding((0, gap));
            if self.align.get(*column) == Some(&Align::Right) {
                drawn.set_cell_alignment(CellAlignment::Right);
            }
        }
        grid.lines().map(|line| line.trim_end().to_owned()).collect()
    }
}

impl Remark {
    /// The remark after its name, or below it.
    fn lines(&self, style: Style, name: &[String], first: usize, width: Width) -> Vec<Line> {
        let room = width.of_prose().saturating_sub(first);
        let name = name.iter().map(|piece| Line::styled(style, piece));
        if room < REMARK {
            let pieces = wrapped(&self.text, width.of_prose() - 2);
            return name.chain(pieces.iter().map(|piece| Line::plain("  ").with(style, piece))).collect();
        }
        // A title is one line where the page has its usual width.
        let pieces = if self.is_title && width.of_prose() == Width::USUAL {
            vec![fitted(&self.text, room)]
        } else {
            wrapped(&self.text, room)
        };
        let (mut name, mut pieces) = (name, pieces.into_iter());
        let mut lines = Vec::new();
        loop {
            let line = match (name.next(), pieces.next()) {
                (None, None) => break,
                (name, None) => name.unwrap_or_default(),
                (name, Some(piece)) => name.unwrap_or_default().padded(first).with(style, &piece),
            };
            lines.push(line);
        }
        lines
    }
}

/// The style of a row: that of a fault if `bad`.
pub fn style_if(bad: bool, style: Style) -> Style {
    if bad { style } else { PLAIN }
}

#[cfg(test)]
mod tests;
