use maud::{Markup, html};

use super::texts::{class, prose, shortened};
use crate::grid::Mood;

/// Maximum rows.
const MOST: usize = 2_000;
/// Maximum characters per cell.
const CELL: usize = 60;

/// A table to sort by any column, and to filter by some. Without the page's script it is a plain table.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// Its head.
    pub columns: Vec<Column>,
    /// As many cells as columns, in each.
    pub rows: Vec<Vec<Field>>,
    /// What its columns mean.
    pub how: String,
}

/// A column of a listing.
#[derive(Clone, Debug, Default)]
pub struct Column {
    /// Its name.
    pub title: String,
    /// Whether it is sorted by values.
    pub is_number: bool,
    /// Whether rows are chosen by its texts.
    pub is_choice: bool,
}

/// A cell of a listing.
#[derive(Clone, Debug, Default)]
pub struct Field {
    /// What it says.
    pub text: String,
    /// What its column is sorted by if it is one of numbers; rows without one come last.
    pub value: Option<f64>,
    /// How the reader should take it.
    pub mood: Mood,
}

impl Listing {
    pub(super) fn drawn(&self) -> Markup {
        let is_number = |column: usize| self.columns.get(column).is_some_and(|column| column.is_number);
        let side = |column: usize| (!is_number(column)).then_some("l");
        let left_out = self.rows.len().saturating_sub(MOST);
        html! {
            div.scroll tabindex="0" role="group" {
                table.list {
                    thead { tr {
                        @for (at, column) in self.columns.iter().enumerate() {
                            th scope="col" class=[side(at)] data-f[column.is_choice] { (column.title) }
                        }
                    } }
                    tbody {
                        @for row in self.rows.iter().take(MOST) {
                            "\n" tr {
                                @for (at, cell) in row.iter().enumerate() {
                                    td class=[cell_class(is_number(at), cell.mood)] data-s=[is_number(at).then(|| value(cell.value))] { (said(cell, is_number(at))) }
                                }
                            }
                        }
                    }
                }
            }
            @if left_out > 0 { p.how { (chronoscope_harness::quantity::count(left_out as u64)) " more rows are not drawn." } }
            @if !self.how.is_empty() { p.how { (prose(&self.how)) } }
        }
    }
}

/// What a cell says; a number keeps its unit on its line, and what is in parentheses behind it may have the next one.
fn said(cell: &Field, is_number: bool) -> String {
    let text = shortened(&cell.text, CELL);
    let end = if is_number { text.find(" (").unwrap_or(text.len()) } else { 0 };
    let (number, more) = text.split_at(end);
    format!("{}{more}", number.replace(' ', "\u{a0}"))
}

fn cell_class(is_number: bool, mood: Mood) -> Option<String> {
    let classes: Vec<&str> = (!is_number).then_some("l").into_iter().chain(class(mood)).collect();
    (!classes.is_empty()).then(|| classes.join(" "))
}

/// What a column is sorted by; empty where nothing is known.
fn value(of: Option<f64>) -> String {
    of.filter(|value| value.is_finite()).map_or_else(String::new, |value| format!("{value:e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_escaped_and_have_what_they_are_sorted_by() {
        let columns = vec![
            Column { title: "CPU".to_owned(), is_choice: true, ..Column::default() },
            Column { title: "read".to_owned(), is_number: true, ..Column::default() },
        ];
        let cell = |text: &str, value| Field { text: text.to_owned(), value, ..Field::default() };
        let rows = vec![
            vec![cell("<script>", None), cell("20.8 ns (a clock)", Some(20.8))],
            vec![cell("b", None), Field { mood: Mood::Bad, ..cell("not known", Some(f64::NAN)) }],
        ];
        let drawn = Listing { columns, rows, how: "`rdtsc` is read & timed".to_owned() }.drawn().into_string();
        assert!(drawn.contains("<th scope=\"col\" class=\"l\" data-f>CPU</th><th scope=\"col\">read</th>"), "{drawn}");
        assert!(
            drawn.contains("<td class=\"l\">&lt;script&gt;</td><td data-s=\"2.08e1\">20.8\u{a0}ns (a clock)</td>"),
            "{drawn}"
        );
        assert!(drawn.contains("<td class=\"bad\" data-s=\"\">not\u{a0}known</td>"), "{drawn}");
        assert!(drawn.ends_with("<p class=\"how\"><code>rdtsc</code> is read &amp; timed</p>"), "{drawn}");
    }

    #[test]
    fn a_long_listing_is_cut_and_says_so() {
        let listing = Listing { rows: vec![vec![Field::default()]; MOST + 3], ..Listing::default() };
        let drawn = listing.drawn().into_string();
        assert_eq!(drawn.matches("<td").count(), MOST);
        assert!(drawn.contains("3 more rows"));
    }
}
