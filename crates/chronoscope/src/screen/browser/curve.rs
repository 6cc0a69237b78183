//! A distribution of times: as a curve, and as marks of a row.

use chronoscope_harness::quantity::{limit, ns};
use chronoscope_harness::record::{Bin, Times};
use chronoscope_render::axis::{Axis, Scale};
use chronoscope_render::browser::{Curve, Hue, Mark, Plot, Shape};

/// How to read the marks of [`marks`].
pub const MARKS: &str =
    "Point: the median. Thick: to the 99th percentile. Thin, to a tick: to the 99.9th. Cross: the longest.";
/// How to read the curves of [`plots`].
pub const CURVES: &str = "A curve is the share of all that took at least so long, down to one of them at the longest; it is straight \
                          between the ends of a histogram's bins and the percentiles. Both axes are logarithmic, so that what is rare \
                          can be seen.";

/// Steps of each axis: closer points would lie in one pixel.
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

/// The share of all that took at least so long, in percent: at the ends of bins, at the percentiles within them, and at the longest.
fn points(times: &Times) -> Vec<(f64, f64)> {
    let is_sound = |bin: &&Bin| bin.count > 0 && bin.from_ns >= 0.0 && bin.to_ns.is_finite();
    let mut bins: Vec<&Bin> = times.histogram.bins.iter().filter(is_sound).collect();
    bins.sort_by(|a, b| a.from_ns.total_cmp(&b.from_ns));
    let all = bins.iter().fold(0_u64, |sum, bin| sum.saturating_add(bin.count)).max(1);
    let share = |left: u64| 100.0 * left.max(1) as f64 / all as f64;
    let (mut points, mut left): (Vec<(f64, f64)>, u64) = (Vec::new(), all);
    for (at, bin) in bins.iter().enumerate() {
        // Where nothing was seen in between the curve is flat.
        if points.last().is_none_or(|(before, _)| bin.from_ns > before * BEHIND) {
            points.push((bin.from_ns, share(left)));
        }
        left = left.saturating_sub(bin.count);
        let is_last = at + 1 == bins.len();
        // Of the last bin one took the longest.
        let end = if is_last { (times.max.max(bin.from_ns), share(1)) } else { (bin.to_ns, share(left)) };
        for percentile in percentiles(times) {
            if points.last().is_some_and(|before| is_between(percentile, *before, end)) {
                points.push(percentile);
            }
        }
        points.push(end);
    }
    thinned(points)
}

/// Each percentile, and the share of all that took at least so long.
fn percentiles(times: &Times) -> [(f64, f64); 4] {
    [(times.p50, 50.0), (times.p90, 10.0), (times.p99, 1.0), (times.p999, 0.1)]
}

/// Whether a curve can pass through a point on its way down from one to another.
fn is_between((x, y): (f64, f64), (from, high): (f64, f64), (to, low): (f64, f64)) -> bool {
    (from..=to).contains(&x) && y < high && y > low
}

/// Without points that lie in the pixel of the one before; the last is kept.
fn thinned(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let (Some(first), Some(last)) = (points.first().copied(), points.last().copied()) else { return points };
    // What begins at 0 has no place on a logarithmic axis.
    let least = points.iter().map(|(x, _)| *x).filter(|x| *x > 0.0).fold(last.0, f64::min);
    let ratio = |a: f64, b: f64| (a.max(least) / b.max(least)).ln().abs();
    let [wide, high] = [ratio(last.0, first.0), (first.1 / last.1).ln()].map(|span| span / STEPS);
    let end = points.len() - 1;
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for (at, (x, y)) in points.into_iter().enumerate() {
        let is_apart = |before: &(f64, f64)| ratio(x, before.0) >= wide || (before.1 / y).ln() >= high;
        if at == end || kept.last().is_none_or(is_apart) {
            kept.push((x, y));
        }
    }
    kept
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

    /// The share on the curve at `x`, as it is drawn: straight on logarithmic axes.
    fn share_at(points: &[(f64, f64)], x: f64) -> f64 {
        let pair = points.windows(2).find(|pair| (pair[0].0..=pair[1].0).contains(&x)).unwrap();
        let ((from, high), (to, low)) = (pair[0], pair[1]);
        let part = if to > from { (x / from).ln() / (to / from).ln() } else { 1.0 };
        high * (low / high).powf(part)
    }

    #[test]
    fn a_curve_is_at_the_share_of_what_took_longer() {
        let seen = times(&[(1.0, 2.0, 90), (2.0, 4.0, 9), (100.0, 200.0, 1)]);
        // At the end of each bin the share of those behind it, flat from 4 to 100, and one of 100 at the longest.
        let all = [(1.0, 100.0), (1.0, 50.0), (2.0, 10.0), (4.0, 1.0), (100.0, 1.0), (110.0, 1.0)];
        assert_eq!(points(&seen), all);
        let many = times(&[(1.0, 2.0, 900), (100.0, 200.0, 100)]);
        assert_eq!(points(&many)[3..], [(100.0, 10.0), (110.0, 0.1)], "not a tenth, but one of a thousand");
    }

    #[test]
    fn curves_of_the_same_kind_of_bins_are_at_their_percentiles() {
        let octaves = [(128.0, 256.0, 6_000), (256.0, 512.0, 3_990), (1_024.0, 2_048.0, 10)];
        let of = |p50, p90, p99, p999| Times { p50, p90, p99, p999, max: 2_000.0, ..times(&octaves) };
        for seen in [of(198.0, 400.0, 500.0, 1_024.0), of(240.0, 300.0, 510.0, 1_024.0)] {
            let points = points(&seen);
            for (x, share) in percentiles(&seen).into_iter().take(3) {
                assert!((share_at(&points, x) - share).abs() < 1e-9 * share, "{x}: {points:?}");
            }
            assert_eq!(points.last(), Some(&(2_000.0, 0.01)));
        }
        // A percentile that no way down passes through, as in a document that somebody changed, is not on it.
        let odd = points(&of(9_000.0, f64::NAN, 1.0, 256.0));
        assert!(odd.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 >= pair[1].1), "{odd:?}");
    }

    #[test]
    fn the_axis_reaches_down_to_the_smallest_share() {
        let seen = times(&[(1.0, 2.0, 49_999), (2.0, 128.0, 1)]);
        let plot = &plots(&[(String::new(), vec![("", Hue::Blue, &seen)])], "", "")[0];
        assert!(plot.y.ticks[0] <= 0.002, "{:?}", plot.y.ticks);
        let (_, lowest) = plot.curves[0].points.last().unwrap();
        assert!(plot.y.place(*lowest).unwrap() < 0.3 && *lowest == 0.002, "{lowest}");
    }

    #[test]
    fn points_of_one_pixel_are_one() {
        let bins: Vec<(f64, f64, u64)> = (0..5_000).map(|at| (f64::from(at), f64::from(at + 1), 10)).collect();
        let drawn = points(&Times { max: 5_000.0, ..times(&bins) });
        assert!(drawn.len() < 2 * STEPS as usize && drawn.last() == Some(&(5_000.0, 0.002)), "{}", drawn.len());
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
