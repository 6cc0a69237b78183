//! Data for charts, independent of where they will be drawn.

use std::collections::BTreeMap;

use chronoscope_harness::record::study::{Cell, Comparison, StudyRecord};

use super::words::{self, parameters};
use crate::axis::{Axis, Scale};

/// Times whose ratio reaches this are drawn on a log scale.
const WIDE: f64 = 100.0;

/// Values at one place of an axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) is_resolved: bool,
    /// Whether its threads are known to slow each other down.
    pub(super) is_raised: bool,
}

/// Points that belong together.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    pub(super) name: String,
    pub(super) points: Vec<Point>,
    /// Places where only a bound is known: the truth is below.
    pub(super) bounds: Vec<(f64, f64)>,
}

/// Level lines that mark where a front is known to end.
#[derive(Clone, Debug, Default)]
pub(super) struct Front {
    /// They end here.
    pub(super) x: f64,
    pub(super) y: Vec<f64>,
    pub(super) name: String,
}

/// A chart: curves over one axis.
#[derive(Clone, Debug)]
pub(super) struct Chart {
    pub(super) title: String,
    pub(super) x_name: &'static str,
    pub(super) curves: Vec<Curve>,
    /// Whether it shows differences, with a line at zero.
    pub(super) is_difference: bool,
    /// The region up to this x and this y is shaded.
    pub(super) shaded: Option<(f64, f64)>,
    pub(super) front: Front,
    pub(super) y_scale: Scale,
    pub(super) x_scale: Option<Scale>,
    /// Moments along a time axis, with their words; none for an axis of swept values.
    pub(super) moments: Vec<(f64, String)>,
    /// Where something else changed, on a time axis.
    pub(super) changes: Vec<f64>,
}

impl Chart {
    /// The axis of swept values, with at most `limit` ticks.
    pub(super) fn x_axis(&self, limit: usize) -> Option<Axis> {
        let values: Vec<f64> = self.points().map(|point| point.x).collect();
        Axis::of_sweep(&values, limit, self.x_scale)
    }

    /// The axis of results.
    pub(super) fn y_axis(&self) -> Option<Axis> {
        let points: Vec<[f64; 3]> = self.points().map(|point| [point.y, point.low, point.high]).collect();
        let nothing = (self.y_scale == Scale::Linear && self.moments.is_empty() && !points.is_empty()).then_some(0.0);
        let bounds = self.curves.iter().flat_map(|curve| &curve.bounds).map(|(_, below)| *below);
        Axis::of_estimates(&points, bounds.chain(nothing), self.y_scale)
    }

    /// Whether any interval extends past the axis.
    pub(super) fn is_cut(&self, axis: &Axis) -> bool {
        let fits = |value: f64| axis.place(value).is_some_and(|part| part > 0.0 && part < 1.0);
        self.points().any(|point| {
            let lowest = axis.ticks.first().is_some_and(|low| point.low < *low) && self.y_scale == Scale::Linear;
            lowest || axis.ticks.last().is_some_and(|high| point.high > *high) && !fits(point.high)
        })
    }

    fn points(&self) -> impl Iterator<Item = &Point> {
        self.curves.iter().flat_map(|curve| &curve.points)
    }

    /// Whether it has a curve, not just a point.
    fn is_worth_drawing(&self, least: usize) -> bool {
        self.curves.iter().any(|curve| curve.points.len() >= least)
    }
}

/// The times of both operations of a comparison over backoff.
pub(super) fn times(record: &StudyRecord, comparison: &Comparison) -> Option<Chart> {
    let curves = [&comparison.case, &comparison.baseline].map(|case| {
        let belongs = |cell: &&Cell| {
            cell.case == *case && cell.threads == comparison.threads && cell.parameters == comparison.parameters
        };
        let cells: Vec<&Cell> = record.study().cells.iter().filter(belongs).collect();
        curve(case.clone(), &cells, |cell| cell.backoff_tokens as f64)
    });
    let title = format!("time per operation{}", words::on_threads(&record.study().plan, comparison.threads));
    over_backoff(title, curves.into(), false)
}

/// The difference of two operations over backoff, a curve for each number of threads.
pub(super) fn differences(record: &StudyRecord, title: String, comparisons: &[&Comparison]) -> Option<Chart> {
    let names_threads = |comparison: &Comparison| record.study().plan.names_threads(comparison.threads);
    let curves = comparisons.iter().map(|comparison| Curve {
        name: if names_threads(comparison) { words::threads(comparison.threads) } else { words::pair(comparison) },
        bounds: Vec::new(),
        points: (comparison.points.iter())
            .map(|point| Point {
                x: point.backoff_tokens as f64,
                y: point.difference_ns.estimate,
                low: point.difference_ns.low,
                high: point.difference_ns.high,
                is_resolved: point.difference_ns.is_resolved(),
                is_raised: false,
            })
            .collect(),
    });
    over_backoff(title, curves.collect(), true)
}

/// The times of all cases that are not compared, over backoff.
pub(super) fn uncompared(record: &StudyRecord) -> Vec<Chart> {
    let compared =
        |cell: &&Cell| record.study().comparisons.iter().any(|c| c.case == cell.case || c.baseline == cell.case);
    let mut groups: BTreeMap<(u32, String), Vec<&Cell>> = BTreeMap::new();
    for cell in record.study().cells.iter().filter(|cell| !compared(cell)) {
        groups.entry((cell.threads, parameters(&cell.parameters))).or_default().push(cell);
    }
    let charts = groups.into_iter().filter_map(|((threads, parameters), cells)| {
        let title = format!("time per operation{parameters}{}", words::on_threads(&record.study().plan, threads));
        over_backoff(title, by_name(&cells, |cell| cell.backoff_tokens as f64), false)
    });
    charts.collect()
}

/// The times of all cases over the number of threads, at the smallest backoff; drawn for three or more thread counts.
pub(super) fn over_threads(record: &StudyRecord) -> Vec<Chart> {
    let mut groups: BTreeMap<String, Vec<&Cell>> = BTreeMap::new();
    for cell in &record.study().cells {
        groups.entry(parameters(&cell.parameters)).or_default().push(cell);
    }
    let charts = groups.into_iter().filter_map(|(parameters, cells)| {
        let least = cells.iter().map(|cell| cell.backoff_tokens).min()?;
        let cells: Vec<&Cell> = cells.into_iter().filter(|cell| cell.backoff_tokens == least).collect();
        let backoff = if least == 0 { String::new() } else { format!(" at {} of backoff", words::token_count(least)) };
        let chart = Chart {
            title: format!("time per operation over threads{parameters}{backoff}"),
            x_name: "threads",
            curves: by_name(&cells, |cell| f64::from(cell.threads)),
            is_difference: false,
            shaded: None,
            front: Front::default(),
            y_scale: Scale::Log,
            x_scale: Some(Scale::Log),
            moments: Vec::new(),
            changes: Vec::new(),
        };
        chart.is_worth_drawing(3).then_some(chart)
    });
    charts.collect()
}

fn over_backoff(title: String, curves: Vec<Curve>, is_difference: bool) -> Option<Chart> {
    let x_name = "tokens of backoff";
    let times = || curves.iter().flat_map(|curve| &curve.points).map(|point| point.y);
    let (least, most) = times().fold((f64::INFINITY, 0.0_f64), |(least, most), time| (least.min(time), most.max(time)));
    let is_wide = !is_difference && least > 0.0 && most / least > WIDE;
    let y_scale = if is_wide { Scale::Log } else { Scale::Linear };
    let front = Front::default();
    let chart = Chart {
        title,
        x_name,
        curves,
        is_difference,
        shaded: None,
        front,
        y_scale,
        x_scale: None,
        moments: Vec::new(),
        changes: Vec::new(),
    };
    chart.is_worth_drawing(2).then_some(chart)
}

fn by_name(cells: &[&Cell], x: fn(&Cell) -> f64) -> Vec<Curve> {
    let mut named: Vec<(String, Vec<&Cell>)> = Vec::new();
    for cell in cells {
        let name = cell.role.as_ref().map_or_else(|| cell.case.clone(), |role| format!("{} / {role}", cell.case));
        match named.iter_mut().find(|(known, _)| *known == name) {
            Some((_, members)) => members.push(cell),
            None => named.push((name, vec![cell])),
        }
    }
    named.into_iter().map(|(name, cells)| curve(name, &cells, x)).collect()
}

fn curve(name: String, cells: &[&Cell], x: fn(&Cell) -> f64) -> Curve {
    let point = |cell: &&Cell| {
        cell.time_ns.map(|time| Point {
            x: x(cell),
            y: time.estimate,
            low: time.low,
            high: time.high,
            is_resolved: time.has_interval(),
            is_raised: false,
        })
    };
    let mut points: Vec<Point> = cells.iter().filter_map(point).collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    let below = |cell: &&Cell| Some((x(cell), cell.below_ns.filter(|_| cell.time_ns.is_none())?));
    Curve { name, points, bounds: cells.iter().filter_map(below).collect() }
}
