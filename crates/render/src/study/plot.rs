//! Character charts, drawn with plotters; readable without colour.

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use super::canvas::Canvas;
use super::curve::{Chart, Curve, Point};
use crate::axis::Axis;
use crate::line::Line;
use crate::palette::{BAR, DIM, PLAIN, TITLE};
use crate::words;
use crate::wrap::{fitted, wrapped};
use chronoscope_harness::quantity::ns;

/// Curve signs; a chart with more curves repeats them.
const SIGNS: [char; 6] = ['o', 'x', '+', '#', '@', '%'];
/// The sign of an unresolved value.
const UNRESOLVED: char = '?';
/// The sign of a time known to be raised by other threads, on any curve.
const RAISED: char = '▲';
const SHADED: char = '░';
/// The sign of a front's ends.
const FRONT: char = '═';
const BAND: char = '│';
const BETWEEN: char = '·';
/// The line at zero difference.
const NOTHING: char = '┄';
/// Where something else changed.
const CHANGED: char = '┊';
/// Columns for the numbers on the left.
const NUMBERS: usize = 8;
/// Approximate rows of the drawing.
const ROWS: usize = 11;
/// Maximum ticks below the drawing.
const TICKS: usize = 9;
/// Names in the legend.
const NAMES: usize = 6;

/// The chart in lines of at most `width` columns; none if its values cannot be drawn.
pub(super) fn lines(chart: &Chart, width: usize) -> Vec<Line> {
    let (Some(x), Some(y)) = (chart.x_axis(TICKS), chart.y_axis()) else {
        return vec![Line::styled(DIM, "the values are too large to draw")];
    };
    let intervals = y.ticks.len().saturating_sub(1).max(1);
    let height = intervals * ROWS.div_ceil(intervals).max(2) + 1;
    let columns = width.saturating_sub(NUMBERS + 1);
    let mut lines: Vec<Line> = wrapped(&chart.title, width).iter().map(|piece| Line::styled(TITLE, piece)).collect();
    lines.extend(legend(chart, &y, width));
    lines.extend(drawing(chart, &x, &y, [columns, height]));
    lines.push(below(chart, &x, columns));
    lines
}

/// The legend: signs and names; a name is never separated from its sign.
fn legend(chart: &Chart, y: &Axis, width: usize) -> Vec<Line> {
    let mut words: Vec<String> = Vec::new();
    for (i, curve) in chart.curves.iter().enumerate().take(NAMES) {
        words.push(format!("{} {}", SIGNS[i % SIGNS.len()], fitted(&curve.name, 24)));
    }
    if chart.curves.len() > NAMES {
        words.push(format!("and {} more", chart.curves.len() - NAMES));
    }
    if chart.curves.iter().flat_map(|curve| &curve.points).any(|point| point.is_raised) {
        words.push(format!("{RAISED} raised"));
    }
    let is_resolved = |curve: &Curve| curve.points.iter().all(|point| point.is_resolved);
    if !chart.curves.iter().all(is_resolved) {
        words.push(format!("{UNRESOLVED} not told from 0"));
    }
    if chart.shaded.is_some() {
        words.push(format!("{SHADED} forbidden zone"));
    }
    if !chart.front.y.is_empty() {
        words.push(format!("{FRONT} {}", chart.front.name));
    }
    words.push(format!("{BAND} interval"));
    if !chart.changes.is_empty() {
        words.push(format!("{CHANGED} changed, see below"));
    }
    if chart.is_cut(y) {
        words.push("some cut".to_owned());
    }
    if y.is_log() {
        words.push("log scale".to_owned());
    }
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.width() + 2 + word.width() <= width => line.push_str(&format!("  {word}")),
            _ => lines.push(fitted(&word, width)),
        }
    }
    lines.iter().map(|line| Line::styled(DIM, line)).collect()
}

fn drawing(chart: &Chart, x: &Axis, y: &Axis, [columns, height]: [usize; 2]) -> Vec<Line> {
    let curves: Vec<Drawn> = chart.curves.iter().map(|curve| Drawn::of(curve, x, y)).collect();
    let mut canvas = Canvas::new(columns, height);
    for point in shaded(chart, x, y, [columns, height]) {
        canvas.point(point, SHADED);
    }
    if let Some(nothing) = y.place(0.0).filter(|_| chart.is_difference) {
        canvas.path(&[(0.0, nothing), (1.0, nothing)], NOTHING);
    }
    for change in chart.changes.iter().filter_map(|at| x.place(*at)) {
        canvas.path(&[(change, 0.0), (change, 1.0)], CHANGED);
    }
    // The first curve is drawn last: it is the operation, the others are what it is compared with.
    for curve in curves.iter().rev() {
        canvas.path(&curve.path, BETWEEN);
    }
    // The front's ends are times of curves that are level there: it is drawn over them.
    front(chart, x, y).iter().for_each(|end| canvas.path(end, FRONT));
    for band in curves.iter().rev().flat_map(|curve| &curve.bands) {
        canvas.path(band, BAND);
    }
    for (i, curve) in curves.iter().enumerate().rev() {
        let signs = [SIGNS[i % SIGNS.len()], UNRESOLVED, RAISED];
        for (points, sign) in [&curve.resolved, &curve.unresolved, &curve.raised].into_iter().zip(signs) {
            points.iter().for_each(|point| canvas.point(*point, sign));
        }
    }
    let step = height.saturating_sub(1) / y.ticks.len().saturating_sub(1).max(1);
    let number = |row: usize| {
        let above = height - 1 - row;
        y.ticks
            .get(above / step.max(1))
            .filter(|_| above.is_multiple_of(step.max(1)))
            .map(|tick| words::tick(&ns(*tick)))
    };
    let mut lines: Vec<Line> = (canvas.rows().enumerate())
        .map(|(row, cells)| {
            let start = format!("{:>NUMBERS$}│", number(row).unwrap_or_default());
            cells.iter().fold(Line::styled(DIM, &start), |line, cell| line.with(style(*cell), &cell.to_string()))
        })
        .collect();
    lines.push(Line::styled(DIM, &format!("{:>NUMBERS$}└{}", "", "─".repeat(columns))));
    lines
}

/// A point in each shaded cell.
fn shaded(chart: &Chart, x: &Axis, y: &Axis, [width, height]: [usize; 2]) -> Vec<(f64, f64)> {
    let place = |(right, top): (f64, f64)| Some((x.place(right)?, y.place(top)?));
    let Some((right, top)) = chart.shaded.and_then(place) else { return Vec::new() };
    let cells = |count: usize, end: f64| (0..count).map(move |i| i as f64 / count as f64).filter(move |at| *at <= end);
    // Two per cell, so that rounding skips none.
    cells(2 * width, right).flat_map(|x| cells(2 * height, top).map(move |y| (x, y))).collect()
}

/// The level lines of the front, from the left.
fn front(chart: &Chart, x: &Axis, y: &Axis) -> Vec<[(f64, f64); 2]> {
    let Some(right) = x.place(chart.front.x) else { return Vec::new() };
    let ends = chart.front.y.iter().filter_map(|at| y.place(*at));
    ends.map(|at| [(0.0, at), (right, at)]).collect()
}

/// Signs are emphasized, what is between them is not.
fn style(cell: char) -> Style {
    match cell {
        UNRESOLVED | RAISED => BAR,
        sign if SIGNS.contains(&sign) => BAR,
        BETWEEN | NOTHING | SHADED | CHANGED => DIM,
        _ => PLAIN,
    }
}

/// The values below the axis, and their meaning.
fn below(chart: &Chart, x: &Axis, columns: usize) -> Line {
    let mut row: Vec<char> = vec![' '; columns];
    let mut free = 0;
    let swept_ticks = || x.ticks.iter().map(|tick| (*tick, swept(*tick))).collect();
    let ticks: Vec<(f64, String)> = if chart.moments.is_empty() { swept_ticks() } else { chart.moments.clone() };
    for (tick, words) in &ticks {
        let text: Vec<char> = words.chars().collect();
        let Some(place) = x.place(*tick) else { continue };
        // The position is between 0 and 1, and the axis is at most a screen wide.
        let middle = (place * columns.saturating_sub(1) as f64).round() as usize;
        let start = middle.saturating_sub(text.len() / 2).min(columns.saturating_sub(text.len()));
        if start >= free && start + text.len() <= columns {
            row[start..start + text.len()].copy_from_slice(&text);
            free = start + text.len() + 1;
        }
    }
    let numbers: String = row.into_iter().collect();
    let name = fitted(chart.x_name.split(' ').next().unwrap_or_default(), NUMBERS);
    Line::styled(DIM, &format!("{name:>NUMBERS$} {numbers}"))
}

/// A swept value in few characters: `40`, `16.4k`, `1.05M`.
pub(super) fn swept(value: f64) -> String {
    let (number, unit) = match value.abs() {
        size if size < 1e4 => return format!("{value:.0}"),
        size if size < 1e6 => (value / 1e3, "k"),
        size if size < 1e9 => (value / 1e6, "M"),
        _ => return format!("{value:.2e}"),
    };
    format!("{}{unit}", chronoscope_harness::quantity::three_digits(number))
}

/// A curve in the unit square.
struct Drawn {
    path: Vec<(f64, f64)>,
    resolved: Vec<(f64, f64)>,
    unresolved: Vec<(f64, f64)>,
    raised: Vec<(f64, f64)>,
    bands: Vec<[(f64, f64); 2]>,
}

impl Drawn {
    fn of(curve: &Curve, x: &Axis, y: &Axis) -> Self {
        let place = |point: &Point| Some((x.place(point.x)?, y.place(point.y)?));
        let band = |point: &Point| {
            let (x, _) = place(point)?;
            Some([(x, y.place(point.low)?), (x, y.place(point.high)?)])
        };
        let placed =
            |is: fn(&Point) -> bool| curve.points.iter().filter(move |point| is(point)).filter_map(place).collect();
        Self {
            path: curve.points.iter().filter_map(place).collect(),
            resolved: placed(|point| point.is_resolved && !point.is_raised),
            unresolved: placed(|point| !point.is_resolved),
            raised: placed(|point| point.is_resolved && point.is_raised),
            bands: curve.points.iter().filter_map(band).collect(),
        }
    }
}
