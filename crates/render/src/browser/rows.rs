use maud::{Markup, html};

use super::marks::{Hue, Mark, part};
use super::texts::{class, prose, shortened};
use crate::axis::{Axis, Scale};
use crate::grid::Mood;
use crate::words::tick as tick_word;

/// Height of a row, in pixels.
const HEIGHT: f64 = 22.0;
/// Maximum characters of a name, and of what is shown where a pointer rests.
const NAME: usize = 80;
const MORE: usize = 400;
/// Maximum rows of a chart, since a record may have any number of them; the tables have more.
const MOST: usize = 120;
/// Rows of which the first are on another screen than the last: the axis is above them too.
const LONG: usize = 30;
/// Maximum ticks, so that their labels have room on a phone.
const TICKS: usize = 7;
/// Pixels of a drawing on a phone, and of a letter of an axis.
const NARROWEST: f64 = 290.0;
const LETTER: f64 = 6.8;
/// Characters of a value that its usual column holds.
const VALUE: usize = 18;
/// Places nearer to an end than this have their label beside them.
const EDGE: f64 = 0.04;

/// A graphical table: a line per thing, and one axis for all.
#[derive(Clone, Debug)]
pub struct Rows {
    /// Its lines, from top to bottom.
    pub entries: Vec<Entry>,
    /// How values lie on the axis.
    pub scale: Scale,
    /// Writes a value of the axis.
    pub word: fn(f64) -> String,
    /// What the axis shows.
    pub axis_name: String,
    /// A value to compare with.
    pub reference: Option<f64>,
}

/// A line of such a chart.
#[derive(Clone, Debug)]
pub enum Entry {
    /// A heading for the rows that follow.
    Heading(String),
    /// A thing and its marks.
    Row(Row),
}

/// A row: its name, its marks on the axis, and their value in words.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// What it is about.
    pub name: String,
    /// Whether the name is one that is typed.
    pub is_code: bool,
    /// The colour of its marks.
    pub hue: Hue,
    /// What is drawn on the axis.
    pub marks: Vec<Mark>,
    /// Their value in words.
    pub value: String,
    /// The mood of the value.
    pub mood: Mood,
    /// More about it, shown where a pointer rests.
    pub more: String,
    /// Whether it is one of those that the reader should use.
    pub is_best: bool,
}

impl Rows {
    /// The chart, if any of its marks can be drawn.
    pub(super) fn drawn(&self, id: &str) -> Option<Markup> {
        let axis = self.axis()?;
        let ticks = self.ticks(&axis);
        let height = format!("{HEIGHT}");
        let left_out = self.entries.len().saturating_sub(MOST);
        let grid = format!("{id}-grid");
        Some(html! {
            svg.defs aria-hidden="true" { defs { g.grid id=(grid) {
                @for tick in &ticks {
                    @if let Some(place) = axis.place(*tick) { line x1=(part(place)) x2=(part(place)) y2=(HEIGHT + 14.0) {} }
                }
                @if let Some(place) = self.reference.and_then(|at| axis.place(at)) {
                    line.ref x1=(part(place)) x2=(part(place)) y2=(HEIGHT + 14.0) {}
                }
            } } }
            div class=(if self.is_wide() { "rows wide" } else { "rows" }) {
                @if self.entries.len() > LONG { (self.ruler(&axis, &ticks, true)) }
                @for entry in self.entries.iter().take(MOST) {
                    "\n"
                    @match entry {
                        Entry::Heading(title) => { div.rh { (prose(title)) } }
                        Entry::Row(row) => {
                            @let name = shortened(&row.name, NAME);
                            @let is_focusable = !row.more.is_empty();
                            div class={ "row " (row.hue.class()) @if row.is_best { " best" } }
                                data-k=[row.is_code.then_some(&name)] data-t=[is_focusable.then(|| shortened(&row.more, MORE))]
                                tabindex=[is_focusable.then_some("0")] role=[is_focusable.then_some("group")]
                                aria-label=[is_focusable.then_some(&name)] {
                                div class=(if row.is_code { "nm" } else { "nm p" }) { (name) }
                                svg.pl height=(height) aria-hidden="true" {
                                    use href={ "#" (grid) } {}
                                    @for mark in row.marks.iter().filter_map(|mark| mark.on(&axis, HEIGHT)) { (mark) }
                                }
                                div class={ "vl" @if let Some(mood) = class(row.mood) { " " (mood) } } { (prose(&row.value)) }
                            }
                        }
                    }
                }
                (self.ruler(&axis, &ticks, false))
            }
            @if !self.axis_name.is_empty() { div.xl { (prose(&self.axis_name)) } }
            @if left_out > 0 { p.how { (left_out) " more are not drawn." } }
        })
    }

    /// Whether values need a wider column.
    fn is_wide(&self) -> bool {
        self.entries.iter().any(|entry| matches!(entry, Entry::Row(row) if row.value.chars().count() > VALUE))
    }

    fn axis(&self) -> Option<Axis> {
        let rows = self.entries.iter().take(MOST).filter_map(|entry| match entry {
            Entry::Row(row) => Some(row),
            Entry::Heading(_) => None,
        });
        let values = rows.flat_map(|row| &row.marks).flat_map(|mark| mark.values()).chain(self.reference);
        Axis::of_results(values, self.scale)
    }

    /// As many ticks as have room for their labels.
    fn ticks(&self, axis: &Axis) -> Vec<f64> {
        let fits = |ticks: &Vec<f64>| self.placed(axis, ticks).iter().all(|(_, _, has_room)| *has_room);
        (2..=TICKS).rev().map(|most| axis.round_ticks(most)).find(fits).unwrap_or_else(|| axis.round_ticks(TICKS))
    }

    /// The labels of ticks.
    fn placed(&self, axis: &Axis, ticks: &[f64]) -> Vec<(f64, String, bool)> {
        let word = |tick: f64| tick_word(&(self.word)(tick));
        on_a_phone(ticks.iter().filter_map(|tick| Some((axis.place(*tick)?, word(*tick)))).collect())
    }

    /// The axis, above the rows or below.
    fn ruler(&self, axis: &Axis, ticks: &[f64], is_above: bool) -> Markup {
        let (from, to, text) = if is_above { (HEIGHT - 4.0, HEIGHT, 13.0) } else { (0.0, 4.0, 17.0) };
        html! {
            div."row ax" {
                div.nm {}
                svg.pl height=(HEIGHT) aria-hidden="true" {
                    @for (place, word, has_room) in &self.placed(axis, ticks) {
                        line.tk x1=(part(*place)) x2=(part(*place)) y1=[is_above.then_some(from)] y2=(to) {}
                        @if *has_room { text x=(part(*place)) y=(text) text-anchor=(anchor(*place)) { (word) } }
                    }
                }
                div.vl {}
            }
        }
    }
}

/// Those that are at least so far apart, as shares of the axis.
pub(super) fn apart<T>(all: impl Iterator<Item = (f64, T)>, least: f64) -> Vec<(f64, T)> {
    let mut kept: Vec<(f64, T)> = Vec::new();
    for (place, of) in all {
        if kept.last().is_none_or(|(before, _)| place - before >= least) {
            kept.push((place, of));
        }
    }
    kept
}

/// Labels at places, with whether each has room beside the one before where the drawing is narrowest.
fn on_a_phone(labels: Vec<(f64, String)>) -> Vec<(f64, String, bool)> {
    let mut taken = f64::NEG_INFINITY;
    let placed = |(place, word): (f64, String)| {
        let (at, width) = (place * NARROWEST, word.chars().count() as f64 * LETTER);
        let from = match anchor(place) {
            "start" => at,
            "end" => at - width,
            _ => at - width / 2.0,
        };
        let has_room = from > taken + LETTER / 2.0;
        if has_room {
            taken = from + width;
        }
        (place, word, has_room)
    };
    labels.into_iter().map(placed).collect()
}

/// Where a label stands beside its place.
fn anchor(place: f64) -> &'static str {
    match place {
        at if at < EDGE => "start",
        at if at > 1.0 - EDGE => "end",
        _ => "middle",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::browser::Shape;
    use chronoscope_harness::quantity::ns;

    fn rows(values: &[f64]) -> Rows {
        let row = |at: &f64| Row {
            name: "a clock".to_owned(),
            is_code: true,
            marks: vec![Mark::Point { at: *at, shape: Shape::Circle, is_hollow: false }],
            value: ns(*at),
            ..Row::default()
        };
        let entries = values.iter().map(|at| Entry::Row(row(at))).collect();
        Rows { entries, scale: Scale::Log, word: ns, axis_name: "time".to_owned(), reference: None }
    }

    #[test]
    fn a_mark_is_where_its_value_lies() {
        let drawn = rows(&[10.0, 100.0, 1_000.0]).drawn("x").unwrap().into_string();
        let middle = Axis::of_results([10.0, 1_000.0].into_iter(), Scale::Log).unwrap().place(100.0).unwrap();
        assert!(drawn.contains(&format!("cx=\"{}\"", part(middle))), "{drawn}");
        assert_eq!(drawn.matches("data-k=\"a clock\"").count(), 3);
        assert!(drawn.contains("100 ns") && drawn.contains(">10 ns<"), "{drawn}");
    }

    #[test]
    fn a_long_chart_has_its_axis_at_both_ends() {
        let axes = |rows_drawn: usize| {
            let drawn = rows(&vec![10.0; rows_drawn]).drawn("x").unwrap().into_string();
            let first = drawn.find("row ax").unwrap() < drawn.find("a clock").unwrap();
            (drawn.matches("row ax").count(), first)
        };
        assert_eq!([axes(LONG), axes(LONG + 1)], [(1, false), (2, true)]);
    }

    #[test]
    fn a_row_that_has_more_to_say_can_be_reached_and_is_named() {
        let mut two = rows(&[10.0, 100.0]);
        let Entry::Row(first) = &mut two.entries[0] else { panic!("{two:?}") };
        first.more = "more".to_owned();
        let drawn = two.drawn("x").unwrap().into_string();
        assert!(drawn.contains(r#"data-t="more" tabindex="0" role="group" aria-label="a clock">"#), "{drawn}");
        assert_eq!((drawn.matches("tabindex").count(), drawn.matches("role=").count()), (1, 1), "{drawn}");
    }

    #[test]
    fn what_is_not_drawn_is_counted() {
        let many = vec![10.0; MOST + 7];
        assert!(rows(&many).drawn("x").unwrap().into_string().contains("7 more are not drawn"));
        assert!(rows(&[]).drawn("x").is_none() && rows(&[f64::NAN, -1.0]).drawn("x").is_none());
    }

    #[test]
    fn labels_that_would_cover_each_other_on_a_phone_are_left_out() {
        let labels = |places: &[f64], word: &str| {
            let labels = places.iter().map(|place| (*place, word.to_owned())).collect();
            on_a_phone(labels).into_iter().map(|(_, _, has_room)| has_room).collect::<Vec<_>>()
        };
        assert_eq!(labels(&[0.0, 0.25, 0.5, 0.75, 1.0], "10 ns"), [true; 5]);
        assert_eq!(
            labels(&[0.0, 0.17, 0.33, 0.5, 0.67, 0.83, 1.0], "+300 ns"),
            [true, false, true, false, true, false, true]
        );
        assert!(labels(&[], "").is_empty());
        // Fewer ticks where they are ratios: 1, 3, 10 in place of 1, 2, 5, 10.
        let axis = rows(&[10.0, 1_000.0]).axis().unwrap();
        let ticks: Vec<f64> = rows(&[10.0, 1_000.0]).ticks(&axis).iter().map(|tick| tick.round()).collect();
        assert_eq!(ticks, [10.0, 30.0, 100.0, 300.0, 1_000.0]);
    }
}
