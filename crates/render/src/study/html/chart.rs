//! Charts of studies as plots of a page.

use crate::browser::{Curve, Hue, Mark, Plot, Shape, Zone};
use crate::study::curve::{self, Chart};
use crate::study::plot::swept;
use chronoscope_harness::quantity::ns;

/// Maximum ticks of an axis of swept values.
const TICKS: usize = 9;
/// Maximum curves; more cannot be told apart.
const CURVES: usize = 12;

/// The plot; None where no value can be drawn.
pub(super) fn plot(chart: &Chart) -> Option<Plot> {
    let (x, y) = (chart.x_axis(TICKS)?, chart.y_axis()?);
    let curves = chart.curves.iter().take(CURVES).enumerate().map(|(place, of)| curve(place, of)).collect();
    let left_out = chart.curves.len().saturating_sub(CURVES);
    let title = match left_out {
        0 => chart.title.clone(),
        more => format!("{}; {more} more in the numbers", chart.title),
    };
    let zone = Zone {
        x: chart.front.x,
        y: chart.shaded.map(|(_, y)| y),
        levels: chart.front.y.clone(),
        name: chart.front.name.clone(),
    };
    Some(Plot {
        title,
        reference: chart.is_difference.then_some(0.0),
        x,
        y,
        words: [swept, ns],
        names: [chart.x_name.to_owned(), String::new()],
        curves,
        zone: (zone.y.is_some() || !zone.levels.is_empty()).then_some(zone),
    })
}

fn curve(place: usize, of: &curve::Curve) -> Curve {
    let flags = |is: fn(&curve::Point) -> bool| of.points.iter().map(is).collect();
    Curve {
        name: of.name.clone(),
        hue: Hue::SERIES[place % Hue::SERIES.len()],
        shape: Some(Shape::SERIES[place % Shape::SERIES.len()]),
        points: of.points.iter().map(|point| (point.x, point.y)).collect(),
        band: of.points.iter().map(|point| (point.x, point.low, point.high)).collect(),
        is_hollow: flags(|point| !point.is_resolved),
        is_ringed: flags(|point| point.is_raised),
        marks: of.bounds.iter().map(|(x, below)| (*x, Mark::Below { at: *below })).collect(),
        ..Curve::default()
    }
}

/// How to read such charts.
pub(super) fn how(charts: &[&Chart]) -> String {
    let points = || charts.iter().flat_map(|chart| &chart.curves).flat_map(|curve| &curve.points);
    let mut how = vec!["Bands are intervals".to_owned()];
    if points().any(|point| !point.is_resolved) {
        how.push("hollow points are not told from 0".to_owned());
    }
    if charts.iter().flat_map(|chart| &chart.curves).any(|curve| !curve.bounds.is_empty()) {
        how.push("an arrow is a bound: the truth is below it".to_owned());
    }
    if points().any(|point| point.is_raised) {
        how.push("a ring marks a time raised by other threads".to_owned());
    }
    if charts.iter().any(|chart| chart.shaded.is_some()) {
        how.push("the shaded region is the forbidden zone".to_owned());
    }
    if let Some(front) = charts.iter().map(|chart| &chart.front).find(|front| !front.y.is_empty()) {
        how.push(format!("level lines: {}", front.name));
    }
    if charts.iter().any(|chart| chart.y_axis().is_some_and(|axis| chart.is_cut(&axis))) {
        how.push("some bands are cut".to_owned());
    }
    format!("{}.", how.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::parse;

    #[test]
    fn a_bound_is_drawn_as_one_and_is_no_point() {
        let mut record = parse(include_str!("../../../tests/fixtures/study.json")).unwrap();
        let comparison = record.study().comparisons[0].clone();
        let of_case = |cell: &&mut chronoscope_harness::record::study::Cell| {
            (&cell.case, cell.threads) == (&comparison.case, comparison.threads)
        };
        let cell = record.content.study.cells.iter_mut().find(of_case).unwrap();
        (cell.time_ns, cell.below_ns) = (None, Some(0.5));
        let at = cell.backoff_tokens as f64;
        let chart = curve::times(&record, &comparison).unwrap();
        let drawn = plot(&chart).unwrap();
        assert_eq!(drawn.curves[0].marks, [(at, Mark::Below { at: 0.5 })]);
        assert!(drawn.curves[0].points.iter().all(|(x, _)| *x != at), "{drawn:?}");
        assert!(how(&[&chart]).contains("an arrow is a bound"), "{}", how(&[&chart]));
    }
}
