//! Lays rows out on a screen, and leaves out the least important ones where it is full.

use chronoscope_harness::finding::HostState;
use chronoscope_render::Width;
use chronoscope_render::line::Line;
use chronoscope_render::page::{Page, wrapped};

use super::cells::Row;
use super::rows;
use super::title::title;
use crate::document::Record;
use crate::judgement::Judgement;
use crate::judgement::host::Host;

/// The screen that everything has to fit on, and the lines that suffice where there is little to say.
const LINES: usize = 24;
const LINES_SOUND: usize = 18;
const COLUMNS: usize = 80;
/// Between the cells of a row.
const GAP: usize = 2;

/// The first screen for a terminal of this width. Without a terminal it has 80 columns.
///
/// # Guarantees
/// From 80 columns, at most 24 lines, and 18 of a sound host. A narrower screen has the same words on more lines. No
/// line is wider than the screen, whatever the record holds.
pub fn page_at(record: &Record, judgement: &Judgement, host: &Host, width: Width) -> Page {
    let columns = if width == Width::default() { COLUMNS } else { width.of_prose() };
    let most = if host.state == HostState::Ok { LINES_SOUND } else { LINES };
    let mut page = Page::with_width(width);
    page.lines(drawn(title(record, host), rows::rows(record, judgement, host), (columns, most)));
    page
}

fn drawn(title: (Line, Line), mut rows: Vec<Row>, (columns, most): (usize, usize)) -> Vec<Line> {
    let mut left_out = 0;
    // The same rows at every width, so that a wider terminal shows no other numbers.
    while lines_of(&title, &rows, left_out, COLUMNS).len() > most {
        let Some((place, _)) = rows.iter().enumerate().filter(|(_, row)| row.rank > 0).max_by_key(|(_, row)| row.rank)
        else {
            break;
        };
        left_out += usize::from(rows.remove(place).says());
    }
    let mut lines = lines_of(&title, &rows, left_out, columns);
    if columns >= COLUMNS {
        lines.truncate(LINES);
    }
    lines
}

fn lines_of(title: &(Line, Line), rows: &[Row], left_out: usize, columns: usize) -> Vec<Line> {
    let mut lines = titled(title, columns);
    lines.extend(rows.iter().chain([&rows::more(left_out)]).flat_map(|row| row_lines(row, columns)));
    lines
}

/// The title, and the state of the host at the right edge, below it where there is no room.
fn titled((title, state): &(Line, Line), columns: usize) -> Vec<Line> {
    if title.width() + GAP + state.width() <= columns {
        return vec![title.clone().padded(columns - state.width()).joined(state.clone())];
    }
    let mut lines = pieces(title, columns);
    let indent = columns.saturating_sub(state.width());
    lines.push(Line::new().padded(indent).joined(state.clone()));
    lines
}

/// A row, cells side by side where there is room; aligned only if all of them fit on one line so.
fn row_lines(row: &Row, columns: usize) -> Vec<Line> {
    let label = row.label.width();
    let room = columns.saturating_sub(label);
    let aligned: usize = row.cells.iter().map(|cell| cell.width.max(cell.line.width()) + GAP).sum();
    let is_aligned = aligned <= room + GAP;
    let mut lines: Vec<Line> = Vec::new();
    let mut line = Line::new();
    for cell in &row.cells {
        for piece in pieces(&cell.line, room) {
            let gap = if line.width() == 0 { 0 } else { GAP };
            if line.width() + gap + piece.width() > room && line.width() > 0 {
                lines.push(std::mem::take(&mut line));
            }
            let gap = if line.width() == 0 { 0 } else { GAP };
            let start = line.width() + gap;
            let wide = if is_aligned { cell.width.max(piece.width()) } else { piece.width() };
            line = line.padded(start).joined(piece).padded(start + wide);
        }
    }
    lines.push(line);
    let rest = std::iter::repeat_with(|| Line::new().padded(label));
    std::iter::once(row.label.clone()).chain(rest).zip(lines).map(|(lead, line)| lead.joined(line)).collect()
}

/// A line in pieces of at most so many columns; its own if it fits.
fn pieces(line: &Line, columns: usize) -> Vec<Line> {
    if line.width() <= columns {
        return vec![line.clone()];
    }
    wrapped(&line.text(), columns).iter().map(|piece| Line::plain(piece)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screen::first_screen::cells::align;

    fn row(label: &str, rank: u8, texts: &[&str]) -> Row {
        Row::named(label, texts.iter().map(|text| Line::plain(text))).ranked(rank)
    }

    fn text(lines: &[Line]) -> Vec<String> {
        lines.iter().map(|line| line.text().trim_end().to_owned()).collect()
    }

    #[test]
    fn cells_are_aligned_and_the_state_is_at_the_edge() {
        let mut rows = vec![row("USE", 0, &["durations", "CLOCK"]), row("", 0, &["now", "WALL"])];
        align(&mut rows);
        let lines = lines_of(&(Line::plain("a title"), Line::plain("HOST: GOOD")), &rows, 0, 60);
        let wanted = ["USE    durations  CLOCK", "       now        WALL"];
        assert_eq!(text(&lines)[1..3], wanted);
        assert_eq!(lines[0].width(), 60);
        assert!(lines[0].text().ends_with("   HOST: GOOD"));
    }

    #[test]
    fn a_full_screen_leaves_out_what_matters_least_and_says_so() {
        for most in [LINES, LINES_SOUND] {
            let mut rows: Vec<Row> = (0..20).map(|_| row("USE", 3, &["one of many"])).collect();
            rows.push(Row::empty());
            rows.extend((0..8).map(|_| row("TRUST", 0, &["kept"])));
            let lines = text(&drawn((Line::plain("a"), Line::plain("b")), rows, (80, most)));
            assert_eq!(lines.len(), most);
            assert_eq!(lines.iter().filter(|line| line.ends_with("kept")).count(), 8);
            let shown = most - 10;
            assert_eq!(lines.iter().filter(|line| line.ends_with("one of many")).count(), shown);
            let more = format!("--full ({} rows left out)", 20 - shown);
            assert!(lines.last().is_some_and(|line| line.contains(&more)), "{lines:?}");
        }
    }

    #[test]
    fn a_long_cell_is_wrapped() {
        let words = "a long sentence ".repeat(12);
        for columns in [60, 80] {
            for line in row_lines(&row("HOST", 0, &[&words]), columns) {
                assert!(line.width() <= columns, "{}", line.text());
            }
        }
    }
}
