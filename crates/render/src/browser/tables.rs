use maud::{Markup, html};

use super::texts::{class, line, prose};
use crate::grid::Mood;
use crate::line::Line;
use crate::page::{Block, Page};
use crate::table::{Align, Table};

/// Maximum characters per cell.
const CELL: usize = 200;
/// Maximum rows per table, since a record may have any number of them.
const ROWS: usize = 400;

/// What a page for terminals says, in the same order; `with_drawings` also what it draws with characters.
pub(super) fn page(page: Page, with_drawings: bool) -> Markup {
    let mut drawn: Vec<Line> = Vec::new();
    let mut all: Vec<Markup> = Vec::new();
    let flush = |drawn: &mut Vec<Line>, all: &mut Vec<Markup>| {
        if !drawn.is_empty() {
            all.push(drawing(drawn));
            drawn.clear();
        }
    };
    for block in page.into_blocks().into_iter().filter(|block| with_drawings || !matches!(block, Block::Drawn(_))) {
        if let Block::Line(line) | Block::Drawn(line) = block {
            drawn.push(line);
            continue;
        }
        flush(&mut drawn, &mut all);
        all.push(match block {
            Block::Section(title) => html! { h3 { (title) } },
            Block::Heading(title) => html! { h4 { (prose(&title)) } },
            Block::Table(of) => table(&of),
            Block::Paragraph(lead, style, text) => html! {
                p class=[class(Mood::of(style))] { (line(&lead)) (prose(&text)) }
            },
            Block::Line(_) | Block::Drawn(_) => html! {},
        });
    }
    flush(&mut drawn, &mut all);
    html! { @for markup in &all { (markup) } }
}

/// Lines that were laid out for a fixed pitch.
fn drawing(lines: &[Line]) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" {
            pre { @for of in lines { (line(of)) "\n" } }
        }
    }
}

/// A table; it scrolls by itself where it is wider than the page.
fn table(table: &Table) -> Markup {
    let (header, align, rows) = (table.header(), table.align(), table.all_rows());
    let side = |column: usize| (align.get(column) == Some(&Align::Right)).then_some("n");
    let left_out = rows.len().saturating_sub(ROWS);
    html! {
        div.scroll tabindex="0" role="group" {
            table {
                thead { tr { @for (column, title) in header.iter().enumerate() { th scope="col" class=[side(column)] { (title) } } } }
                tbody {
                    @for (style, cells, remark) in rows.take(ROWS) {
                        "\n" tr class=[class(Mood::of(style))] {
                            @for (column, cell) in cells.iter().enumerate() { td class=[side(column)] { (shortened(cell)) } }
                            @if let Some(remark) = remark { td colspan=(header.len().saturating_sub(1).max(1)) { (remark) } }
                        }
                    }
                }
            }
        }
        @if left_out > 0 { p.how { (chronoscope_harness::quantity::count(left_out as u64)) " more rows are in the document." } }
    }
}

fn shortened(text: &str) -> String {
    let mut characters = text.chars();
    let mut short: String = characters.by_ref().take(CELL).collect();
    short.extend(characters.next().map(|_| '…'));
    short
}
