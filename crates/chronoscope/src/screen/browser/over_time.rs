//! Lengths over time: a point for each, in hue and shape by its kind.

use chronoscope_harness::quantity::ns;
use chronoscope_render::axis::{Axis, Scale};
use chronoscope_render::browser::{Curve, Hue, Plot, Shape};

/// Points of a kind: what it is called, how they look, and when each came and how long it was, in nanoseconds.
pub type Series = (&'static str, (Hue, Shape), Vec<(f64, f64)>);

/// Panels on the same axes, from 0 to `end_ns`; kinds without a point are left out, and panels without any.
pub fn plots(panels: Vec<(String, Vec<Series>)>, end_ns: f64, y_name: &str) -> Vec<Plot> {
    let points = || panels.iter().flat_map(|(_, all)| all).flat_map(|(_, _, points)| points);
    let x = Axis::of_results(points().map(|(x, _)| *x).chain([0.0, end_ns]), Scale::Linear);
    let y = Axis::of_results(points().map(|(_, y)| *y), Scale::Log);
    let Some((x, y)) = x.zip(y) else { return Vec::new() };
    let plot = |(title, all): (String, Vec<Series>)| Plot {
        title,
        x: x.clone(),
        y: y.clone(),
        words: [ns, ns],
        names: ["time into the run".to_owned(), y_name.to_owned()],
        curves: all.into_iter().filter(|(_, _, points)| !points.is_empty()).map(curve).collect(),
        reference: None,
        zone: None,
    };
    panels.into_iter().map(plot).filter(|plot| !plot.curves.is_empty()).collect()
}

/// An interval of the run.
pub fn interval(from_ms: f64, length_ms: f64) -> String {
    format!("{} to {}", ns(from_ms * 1e6), ns((from_ms + length_ms) * 1e6))
}

fn curve((name, (hue, shape), points): Series) -> Curve {
    Curve { name: name.to_owned(), hue, shape: Some(shape), points, is_scattered: true, ..Curve::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_without_a_point_and_panels_without_a_kind_are_left_out() {
        let some = ("some", (Hue::Blue, Shape::Circle), vec![(1e9, 50.0), (f64::NAN, 3.0)]);
        let none = ("none", (Hue::Ink, Shape::Square), Vec::new());
        let panels = vec![("one".to_owned(), vec![some, none.clone()]), ("other".to_owned(), vec![none.clone()])];
        let plots = plots(panels, 10e9, "late");
        let names: Vec<&str> = plots[0].curves.iter().map(|curve| curve.name.as_str()).collect();
        assert_eq!((plots.len(), names), (1, vec!["some"]));
        assert_eq!(plots[0].x.ticks.last(), Some(&10e9));
        assert!(super::plots(vec![("one".to_owned(), vec![none])], 10e9, "late").is_empty());
    }
}
