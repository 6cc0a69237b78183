//! A distribution of times: as a curve, and as marks of a row.

use chronoscope_harness::quantity::{limit, ns};
use chronoscope_harness::record::{Bin, Times};
use chronoscope_render::axis::{Axis, Scale};
use chronoscope_render::browser::{Curve, Hue, Mark, Plot, Shape};

/// How to read the marks of [`marks`].
pub const MARKS: &str =
    "Point: the median. Thick: to the 99th percentile. Thin, to a tick: to the 99.9th. Cross: the longest.";
/// How to read the curves of [`plots`].
pub const CURVES: &str = "A curve is at the share of all that took that long or longer. Both axes are logarithmic, so that what is \
                          rare can be seen.";

/// Steps of a curve's axis: closer points would lie in one pixel.
const STEPS: f64 = 400.0;
/// A bin that begins so many times behind the end of the one before does not adjoin it.
const BEHIND: f64 = 1.0 + 1e-9;

/// Median, 99th and 99.9th percentile, and the longest.
pub fn marks(times: &Times, shape: Shape) -> Vec<Mark> {
    vec![
        Mark::Reach { from: times.p99, to: times.p999 },
        Mark::Interval { from: times.p50, to: times.p99 },
        Mark::Extreme { at: times.max },
        Mark::Point { at: times.p50, shape, is_hollow: false },
    ]
}

/// The same in words, for a pointer.
pub fn said(times: &Times) -> String {
    let [p50, p90, p99, p999, max] = [times.p50, times.p90, times.p99, times.p999, times.max].map(ns);
    format!("p50 {p50}, p90 {p90}\np99 {p99}, p99.9 {p999}\nlongest {max}")
}

/// What a plot shows: its title, and its curves with their names.
pub type Panel<'a> = (String, Vec<(&'a str, Hue, &'a Times)>);

/// Panels on the same axes, the first curve of each filled.
pub fn plots(panels: &[Panel<'_>], x_name: &str, y_name: &str) -> Vec<Plot> {
    let all = || panels.iter().flat_map(|(_, curves)| curves).map(|(_, _, times)| points(times));
    let x = Axis::of_results(all().flatten().map(|(x, _)| x), Scale::Log);
    let y = Axis::of_results(all().flatten().map(|(_, y)| y).chain([100.0]), Scale::Log);
    let (Some(x), Some(y)) = (x, y) else { return Vec::new() };
    let plot = |(title, curves): &Panel<'_>| Plot {
        title: title.clone(),
        x: x.clone(),
        y: y.clone(),
        words: [ns, limit],
        names: [x_name.to_owned(), y_name.to_owned()],
        curves: curves.iter().enumerate().map(|(at, curve)| drawn(*curve, at == 0)).collect(),
        reference: None,
        zone: None,
    };
    panels.iter().map(plot).collect()
}

fn drawn((name, hue, times): (&str, Hue, &Times), is_filled: bool) -> Curve {
    Curve { name: name.to_owned(), hue, points: points(times), is_filled, ..Curve::default() }
}

/// The share of all that took at least so long, in percent, at each time where it changes.
fn points(times: &Times) -> Vec<(f64, f64)> {
    let bins = &times.histogram.bins;
    let mut bins: Vec<&Bin> = bins.iter().filter(|bin| bin.count > 0 && bin.from_ns.is_finite()).collect();
    bins.sort_by(|a, b| a.from_ns.total_cmp(&b.from_ns));
    let all = bins.iter().fold(0_u64, |sum, bin| sum.saturating_add(bin.count)).max(1);
    // A bin that begins at 0 has no place on a logarithmic axis.
    let place = |bin: &Bin| bin.from_ns.max(bin.to_ns / 2.0).ln();
    let width = bins.first().zip(bins.last()).map_or(0.0, |(first, last)| (place(last) - place(first)) / STEPS);
    let share = |left: u64| 100.0 * left as f64 / all as f64;
    let (mut points, mut left, mut drawn): (Vec<(f64, f64)>, u64, Option<f64>) = (Vec::new(), all, None);
    for (at, bin) in bins.iter().enumerate() {
        if drawn.is_none_or(|before| place(bin) - before >= width) {
            points.push((bin.from_ns, share(left)));
            drawn = Some(place(bin));
        }
        let longer = left.saturating_sub(bin.count);
        match bins.get(at + 1) {
            // Nothing was seen between them.
            Some(next) if next.from_ns > bin.to_ns * BEHIND => points.push((bin.to_ns, share(longer))),
            Some(_) => {}
            None => points.push((times.max.max(bin.from_ns), share(left))),
        }
        left = longer;
    }
    points
}

#[cfg(test)]
mod tests {
    use chronoscope_harness::record::Histogram;

    use super::*;

    fn times(bins: &[(f64, f64, u64)]) -> Times {
        let bins = bins.iter().map(|(from_ns, to_ns, count)| Bin { from_ns: *from_ns, to_ns: *to_ns, count: *count });
        Times {
            p50: 1.0,
            p90: 2.0,
            p99: 3.0,
            p999: 4.0,
            max: 110.0,
            mean: None,
            histogram: Histogram { bins: bins.collect() },
        }
    }

    #[test]
    fn a_curve_is_at_the_share_of_what_took_longer() {
        let seen = times(&[(1.0, 2.0, 90), (2.0, 4.0, 9), (100.0, 200.0, 1)]);
        // Flat from 4 to 100, and it ends at the longest.
        assert_eq!(points(&seen), [(1.0, 100.0), (2.0, 10.0), (4.0, 1.0), (100.0, 1.0), (110.0, 1.0)]);
    }

    #[test]
    fn what_has_no_place_is_left_out() {
        assert_eq!(points(&times(&[])), []);
        assert!(plots(&[("none".to_owned(), vec![("", Hue::Blue, &times(&[]))])], "", "").is_empty());
        let odd = times(&[(f64::NAN, 1.0, 5), (0.0, 1.0, u64::MAX), (1.0, 2.0, u64::MAX)]);
        assert!(points(&odd).iter().all(|(x, y)| x.is_finite() && y.is_finite()), "{:?}", points(&odd));
    }

    #[test]
    fn panels_share_their_axes() {
        let (short, long) = (times(&[(1.0, 2.0, 5)]), times(&[(1.0, 2.0, 5), (1e6, 2e6, 5)]));
        let panel = |times| ("one".to_owned(), vec![("", Hue::Blue, times)]);
        let drawn = plots(&[panel(&short), panel(&long)], "lateness", "share");
        assert_eq!(drawn[0].x.ticks, drawn[1].x.ticks);
        assert!(drawn[0].curves[0].is_filled);
    }
}
