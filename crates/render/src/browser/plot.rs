use std::fmt::Write;

use maud::{Markup, html};

use super::marks::{Hue, Mark, Shape, part, point};
use super::rows::apart;
use super::texts::prose;
use crate::axis::Axis;

/// Height of the drawing, in pixels.
const HEIGHT: f64 = 210.0;
/// Width of the box that is stretched to the drawing's.
const BOX: f64 = 1000.0;
/// Maximum points of a curve that get a mark: more would cover it.
const MARKED: usize = 60;
/// Labels of the axis that are nearer to each other than this share of the width would overlap anywhere, or on a narrow page; so
/// would those of points.
const TICKS_APART: f64 = 0.12;
const TICKS_APART_NARROW: f64 = 0.2;
const LABELS_APART: f64 = 0.2;
/// Pixels from a point to its label, to the right and down, and from one line of it to the next.
const BESIDE: f64 = 7.0;
const BELOW: f64 = 15.0;
const LINE: f64 = 13.0;

/// A chart of two axes.
#[derive(Clone, Debug)]
pub struct Plot {
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    /// Writes a value of each axis.
    pub words: [fn(f64) -> String; 2],
    /// What each axis shows.
    pub names: [String; 2],
    pub curves: Vec<Curve>,
    /// A height to compare with.
    pub reference: Option<f64>,
}

/// A series of values.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    /// Empty where the chart's title says what it is.
    pub name: String,
    pub hue: Hue,
    /// The shape of its points; None for a line alone.
    pub shape: Option<Shape>,
    pub points: Vec<(f64, f64)>,
    /// The interval around each point, as x, low and high.
    pub band: Vec<(f64, f64, f64)>,
    pub is_dashed: bool,
    /// Whether all below it is filled, as of a distribution.
    pub is_filled: bool,
    /// Marks that stand upright at an x, their values being heights.
    pub marks: Vec<(f64, Mark)>,
    /// Texts at the lower right of a point, in ascending order of x; one that would cover the one before is left out.
    pub labels: Vec<Label>,
}

/// Lines of text at a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    pub x: f64,
    pub y: f64,
    pub lines: Vec<String>,
}

impl Plot {
    pub(super) fn drawn(&self) -> Markup {
        let height = format!("{HEIGHT}");
        html! {
            div.plot {
                @if !self.title.is_empty() { div.pt { (prose(&self.title)) } }
                @if self.curves.iter().any(|curve| !curve.name.is_empty()) { (self.key()) }
                @if !self.names[1].is_empty() { div.yl { (self.names[1]) } }
                svg.pl height=(height) role="img" aria-label=(self.said()) {
                    @for tick in &self.y.ticks {
                        @if let Some(y) = self.down(*tick) {
                            line.gr x1="0" x2="100%" y1=(y) y2=(y) {}
                            text x="-8" y=(y) dy="4" text-anchor="end" { ((self.words[1])(*tick)) }
                        }
                    }
                    @for tick in &self.x.ticks {
                        @if let Some(place) = self.x.place(*tick) { line.gr x1=(part(place)) x2=(part(place)) y1="0" y2=(height) {} }
                    }
                    @for (place, tick, is_narrow) in self.labelled() {
                        text class=[(!is_narrow).then_some("tight")] x=(part(place)) y=(HEIGHT + 17.0) text-anchor="middle" {
                            ((self.words[0])(tick))
                        }
                    }
                    @if let Some(y) = self.reference.and_then(|at| self.down(at)) { line.ref x1="0" x2="100%" y1=(y) y2=(y) {} }
                    line.base x1="0" x2="100%" y1=(height) y2=(height) {}
                    svg.st width="100%" height=(height) viewBox=(format!("0 0 {BOX} {HEIGHT}")) preserveAspectRatio="none" {
                        @for curve in &self.curves { (self.lines(curve)) }
                    }
                    @for curve in &self.curves { (self.uprights(curve)) (self.points(curve)) }
                    @for curve in &self.curves { (self.labels(curve)) }
                }
                @if !self.names[0].is_empty() { div.xl { (self.names[0]) } }
            }
        }
    }

    /// The places and values that are labelled, and whether they are on a narrow page too.
    fn labelled(&self) -> Vec<(f64, f64, bool)> {
        let placed: Vec<(f64, f64)> =
            self.x.ticks.iter().filter_map(|tick| Some((self.x.place(*tick)?, *tick))).collect();
        let narrow = apart(placed.iter().copied(), TICKS_APART_NARROW);
        let wide = apart(placed.into_iter(), TICKS_APART);
        wide.into_iter().map(|(place, tick)| (place, tick, narrow.contains(&(place, tick)))).collect()
    }

    /// Pixels from the top.
    fn down(&self, value: f64) -> Option<String> {
        Some(format!("{:.1}", self.pixels_down(value)?))
    }

    fn pixels_down(&self, value: f64) -> Option<f64> {
        Some(HEIGHT * (1.0 - self.y.place(value)?))
    }

    /// A path through points of the stretched box.
    fn path(&self, points: impl Iterator<Item = (f64, f64)>) -> String {
        let mut path = String::new();
        for (x, y) in points.filter_map(|(x, y)| Some((self.x.place(x)?, self.y.place(y)?))) {
            let step = if path.is_empty() { 'M' } else { 'L' };
            // Writing to a string cannot fail.
            let _ = write!(path, "{step}{:.1} {:.1}", BOX * x, HEIGHT * (1.0 - y));
        }
        path
    }

    fn lines(&self, curve: &Curve) -> Markup {
        let hue = curve.hue.class();
        let through = self.path(curve.points.iter().copied());
        let (first, last) = (curve.points.first(), curve.points.last());
        let end = |point: Option<&(f64, f64)>| {
            point.and_then(|(x, _)| self.x.place(*x)).map(|x| format!("L{:.1} {HEIGHT}", BOX * x))
        };
        let upper = curve.band.iter().map(|(x, _, high)| (*x, *high));
        let lower = curve.band.iter().rev().map(|(x, low, _)| (*x, *low));
        html! {
            @if !curve.band.is_empty() { path class={ "area " (hue) } d={ (self.path(upper.chain(lower))) "Z" } {} }
            @if curve.is_filled {
                @if let (Some(last), Some(first)) = (end(last), end(first)) { path class={ "hist " (hue) } d={ (through) (last) (first) "Z" } {} }
            } @else if !through.is_empty() {
                path class={ (hue) @if curve.is_dashed { " dash" } } d=(through) {}
            }
        }
    }

    fn points(&self, curve: &Curve) -> Markup {
        let places =
            curve.points.iter().filter_map(|(x, y)| Some((self.x.place(*x)?, HEIGHT * (1.0 - self.y.place(*y)?))));
        html! {
            @if let Some(shape) = curve.shape {
                @if curve.points.len() <= MARKED {
                    g class=(curve.hue.class()) { @for (x, y) in places { (point(x, y, shape, false)) } }
                }
            }
        }
    }

    fn uprights(&self, curve: &Curve) -> Markup {
        let marks = curve.marks.iter().take(MARKED * 2);
        let drawn = marks.filter_map(|(x, mark)| mark.upright(self.x.place(*x)?, |value| self.pixels_down(value)));
        html! { @if !curve.marks.is_empty() { g class=(curve.hue.class()) { @for mark in drawn { (mark) } } } }
    }

    fn labels(&self, curve: &Curve) -> Markup {
        let placed = curve.labels.iter().filter_map(|label| Some((self.x.place(label.x)?, label)));
        html! {
            @for (place, label) in apart(placed, LABELS_APART) {
                @if let Some(y) = self.pixels_down(label.y) {
                    @for (line, text) in label.lines.iter().enumerate() {
                        text.lb x=(part(place)) dx=(BESIDE) y=(format!("{:.1}", y + BELOW + LINE * line as f64)) { (text) }
                    }
                }
            }
        }
    }

    fn key(&self) -> Markup {
        html! {
            div.key {
                @for curve in self.curves.iter().filter(|curve| !curve.name.is_empty()) {
                    span class=(curve.hue.class()) {
                        svg viewBox="-7 -7 14 14" aria-hidden="true" {
                            @if let Some(shape) = curve.shape { (point(0.0, 0.0, shape, false)) }
                            @else { line.w x1="-7" x2="7" y1="0" y2="0" {} }
                        }
                        i { (prose(&curve.name)) }
                    }
                }
            }
        }
    }

    /// The chart in words, for who cannot see it: the ends of each curve.
    fn said(&self) -> String {
        let [x, y] = self.words;
        let curve = |curve: &Curve| {
            let ((from_x, from_y), (to_x, to_y)) = (curve.points.first()?, curve.points.last()?);
            let name = if curve.name.is_empty() { &self.title } else { &curve.name };
            Some(format!("{name}: from {} at {} to {} at {}", y(*from_y), x(*from_x), y(*to_y), x(*to_x)))
        };
        self.curves.iter().filter_map(curve).collect::<Vec<_>>().join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axis::Scale;

    fn plot(curve: Curve) -> Plot {
        let axis = Axis::of_sweep(&[1.0, 1.1, 100.0], 6, Some(Scale::Log)).unwrap();
        let word = |value: f64| format!("{value} ns");
        let [x, y] = [axis.clone(), axis];
        Plot {
            title: String::new(),
            x,
            y,
            words: [word; 2],
            names: [String::new(), String::new()],
            curves: vec![curve],
            reference: None,
        }
    }

    #[test]
    fn labels_that_would_cover_each_other_are_left_out() {
        let label = |x: f64, text: &str| Label { x, y: 10.0, lines: vec![text.to_owned()] };
        let drawn = plot(Curve { labels: vec![label(1.0, "first"), label(1.1, "near")], ..Curve::default() }).drawn().0;
        assert!(drawn.contains("first") && !drawn.contains("near"), "{drawn}");
        let ticks = drawn.split("</text>").filter(|piece| piece.contains("y=\"227\"")).count();
        assert_eq!(ticks, 2, "1.1 is too near to 1: {drawn}");
    }

    #[test]
    fn marks_stand_upright_and_those_without_a_place_are_left_out() {
        let marks = vec![
            (10.0, Mark::Reach { from: 1.0, to: 100.0 }),
            (10.0, Mark::Extreme { at: 100.0 }),
            (10.0, Mark::Point { at: 10.0, shape: Shape::Square, is_hollow: true }),
            (10.0, Mark::Extreme { at: f64::NAN }),
        ];
        let drawn = plot(Curve { marks, ..Curve::default() }).drawn().0;
        assert!(drawn.contains(r#"y1="210.0" y2="0.0""#), "{drawn}");
        assert!(drawn.contains("m o") && !drawn.contains("NaN"), "{drawn}");
        assert_eq!(drawn.matches("M-3.5-3.5").count(), 1, "{drawn}");
    }
}
