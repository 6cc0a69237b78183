use maud::{Markup, html};

use super::marks::{Hue, Mark, part};
use super::texts::{class, prose};
use crate::axis::{Axis, Scale};
use crate::grid::Mood;

/// Height of a row, in pixels.
const HEIGHT: f64 = 22.0;
/// Maximum rows of a chart, since a record may have any number of them; the tables have more.
const MOST: usize = 120;
/// Places nearer to an end than this have their label beside them.
const EDGE: f64 = 0.04;
/// The width of a label with the gap behind it, as a share of that of the axis, and on a narrow page.
const LABEL: f64 = 0.1;
const LABEL_NARROW: f64 = 0.16;

/// A graphical table: a line per thing, and one axis for all.
#[derive(Clone, Debug)]
pub struct Rows {
    pub entries: Vec<Entry>,
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
    Row(Row),
}

/// A row: its name, its marks on the axis, and their value in words.
#[derive(Clone, Debug, Default)]
pub struct Row {
    pub name: String,
    /// Whether the name is one that is typed.
    pub is_code: bool,
    pub hue: Hue,
    pub marks: Vec<Mark>,
    pub value: String,
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
        let height = format!("{HEIGHT}");
        let left_out = self.entries.len().saturating_sub(MOST);
        let grid = format!("{id}-grid");
        Some(html! {
            svg.defs aria-hidden="true" { defs { g.grid id=(grid) {
                @for tick in &axis.ticks {
                    @if let Some(place) = axis.place(*tick) { line x1=(part(place)) x2=(part(place)) y2=(HEIGHT + 14.0) {} }
                }
                @if let Some(place) = self.reference.and_then(|at| axis.place(at)) {
                    line.ref x1=(part(place)) x2=(part(place)) y2=(HEIGHT + 14.0) {}
                }
            } } }
            div.rows {
                @for entry in self.entries.iter().take(MOST) {
                    @match entry {
                        Entry::Heading(title) => { div.rh { (prose(title)) } }
                        Entry::Row(row) => {
                            div class={ "row " (row.hue.class()) @if row.is_best { " best" } }
                                data-k=[row.is_code.then_some(&row.name)] data-t=[(!row.more.is_empty()).then_some(&row.more)]
                                tabindex=[(!row.more.is_empty()).then_some("0")] {
                                div class=(if row.is_code { "nm" } else { "nm p" }) { (row.name) }
                                svg.pl height=(height) aria-hidden="true" {
                                    use href={ "#" (grid) } {}
                                    @for mark in row.marks.iter().filter_map(|mark| mark.on(&axis, HEIGHT)) { (mark) }
                                }
                                div class={ "vl" @if let Some(mood) = class(row.mood) { " " (mood) } } { (prose(&row.value)) }
                            }
                        }
                    }
                }
                div."row ax" { div.nm {} svg.pl height=(height) aria-hidden="true" { (self.labels(&axis)) } div.vl {} }
            }
            @if !self.axis_name.is_empty() { div.xl { (self.axis_name) } }
            @if left_out > 0 { p.how { (left_out) " more are not drawn." } }
        })
    }

    fn axis(&self) -> Option<Axis> {
        let rows = self.entries.iter().take(MOST).filter_map(|entry| match entry {
            Entry::Row(row) => Some(row),
            Entry::Heading(_) => None,
        });
        let values = rows.flat_map(|row| &row.marks).flat_map(|mark| mark.values()).chain(self.reference);
        Axis::of_results(values, self.scale).map(Axis::in_round_values)
    }

    fn labels(&self, axis: &Axis) -> Markup {
        let placed: Vec<(f64, f64)> = axis.ticks.iter().filter_map(|tick| Some((axis.place(*tick)?, *tick))).collect();
        let kept = |width: f64| apart(placed.iter().map(|(place, tick)| (middle(*place, width), *tick)), width);
        let narrow = kept(LABEL_NARROW);
        let is_narrow = |tick: f64| narrow.iter().any(|(_, kept)| *kept == tick);
        html! {
            @for (place, _) in &placed { line.tk x1=(part(*place)) x2=(part(*place)) y2="4" {} }
            @for (_, tick) in kept(LABEL) {
                @if let Some(place) = axis.place(tick) {
                    text class=[(!is_narrow(tick)).then_some("tight")] x=(part(place)) y="17" text-anchor=(anchor(place)) {
                        ((self.word)(tick))
                    }
                }
            }
        }
    }
}

/// The middle of a label of this width.
fn middle(place: f64, width: f64) -> f64 {
    match anchor(place) {
        "start" => place + width / 2.0,
        "end" => place - width / 2.0,
        _ => place,
    }
}

/// Those that are at least so far apart, as shares of the width.
pub(super) fn apart<T>(all: impl Iterator<Item = (f64, T)>, least: f64) -> Vec<(f64, T)> {
    let mut kept: Vec<(f64, T)> = Vec::new();
    for (place, of) in all {
        if kept.last().is_none_or(|(before, _)| place - before >= least) {
            kept.push((place, of));
        }
    }
    kept
}

/// Where a label stands beside its place.
fn anchor(place: f64) -> &'static str {
    match place {
        at if at < EDGE => "start",
        at if at > 1.0 - EDGE => "end",
        _ => "middle",
    }
}
