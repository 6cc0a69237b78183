use anstyle::Style;
use maud::{Markup, html};

use super::texts::{class, line, prose, shortened};
use crate::grid::Mood;
use crate::line::Line;
use crate::page::{Block, Page, titled};
use crate::table::{Align, Table};

/// Bytes for all numbers of a whole page, since a record may have any number of tables.
pub(super) const ROOM: usize = 1_200_000;
/// The share of the remaining room that a figure's numbers may take, so that there is some for those that follow.
const SHARE: usize = 4;
/// Maximum characters per cell.
const CELL: usize = 200;
/// Maximum rows per table, since a record may have any number of them.
const ROWS: usize = 400;

/// What a page for terminals says, in the same order. All within a share of `room`, the bytes that are left; takes from it what it
/// needs.
pub(super) fn page(page: Page, room: &mut usize) -> Markup {
    let most = *room / SHARE;
    let mut drawn: Vec<Line> = Vec::new();
    let mut all: Vec<Markup> = Vec::new();
    let (mut used, mut left_out) = (0, 0);
    let flush = |drawn: &mut Vec<Line>, all: &mut Vec<Markup>| {
        if !drawn.is_empty() {
            all.push(drawing(drawn));
            drawn.clear();
        }
    };
    for block in page.into_blocks() {
        if used >= most {
            left_out += 1;
            continue;
        }
        if let Block::Line(line) | Block::Drawn(line) = block {
            used += line.text().len();
            drawn.push(line);
            continue;
        }
        flush(&mut drawn, &mut all);
        let markup = match block {
            Block::Section(title, how) => html! { h3 { (prose(&titled(&title, &how))) } },
            Block::Heading(title) => html! { h4 { (prose(&title)) } },
            Block::Table(of) => table(&of, most - used),
            Block::Paragraph(lead, style, text) => html! {
                p class=[class(Mood::of(style))] { (line(&lead)) (prose(&text)) }
            },
            Block::Line(_) | Block::Drawn(_) => html! {},
        };
        used += markup.0.len();
        all.push(markup);
    }
    flush(&mut drawn, &mut all);
    *room = room.saturating_sub(used);
    html! {
        @for markup in &all { (markup) }
        @if left_out > 0 { p.how { (count(left_out)) " more tables, paragraphs and lines are in the document." } }
    }
}

/// Lines that were laid out for a fixed pitch.
fn drawing(lines: &[Line]) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" {
            pre { @for of in lines { (line(of)) "\n" } }
        }
    }
}

/// A table of about `most` bytes; it scrolls by itself where it is wider than the page.
fn table(table: &Table, most: usize) -> Markup {
    let (header, align, rows) = (table.header(), table.align(), table.all_rows());
    // Numbers stand right without a class, for most cells are some.
    let side = |column: usize| (align.get(column) != Some(&Align::Right)).then_some("l");
    let all = rows.len();
    let drawn = |(style, cells, remark): (Style, &[String], Option<&str>)| {
        html! {
            "\n" tr class=[class(Mood::of(style))] {
                @for (column, cell) in cells.iter().enumerate() { td class=[side(column)] { (shortened(cell, CELL)) } }
                @if let Some(remark) = remark { td.l colspan=(header.len().saturating_sub(1).max(1)) { (prose(remark)) } }
            }
        }
    };
    let mut used = 0;
    let has_room = |row: &Markup| {
        let has_room = used < most;
        used += row.0.len();
        has_room
    };
    let rows: Vec<Markup> = rows.take(ROWS).map(drawn).take_while(has_room).collect();
    let left_out = all - rows.len();
    html! {
        div.scroll tabindex="0" role="group" {
            table {
                thead { tr { @for (column, title) in header.iter().enumerate() { th scope="col" class=[side(column)] { (shortened(title, CELL)) } } } }
                tbody { @for row in &rows { (row) } }
            }
        }
        @if left_out > 0 { p.how { (count(left_out)) " more rows are in the document." } }
    }
}

fn count(of: usize) -> String {
    chronoscope_harness::quantity::count(of as u64)
}
