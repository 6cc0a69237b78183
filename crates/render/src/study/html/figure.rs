//! Charts as SVG, drawn by plotters; the page's style sheet sets their colours.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::prelude::*;

use super::markup::escaped;
use crate::axis::Axis;
use crate::study::curve::{Chart, Curve, Point};
use crate::study::plot::{short, swept};
use chronoscope_harness::quantity::ns;

const SIZE: (u32, u32) = (1080, 480);
const TICKS: usize = 11;
const FONT: (&str, i32) = ("sans-serif", 19);
const INK: RGBColor = RGBColor(0, 0, 0);
const FAINT: RGBColor = RGBColor(200, 200, 200);
/// Curve colours, distinguishable with any kind of colour vision (Okabe and Ito).
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];
/// Point shapes, as shown in the legend.
const SHAPES: [&str; 3] = ["●", "▲", "✕"];
/// Maximum names in a legend.
const NAMES: usize = 12;

/// A chart with its legend; a note where it cannot be drawn.
pub(super) fn figure(chart: &Chart, number: usize) -> String {
    let drawn = drawing(chart).and_then(|svg| titled(&svg, chart, number));
    let drawing = drawn.unwrap_or_else(|| "<p class=\"quiet\">The values cannot be drawn.</p>".to_owned());
    let mut names: Vec<String> = Vec::new();
    for (i, curve) in chart.curves.iter().enumerate().take(NAMES) {
        let (colour, shape) = (i % COLOURS.len(), SHAPES[i % SHAPES.len()]);
        names.push(format!("<span class=\"k{colour}\">{shape}</span>\u{a0}{}", escaped(&curve.name)));
    }
    let note = note(chart);
    format!(
        "<figure>\n{drawing}\n<figcaption>{}: {}{note}</figcaption>\n</figure>",
        escaped(&chart.title),
        names.join(" · ")
    )
}

fn note(chart: &Chart) -> String {
    let mut note = String::new();
    if chart.shaded.is_some() {
        note.push_str("; the shaded region is the forbidden zone");
    }
    if !chart.front.y.is_empty() {
        note.push_str(&format!("; level lines: {}", escaped(&chart.front.name)));
    }
    if chart.curves.iter().flat_map(|curve| &curve.points).any(|point| point.is_raised) {
        note.push_str("; a ring marks a time raised by other threads");
    }
    note.push_str("; bands are intervals");
    if chart.curves.iter().flat_map(|curve| &curve.points).any(|point| !point.is_resolved) {
        note.push_str("; open circles are inconclusive");
    }
    if chart.y_axis().is_some_and(|axis| chart.is_cut(&axis)) {
        note.push_str("; some bands are cut");
    }
    note
}

/// The drawing with an accessible title, scaled to the page.
fn titled(svg: &str, chart: &Chart, number: usize) -> Option<String> {
    let (_, content) = svg.split_once('>')?;
    let (width, height) = SIZE;
    let said = escaped(&format!("{}: {}", chart.title, summary(chart)));
    Some(format!(
        "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"chart-{number}\">\n\
         <title id=\"chart-{number}\">{said}</title>{}",
        content.trim_end()
    ))
}

/// A chart in words: the ends of each curve.
fn summary(chart: &Chart) -> String {
    let curve = |curve: &Curve| {
        let (first, last) = (curve.points.first()?, curve.points.last()?);
        let [from, to] = [first, last].map(|point| match point.is_resolved {
            true => format!("{} at {}", ns(point.y), swept(point.x)),
            false => format!("inconclusive at {}", swept(point.x)),
        });
        Some(format!("{} from {from} to {to} {}", curve.name, chart.x_name))
    };
    chart.curves.iter().take(NAMES).filter_map(curve).collect::<Vec<_>>().join("; ")
}

fn drawing(chart: &Chart) -> Option<String> {
    let (x, y) = (chart.x_axis(TICKS)?, chart.y_axis()?);
    let mut svg = String::new();
    draw(&mut svg, chart, &x, &y).ok()?;
    Some(svg)
}

type Failed<'a> = DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>;

fn draw<'a>(svg: &'a mut String, chart: &Chart, x: &Axis, y: &Axis) -> Result<(), Failed<'a>> {
    let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    let mut plot = ChartBuilder::on(&root)
        .margin(14)
        .x_label_area_size(56)
        .y_label_area_size(92)
        .build_cartesian_2d(Labelled::of(x, swept), Labelled::of(y, short))?;
    plot.configure_mesh()
        .axis_style(INK)
        .bold_line_style(FAINT)
        .light_line_style(TRANSPARENT)
        .label_style(FONT)
        .x_desc(chart.x_name)
        .draw()?;
    if let Some(nothing) = y.place(0.0).filter(|_| chart.is_difference) {
        plot.draw_series([PathElement::new(vec![(0.0, nothing), (1.0, nothing)], INK)])?;
    }
    zone(&mut plot, chart, x, y)?;
    let place = |point: &Point, value: f64| Some((x.place(point.x)?, y.place(value)?));
    let colours = || COLOURS.iter().cycle();
    // Bands first, so that they do not cover another curve's points.
    for (curve, colour) in chart.curves.iter().zip(colours()) {
        let upper = curve.points.iter().filter_map(|point| place(point, point.high));
        let lower = curve.points.iter().rev().filter_map(|point| place(point, point.low));
        plot.draw_series([Polygon::new(upper.chain(lower).collect::<Vec<_>>(), colour.mix(0.2).filled())])?;
    }
    for (i, (curve, colour)) in chart.curves.iter().zip(colours()).enumerate() {
        let path: Vec<(f64, f64)> = curve.points.iter().filter_map(|point| place(point, point.y)).collect();
        plot.draw_series([PathElement::new(path, colour.stroke_width(2))])?;
        for point in &curve.points {
            let Some(at) = place(point, point.y) else { continue };
            match (point.is_resolved, i % SHAPES.len()) {
                (false, _) => plot.draw_series([Circle::new(at, 7, colour.stroke_width(2))])?,
                (true, 0) => plot.draw_series([Circle::new(at, 6, colour.filled())])?,
                (true, 1) => plot.draw_series([TriangleMarker::new(at, 8, colour.filled())])?,
                (true, _) => plot.draw_series([Cross::new(at, 6, colour.stroke_width(3))])?,
            };
            if point.is_raised {
                plot.draw_series([Circle::new(at, 11, INK.stroke_width(2))])?;
            }
        }
    }
    drop(plot);
    root.present()
}

type Plot<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Labelled, Labelled>>;

/// The forbidden zone, and the lines where its front is known to end.
fn zone<'b>(plot: &mut Plot<'_, 'b>, chart: &Chart, x: &Axis, y: &Axis) -> Result<(), Failed<'b>> {
    let corner = |(right, top): (f64, f64)| Some((x.place(right)?, y.place(top)?));
    if let Some(corner) = chart.shaded.and_then(corner) {
        plot.draw_series([Rectangle::new([(0.0, 0.0), corner], FAINT.filled())])?;
        plot.draw_series([Text::new("forbidden zone", (0.01, corner.1 / 2.0), FONT)])?;
    }
    let ends = chart.front.y.iter().filter_map(|end| corner((chart.front.x, *end)));
    for (i, (right, top)) in ends.enumerate() {
        plot.draw_series([PathElement::new(vec![(0.0, top), (right, top)], INK.stroke_width(3))])?;
        // One name for both ends.
        if i == 0 {
            plot.draw_series([Text::new("front", (0.01, top), FONT)])?;
        }
    }
    Ok(())
}

/// An axis from 0 to 1 for plotters, with fixed ticks: plotters' own search for round numbers does not terminate for
/// every range.
struct Labelled {
    ticks: Vec<(f64, String)>,
}

impl Labelled {
    fn of(axis: &Axis, word: impl Fn(f64) -> String) -> Self {
        Self { ticks: axis.ticks.iter().filter_map(|tick| Some((axis.place(*tick)?, word(*tick)))).collect() }
    }
}

impl Ranged for Labelled {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        // The value is between 0 and 1, so that the result lies between the limits.
        limit.0 + (f64::from(limit.1 - limit.0) * value).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { Vec::new() } else { self.ticks.iter().map(|(at, _)| *at).collect() }
    }

    fn range(&self) -> Range<f64> {
        0.0..1.0
    }
}

impl ValueFormatter<f64> for Labelled {
    fn format_ext(&self, value: &f64) -> String {
        let near = |tick: &&(f64, String)| (tick.0 - value).abs() < 1e-9;
        self.ticks.iter().find(near).map_or_else(String::new, |(_, word)| word.clone())
    }
}
