use std::collections::BTreeSet;
use std::fmt::Write;

use maud::{Markup, html};

use super::marks::{Hue, Mark, Shape, part, point};
use super::matrix::step_of;
use super::rows::apart;
use super::texts::{SENTENCE, bare, prose};
use crate::axis::{Axis, Scale};
use crate::words::tick as tick_word;
use chronoscope_harness::quantity::{count, ns};
use chronoscope_harness::record::{Bin, Histogram};

/// Height of the drawing, in pixels.
const HEIGHT: f64 = 210.0;
/// Width of the box that is stretched to the drawing's.
const BOX: f64 = 1000.0;
/// Maximum ticks of an axis.
const TICKS: usize = 6;
/// Maximum points of a curve that get a mark: more would cover it.
const MARKED: usize = 60;
/// The same where points are not joined; what has more is to be put together before.
const SCATTERED: usize = 400;
/// Labels of the axis that are nearer to each other than this share of the width would overlap anywhere, or on a narrow page; so
/// would those of points.
const TICKS_APART: f64 = 0.12;
const TICKS_APART_NARROW: f64 = 0.2;
const LABELS_APART: f64 = 0.2;
/// The same for labels of the other axis, of its height.
const HEIGHTS_APART: f64 = 0.08;
/// Pixels from a point to its label, to the right and down, and from one line of it to the next.
const BESIDE: f64 = 7.0;
/// Pixels of the narrowest plot, that of a page of 320, those from its right end to the page's, and those of a letter: a label
/// that would not fit there is on the left of its point.
const NARROWEST: f64 = 205.0;
const MARGIN: f64 = 38.0;
const LETTER: f64 = 7.2;
const BELOW: f64 = 15.0;
const LINE: f64 = 13.0;
/// Where names of levels end that would cover others at the right end.
const LEVELS: [f64; 2] = [0.64, 0.32];
/// Side of a square of colour in front of a line of a label, in pixels.
const SWATCH: f64 = 8.0;

/// What a hollow point is.
const INCONCLUSIVE: &str = "inconclusive";

/// A chart of two axes.
#[derive(Clone, Debug)]
pub struct Plot {
    /// Its heading.
    pub title: String,
    /// The axis to the right.
    pub x: Axis,
    /// The axis upwards.
    pub y: Axis,
    /// Writes a value of each axis.
    pub words: [fn(f64) -> String; 2],
    /// What each axis shows.
    pub names: [String; 2],
    /// What is drawn, from the back to the front.
    pub curves: Vec<Curve>,
    /// A height to compare with.
    pub reference: Option<f64>,
    /// A region at the lower left, and where it ends.
    pub zone: Option<Zone>,
}

/// A region of a chart, such as that of a front: up to `x`, and up to `y` where that is known.
#[derive(Clone, Debug, Default)]
pub struct Zone {
    /// How far it reaches to the right.
    /// Where it stands.
    pub x: f64,
    /// How high it reaches; not shaded without.
    pub y: Option<f64>,
    /// Heights between which its end is known to be.
    pub levels: Vec<f64>,
    /// What these are called.
    pub name: String,
}

/// A series of values.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    /// Empty where the chart's title says what it is.
    pub name: String,
    /// Its colour.
    pub hue: Hue,
    /// The shape of its points; None for a line alone.
    pub shape: Option<Shape>,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
    /// The interval around each point, as x, low and high.
    pub band: Vec<(f64, f64, f64)>,
    /// Whether it is a limit to compare with: dashed, and with its name beside it.
    pub is_dashed: bool,
    /// Whether all below it is filled, as of a distribution.
    pub is_filled: bool,
    /// Whether its points are not joined; without a shape they are dots.
    pub is_scattered: bool,
    /// Which points are hollow: inconclusive ones.
    pub is_hollow: Vec<bool>,
    /// Which points have a ring.
    pub is_ringed: Vec<bool>,
    /// Closed areas, by their corners.
    pub areas: Vec<Vec<(f64, f64)>>,
    /// Marks that stand upright at an x, their values being heights.
    pub marks: Vec<(f64, Mark)>,
    /// Texts at the lower right of a point, or at its left where the chart ends, in ascending order of x; one that would cover the one
    /// before is left out.
    pub labels: Vec<Label>,
}

/// Lines of text at a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Where it stands.
    pub x: f64,
    /// How high it stands.
    pub y: f64,
    /// What it says.
    pub lines: Vec<String>,
    /// A share, 0 to 1, that the last line names: a square in front of it has a colour, the stronger the more it is.
    pub share: Option<f64>,
}

impl Label {
    /// Pixels from the point to the end of its longest line.
    fn width(&self) -> f64 {
        let longest = self.lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        let swatch = if self.share.is_some() { SWATCH + 4.0 } else { 0.0 };
        BESIDE + swatch + LETTER * longest as f64
    }
}

impl Curve {
    /// Whether its marks are hollow for what it is, as those of a series that was published: the key shows it so then.
    fn is_of_hollow_marks(&self) -> bool {
        let mut marks = self.marks.iter().filter_map(|(_, mark)| match mark {
            Mark::Point { is_hollow, .. } => Some(*is_hollow),
            _ => None,
        });
        self.points.is_empty() && marks.next() == Some(true) && marks.all(|is_hollow| is_hollow)
    }

    /// Whether any of its points is drawn as an inconclusive one.
    fn has_hollow_points(&self) -> bool {
        let is_hollow = |place: usize| self.is_hollow.get(place) == Some(&true);
        self.shape.is_some() && self.points.len() <= self.most_marked() && (0..self.points.len()).any(is_hollow)
    }

    /// Maximum points that get a mark.
    const fn most_marked(&self) -> usize {
        if self.is_scattered { SCATTERED } else { MARKED }
    }
}

impl Curve {
    /// A dashed line: a limit, a level, a place. It has no entry in the key without a name.
    pub fn dashed(name: impl Into<String>, points: impl Into<Vec<(f64, f64)>>) -> Self {
        Self { name: name.into(), hue: Hue::Ink, points: points.into(), is_dashed: true, ..Self::default() }
    }

    /// A filled curve of steps, each with its beginning, end and height.
    pub fn of_steps(hue: Hue, steps: impl Iterator<Item = [f64; 3]>) -> Self {
        let corners = |[from, to, high]: [f64; 3]| [(from, 0.0), (from, high), (to, high), (to, 0.0)];
        Self { hue, points: steps.flat_map(corners).collect(), is_filled: true, ..Self::default() }
    }
}

impl Plot {
    /// How often values of each size occur, per decade; None if none can be drawn.
    pub fn distribution(title: String, of: &Histogram, hue: Hue, x_name: &str) -> Option<Self> {
        let all = of.count().max(1) as f64;
        let bins = of.bins.iter().filter(|bin| bin.from_ns > 0.0 && bin.to_ns > bin.from_ns);
        let density = |bin: &Bin| bin.count as f64 / all / (bin.to_ns / bin.from_ns).log10();
        let curve = Curve::of_steps(hue, bins.map(|bin| [bin.from_ns, bin.to_ns, density(bin)]));
        Some(Self {
            title,
            x: Axis::of_results(curve.points.iter().map(|(x, _)| *x), Scale::Log)?,
            y: Axis::of_results(curve.points.iter().map(|(_, y)| *y).chain([0.0]), Scale::Linear)?,
            words: [ns, |_| String::new()],
            names: [x_name.to_owned(), "how often".to_owned()],
            curves: vec![curve],
            reference: None,
            zone: None,
        })
    }

    /// Whether a band, or a mark, reaches past the plot and is cut at its edge.
    pub fn is_cut(&self) -> bool {
        let bands = self.curves.iter().flat_map(|curve| &curve.band).flat_map(|(_, low, high)| [*low, *high]);
        let marks = self.curves.iter().flat_map(|curve| &curve.marks).flat_map(|(_, mark)| mark.values());
        bands.chain(marks).any(|value| self.y.cuts(value))
    }

    pub(super) fn drawn(&self) -> Markup {
        let height = format!("{HEIGHT}");
        let x_ticks = self.labelled(&self.x.round_ticks(TICKS));
        html! {
            div.plot {
                @if !self.title.is_empty() { div.pt { (prose(&self.title)) } }
                @if self.in_key().next().is_some() { (self.key()) }
                @if !self.names[1].is_empty() { div.yl { (prose(&self.names[1])) } }
                svg.pl height=(height) role="img" aria-label=(bare(&self.said(), SENTENCE)) {
                    (self.heights())
                    @for (place, tick, is_narrow) in x_ticks {
                        line.gr x1=(part(place)) x2=(part(place)) y1="0" y2=(height) {}
                        text class=[(!is_narrow).then_some("tight")] x=(part(place)) y=(HEIGHT + 17.0) text-anchor="middle" {
                            (tick_word(&(self.words[0])(tick)))
                        }
                    }
                    (self.shaded())
                    @if let Some(y) = self.reference.and_then(|at| self.down(at)) { line.ref x1="0" x2="100%" y1=(y) y2=(y) {} }
                    line.base x1="0" x2="100%" y1=(height) y2=(height) {}
                    svg.st width="100%" height=(height) viewBox=(format!("0 0 {BOX} {HEIGHT}")) preserveAspectRatio="none" {
                        @for curve in &self.curves { (self.lines(curve)) }
                    }
                    @for curve in &self.curves { (self.uprights(curve)) (self.points(curve)) }
                    (self.limits())
                    @for curve in &self.curves { (self.labels(curve)) }
                }
                @if !self.names[0].is_empty() { div.xl { (prose(&self.names[0])) } }
            }
        }
    }

    /// The lines of the axis upwards that are not too near to each other, with their labels.
    fn heights(&self) -> Markup {
        let ticks = self.y.round_ticks(TICKS);
        let placed = ticks.iter().filter_map(|tick| Some((self.y.place(*tick)?, *tick)));
        html! {
            @for (_, tick) in apart(placed, HEIGHTS_APART) {
                @if let Some(y) = self.down(tick) {
                    line.gr x1="0" x2="100%" y1=(y) y2=(y) {}
                    text x="-8" y=(y) dy="4" text-anchor="end" { (tick_word(&(self.words[1])(tick))) }
                }
            }
        }
    }

    /// The places and values that are labelled, and whether they are on a narrow page too.
    fn labelled(&self, ticks: &[f64]) -> Vec<(f64, f64, bool)> {
        let placed: Vec<(f64, f64)> = ticks.iter().filter_map(|tick| Some((self.x.place(*tick)?, *tick))).collect();
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

    /// Lines of no length at points of the stretched box, a dot each; one at each place. A fifth of the bytes of marks.
    fn dots(&self, curve: &Curve) -> String {
        let placed =
            curve.points.iter().take(SCATTERED).filter_map(|(x, y)| Some((self.x.place(*x)?, self.y.place(*y)?)));
        let places: BTreeSet<(u64, u64)> =
            placed.map(|(x, y)| ((BOX * x).round() as u64, (HEIGHT * (1.0 - y)).round() as u64)).collect();
        places.into_iter().map(|(x, y)| format!("M{x} {y}h0")).collect()
    }

    fn lines(&self, curve: &Curve) -> Markup {
        let hue = curve.hue.class();
        let through = match curve.is_scattered {
            true => self.dots(curve),
            false => self.path(curve.points.iter().copied()),
        };
        let (first, last) = (curve.points.first(), curve.points.last());
        let end = |point: Option<&(f64, f64)>| {
            point.and_then(|(x, _)| self.x.place(*x)).map(|x| format!("L{:.1} {HEIGHT}", BOX * x))
        };
        let upper = curve.band.iter().map(|(x, _, high)| (*x, *high));
        let lower = curve.band.iter().rev().map(|(x, low, _)| (*x, *low));
        html! {
            @for area in &curve.areas { path class={ "area " (hue) } d={ (self.path(area.iter().copied())) "Z" } {} }
            @if !curve.band.is_empty() { path class={ "area " (hue) } d={ (self.path(upper.chain(lower))) "Z" } {} }
            @if curve.is_scattered {
                @if curve.shape.is_none() && !through.is_empty() { path class={ "dots " (hue) } d=(through) {} }
            } @else if curve.is_filled {
                @if let (Some(last), Some(first)) = (end(last), end(first)) { path class={ "hist " (hue) } d={ (through) (last) (first) "Z" } {} }
            } @else if !through.is_empty() {
                path class={ (hue) @if curve.is_dashed { " dash" } } d=(through) {}
            }
        }
    }

    /// The region, and the heights between which it ends.
    fn shaded(&self) -> Markup {
        let Some(zone) = &self.zone else { return html! {} };
        let right = self.x.place(zone.x).map(part).unwrap_or_default();
        let corner = zone.y.and_then(|y| self.y.place(y)).map(|y| HEIGHT * (1.0 - y));
        let levels: Vec<String> = zone.levels.iter().filter_map(|y| self.down(*y)).collect();
        html! {
            @if let Some(top) = corner {
                rect.zone x="0" y=(format!("{top:.1}")) width=(right) height=(format!("{:.1}", HEIGHT - top)) {}
                text.v x="0" dx="6" y=(format!("{:.1}", HEIGHT - 6.0)) { "forbidden zone" }
            }
            @for y in &levels { line.level x1="0" x2=(right) y1=(y) y2=(y) {} }
            @if let Some(y) = levels.first() { text.v x="0" dx="6" y=(y) dy="-4" { (zone.name) } }
        }
    }

    fn points(&self, curve: &Curve) -> Markup {
        let is = |flags: &[bool], place: usize| flags.get(place).copied().unwrap_or(false);
        let places = curve
            .points
            .iter()
            .enumerate()
            .filter_map(|(place, (x, y))| Some((place, self.x.place(*x)?, HEIGHT * (1.0 - self.y.place(*y)?))));
        html! {
            @if let Some(shape) = curve.shape {
                @if curve.points.len() <= curve.most_marked() {
                    g class=(curve.hue.class()) { @for (place, x, y) in places {
                        @if is(&curve.is_ringed, place) { circle.ring cx=(part(x)) cy=(format!("{y:.1}")) r="9" {} }
                        (point(x, y, shape, is(&curve.is_hollow, place)))
                    } }
                }
            }
        }
    }

    /// Curves that the key names; a limit has its name beside it.
    fn in_key(&self) -> impl Iterator<Item = &Curve> {
        self.curves.iter().filter(|curve| !curve.name.is_empty() && !curve.is_dashed)
    }

    /// The names of limits: each above its last point, or further to the left where that of another level is.
    fn limits(&self) -> Markup {
        let mut taken: Vec<(f64, f64)> = Vec::new();
        let mut name = |curve: &Curve| {
            let ((first, level), (x, y)) = (*curve.points.first()?, *curve.points.last()?);
            let (own, down) = (self.x.place(x)?, self.pixels_down(y)?);
            let is_free = |place: &f64| taken.iter().all(|(other, y)| other != place || (y - down).abs() >= LINE);
            let further: &[f64] = if level == y && first < x { &LEVELS } else { &[] };
            let place = [own].iter().chain(further).copied().find(is_free).unwrap_or(own);
            taken.push((place, down));
            // A name at the left end would lie on the axis.
            let anchor = if place < LABELS_APART { "start" } else { "end" };
            Some(
                html! { text."v lb" x=(part(place)) y=(format!("{down:.1}")) dy="-4" text-anchor=(anchor) { (curve.name) } },
            )
        };
        let names: Vec<Markup> = self
            .curves
            .iter()
            .filter(|curve| curve.is_dashed && !curve.name.is_empty())
            .filter_map(&mut name)
            .collect();
        html! { @for name in &names { (name) } }
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
                    @let is_left = label.width() > (1.0 - place) * NARROWEST + MARGIN;
                    @let (dx, end) = if is_left { (-BESIDE, Some("end")) } else { (BESIDE, None) };
                    @for (line, text) in label.lines.iter().enumerate() {
                        @let base = y + BELOW + LINE * line as f64;
                        @let share = label.share.filter(|_| line + 1 == label.lines.len());
                        @if let Some(share) = share {
                            @let swatch = if is_left { -BESIDE - SWATCH } else { BESIDE };
                            svg x=(part(place)) y=(format!("{base:.1}")) overflow="visible" {
                                rect class={ "c-" (step_of(share)) } x=(swatch) y=(-SWATCH) width=(SWATCH) height=(SWATCH) {}
                            }
                        }
                        @let dx = if share.is_some() { dx + dx.signum() * (SWATCH + 4.0) } else { dx };
                        text.lb x=(part(place)) dx=(dx) text-anchor=[end] y=(format!("{base:.1}")) { (text) }
                    }
                }
            }
        }
    }

    fn key(&self) -> Markup {
        html! {
            div.key {
                @for curve in self.in_key() {
                    span class=(curve.hue.class()) {
                        svg viewBox="-7 -7 14 14" aria-hidden="true" {
                            @if let Some(shape) = curve.shape.or(curve.is_scattered.then_some(Shape::Circle)) { (point(0.0, 0.0, shape, curve.is_of_hollow_marks())) }
                            @else { line.w x1="-7" x2="7" y1="0" y2="0" {} }
                        }
                        i { (prose(&curve.name)) }
                    }
                }
                @if self.curves.iter().any(Curve::has_hollow_points) {
                    span.ink {
                        svg viewBox="-7 -7 14 14" aria-hidden="true" { (point(0.0, 0.0, Shape::Circle, true)) }
                        i { (INCONCLUSIVE) }
                    }
                }
            }
        }
    }

    /// The chart in words, for who cannot see it: the ends of each curve, and what a distribution shows.
    fn said(&self) -> String {
        let [x, y] = self.words;
        let curve = |curve: &Curve| {
            let last = curve.points.len().checked_sub(1)?;
            if curve.is_filled {
                return Some(named(&self.title, &self.names[1]));
            }
            let end = |place: usize| {
                let (at, value) = curve.points[place];
                let value = if curve.is_hollow.get(place) == Some(&true) { INCONCLUSIVE.to_owned() } else { y(value) };
                format!("{value} at {}", x(at))
            };
            let names = [&curve.name, &self.title, &self.names[1]];
            let name = names.into_iter().find(|name| !name.is_empty()).map_or("", String::as_str);
            if curve.is_scattered {
                let (at, value) = curve.points.iter().copied().reduce(|a, b| if b.1 > a.1 { b } else { a })?;
                let points = count(last as u64 + 1);
                return Some(named(name, &format!("{points} points, the highest {} at {}", y(value), x(at))));
            }
            let is_upright = last > 0 && curve.points[0].0 == curve.points[last].0;
            match last {
                _ if is_upright => None,
                0 => Some(named(name, &end(0))),
                _ => Some(named(name, &format!("from {} to {}", end(0), end(last)))),
            }
        };
        self.curves.iter().filter_map(curve).collect::<Vec<_>>().join("; ")
    }
}

/// What is said of a thing that may have no name.
fn named(name: &str, said: &str) -> String {
    if name.is_empty() { said.to_owned() } else { format!("{name}: {said}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_share_has_its_colour_and_an_area_its_corners() {
        let label =
            Label { x: 1.0, y: 10.0, lines: vec!["+1 ns".to_owned(), "CPU 100 %".to_owned()], share: Some(1.0) };
        let areas = vec![vec![(1.0, 10.0), (10.0, 10.0), (10.0, 100.0)]];
        let plot = Plot {
            title: String::new(),
            x: Axis::of_results([1.0, 10.0].into_iter(), Scale::Log).unwrap(),
            y: Axis::of_results([10.0, 100.0].into_iter(), Scale::Log).unwrap(),
            words: [ns, ns],
            names: [const { String::new() }; 2],
            curves: vec![Curve { areas, labels: vec![label], ..Curve::default() }],
            reference: None,
            zone: None,
        };
        let drawn = plot.drawn().into_string();
        assert_eq!(
            (drawn.matches("class=\"c-5\"").count(), drawn.matches("<text class=\"lb\"").count()),
            (1, 2),
            "{drawn}"
        );
        let path = drawn.split("path class=\"area ").nth(1).unwrap();
        assert_eq!(path.split('Z').next().unwrap().matches('L').count(), 2, "{drawn}");
    }

    fn plot(curve: Curve) -> Plot {
        let axis = |values: [f64; 2]| Axis::of_results(values.into_iter(), Scale::Linear).unwrap();
        Plot {
            title: "a plot".to_owned(),
            x: axis([0.0, 10.0]),
            y: axis([0.0, 4.0]),
            words: [ns, ns],
            names: ["x".to_owned(), "y".to_owned()],
            curves: vec![curve],
            reference: None,
            zone: None,
        }
    }

    fn over(curve: Curve) -> Plot {
        let axis = Axis::of_sweep(&[1.0, 1.1, 100.0], 6, Some(Scale::Log)).unwrap();
        Plot { x: axis.clone(), y: axis, ..plot(curve) }
    }

    #[test]
    fn every_point_is_drawn_and_said() {
        let points = vec![(0.0, 1.0), (5.0, 2.0), (10.0, 4.0)];
        let curve = Curve { shape: Some(Shape::Circle), points, is_hollow: vec![true], ..Curve::default() };
        let drawn = plot(curve).drawn().into_string();
        assert_eq!(drawn.matches("<circle").count(), 3);
        assert_eq!(drawn.matches("class=\"m o\"").count(), 1);
        let all = Curve {
            name: "ours".to_owned(),
            shape: Some(Shape::Circle),
            points: vec![(0.0, 1.0)],
            is_hollow: vec![true],
            ..Curve::default()
        };
        let drawn_all = plot(all.clone()).drawn().0;
        let key = drawn_all.split("<svg class=\"pl\"").next().unwrap();
        assert_eq!(key.matches("class=\"m\"").count(), 1, "a series is filled in the key: {key}");
        assert!(key.contains("<i>inconclusive</i>"), "what hollow means has an entry: {key}");
        let mark = Mark::Point { at: 1.0, shape: Shape::Circle, is_hollow: true };
        let published = plot(Curve { points: Vec::new(), marks: vec![(0.0, mark)], ..all }).drawn().0;
        assert_eq!(published.matches("class=\"m o\"").count(), 2, "in the key too: {published}");
        assert!(!published.contains("<i>inconclusive</i>"), "{published}");
        assert!(drawn.contains("M0.0 157.5L500.0 105.0L1000.0 0.0"), "{drawn}");
        assert!(drawn.contains("a plot: from inconclusive at 0 ns to 4.00 ns at 10.0 ns"), "{drawn}");
    }

    #[test]
    fn a_distribution_is_said_by_what_it_shows_and_one_point_by_its_value() {
        let filled =
            Curve { points: vec![(1.0, 0.0), (1.0, 3.0), (2.0, 3.0), (2.0, 0.0)], is_filled: true, ..Curve::default() };
        let upright = Curve { points: vec![(1.0, 0.0), (1.0, 3.0)], is_dashed: true, ..Curve::default() };
        let one = Curve { name: "mode".to_owned(), points: vec![(1.0, 3.0)], ..Curve::default() };
        let all = Plot { curves: vec![upright, filled.clone(), one], ..plot(filled) };
        assert_eq!(all.said(), "a plot: y; mode: 3.00 ns at 1.00 ns");
    }

    #[test]
    fn a_chart_without_a_title_is_said_by_its_axis() {
        let filled = Curve { points: vec![(1.0, 0.0), (1.0, 3.0)], is_filled: true, ..Curve::default() };
        let joined = Curve { points: vec![(1.0, 3.0), (2.0, 4.0)], ..Curve::default() };
        let named = Curve { name: "`rdtsc`".to_owned(), ..joined.clone() };
        let untitled = |names: [&str; 2]| Plot {
            title: String::new(),
            names: names.map(str::to_owned),
            curves: vec![filled.clone(), joined.clone(), named.clone()],
            ..plot(joined.clone())
        };
        let said = untitled(["", "share of `rdtsc`"]).drawn().into_string();
        let wanted =
            "aria-label=\"share of rdtsc; share of rdtsc: from 3.00 ns at 1.00 ns to 4.00 ns at 2.00 ns; rdtsc: from";
        assert!(said.contains(wanted), "{said}");
        assert!(untitled(["", ""]).said().contains("; from 3.00 ns"));
    }

    #[test]
    fn points_that_are_not_joined_are_dots_or_marks_and_said_by_the_highest() {
        let points = vec![(0.0, 1.0), (5.0, 4.0), (5.0, 4.0), (10.0, 2.0), (f64::NAN, 1.0)];
        let dots = Curve { name: "gaps".to_owned(), points, is_scattered: true, ..Curve::default() };
        let drawn = plot(dots.clone()).drawn().into_string();
        assert!(drawn.contains(r#"<path class="dots k0" d="M0 158h0M500 0h0M1000 105h0">"#), "{drawn}");
        assert!(drawn.contains("gaps: 5 points, the highest 4.00 ns at 5.00 ns"), "{drawn}");
        let many = Curve { points: vec![(5.0, 2.0); MARKED + 1], shape: Some(Shape::Square), ..dots };
        let drawn = plot(many).drawn().into_string();
        assert!(!drawn.contains("dots") && drawn.matches("class=\"m\"").count() > MARKED, "{drawn}");
    }

    #[test]
    fn a_distribution_has_a_step_for_each_bin() {
        let bin = |from_ns, to_ns, count| Bin { from_ns, to_ns, count };
        let of = Histogram { bins: vec![bin(0.0, 1.0, 5), bin(10.0, 20.0, 30), bin(20.0, 40.0, 10)] };
        let plot = Plot::distribution("reads".to_owned(), &of, Hue::Blue, "time").unwrap();
        let points = &plot.curves[0].points;
        assert_eq!(
            points.iter().map(|(x, _)| *x).collect::<Vec<_>>(),
            [10.0, 10.0, 20.0, 20.0, 20.0, 20.0, 40.0, 40.0]
        );
        assert!((points[1].1 / points[5].1 - 3.0).abs() < 1e-9, "equal widths of a decade, three times the count");
        assert!(Plot::distribution(String::new(), &Histogram::default(), Hue::Blue, "").is_none());
    }

    #[test]
    fn names_of_levels_do_not_cover_each_other() {
        let level = |y: f64, name: &str| Curve {
            name: name.to_owned(),
            points: vec![(0.0, y), (10.0, y)],
            is_dashed: true,
            ..Curve::default()
        };
        let curves = vec![level(2.0, "one"), level(2.05, "two"), level(4.0, "three")];
        let upright = Curve { points: vec![(0.0, 0.0), (0.0, 4.0)], ..level(0.0, "2 CPUs") };
        let drawn = Plot { curves: [curves, vec![upright]].concat(), ..plot(Curve::default()) }.drawn().0;
        let place = |name: &str| {
            let before = drawn.split(&format!(">{name}</text>")).next().unwrap();
            before.rsplit("<text").next().unwrap().split('"').nth(3).unwrap().to_owned()
        };
        assert_eq!(["one", "two", "three", "2 CPUs"].map(place), ["100.00%", "64.00%", "100.00%", "0.00%"], "{drawn}");
        assert!(drawn.contains(r#"text-anchor="start">2 CPUs"#), "{drawn}");
    }

    #[test]
    fn a_label_at_the_end_of_the_chart_is_within_it() {
        let label = |x: f64| Label { x, y: 4.0, lines: vec!["a name".to_owned()], share: None };
        let drawn = plot(Curve { labels: vec![label(1.0), label(10.0)], ..Curve::default() }).drawn().0;
        assert!(drawn.contains(r#"<text class="lb" x="10.00%" dx="7" y="15.0">"#), "{drawn}");
        assert!(drawn.contains(r#"<text class="lb" x="100.00%" dx="-7" text-anchor="end" y="15.0">"#), "{drawn}");
    }

    #[test]
    fn labels_that_would_cover_each_other_are_left_out() {
        let label = |x: f64, text: &str| Label { x, y: 10.0, lines: vec![text.to_owned()], share: None };
        let drawn = over(Curve { labels: vec![label(1.0, "first"), label(1.1, "near")], ..Curve::default() }).drawn().0;
        assert!(drawn.contains("first") && !drawn.contains("near"), "{drawn}");
        let ticks = drawn.split("</text>").filter(|piece| piece.contains("y=\"227\"")).count();
        assert_eq!(ticks, 2, "1.1 is too near to 1: {drawn}");
        assert_eq!(drawn.matches("<text x=\"-8\"").count(), 2, "so it is upwards: {drawn}");
        assert_eq!(drawn.matches("<line class=\"gr\" x1=\"0\"").count(), 2, "a line has its label: {drawn}");
        assert_eq!(drawn.matches("y1=\"0\" y2=\"210\"").count(), 2, "{drawn}");
    }

    #[test]
    fn a_band_that_reaches_past_the_plot_is_cut() {
        let of = |low: f64, high: f64| plot(Curve { band: vec![(1.0, low, high)], ..Curve::default() }).is_cut();
        assert_eq!([of(0.0, 4.0), of(-900.0, 1.0), of(1.0, 4.5)], [false, true, true]);
        let marks = vec![(1.0, Mark::Interval { from: 1.0, to: 9.0 })];
        assert!(plot(Curve { marks, ..Curve::default() }).is_cut());
    }

    #[test]
    fn marks_stand_upright_and_those_without_a_place_are_left_out() {
        let marks = vec![
            (10.0, Mark::Reach { from: 1.0, to: 100.0 }),
            (10.0, Mark::Extreme { at: 100.0 }),
            (10.0, Mark::Point { at: 10.0, shape: Shape::Square, is_hollow: true }),
            (10.0, Mark::Extreme { at: f64::NAN }),
        ];
        let drawn = over(Curve { marks, ..Curve::default() }).drawn().0;
        assert!(drawn.contains(r#"y1="210.0" y2="0.0""#), "{drawn}");
        assert!(drawn.contains("m o") && !drawn.contains("NaN"), "{drawn}");
        assert_eq!(drawn.matches("M-3.5-3.5").count(), 1, "{drawn}");
    }
}
