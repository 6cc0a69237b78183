use chronoscope_harness::record::study::Estimate;

use super::axis::Scale;
use super::curve::{Chart, Curve, Point};
use super::plot;
use crate::line::Line;

/// The time of an operation over threads, for [`Text::charts`](crate::text::Text::charts): a curve for each amount of work
/// between two operations.
///
/// # Examples
/// ```
/// use chronoscope_harness::record::study::Estimate;
/// use chronoscope_render::study::{OverThreads, ThreadTime};
/// use chronoscope_render::text::Text;
///
/// let time = |threads, ns, is_raised| ThreadTime { threads, time_ns: Estimate::certain(ns), is_raised };
/// let curve = ("in a row".to_owned(), vec![time(1, 20.0, false), time(2, 140.0, true)]);
/// let chart = OverThreads { title: "a clock".to_owned(), curves: vec![curve], shaded: None };
/// let mut text = Text::new();
/// text.charts(&[chart]);
/// assert!(text.finish().contains('▲'));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct OverThreads {
    /// Its heading.
    pub title: String,
    /// The curves by name.
    pub curves: Vec<(String, Vec<ThreadTime>)>,
    /// Times up to this many threads and nanoseconds are shaded.
    pub shaded: Option<(u32, f64)>,
}

/// A point of such a chart.
///
/// # Examples
/// ```
/// use chronoscope_harness::record::study::Estimate;
/// use chronoscope_render::study::ThreadTime;
///
/// let time = ThreadTime { threads: 2, time_ns: Estimate::certain(140.0), is_raised: true };
/// assert_eq!(time.clone(), time);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadTime {
    /// How many threads.
    pub threads: u32,
    /// The time with this many threads.
    pub time_ns: Estimate,
    /// Whether they are known to slow each other down.
    pub is_raised: bool,
}

impl OverThreads {
    pub(crate) fn lines(&self, width: usize) -> Vec<Line> {
        let point = |time: &ThreadTime| Point {
            x: f64::from(time.threads),
            y: time.time_ns.estimate,
            low: time.time_ns.low,
            high: time.time_ns.high,
            is_resolved: time.time_ns.has_interval(),
            is_raised: time.is_raised,
        };
        let curves = self.curves.iter();
        let chart = Chart {
            title: self.title.clone(),
            x_name: "threads",
            curves: curves
                .map(|(name, times)| Curve { name: name.clone(), points: times.iter().map(point).collect() })
                .collect(),
            is_difference: false,
            shaded: self.shaded.map(|(threads, ns)| (f64::from(threads), ns)),
            y_scale: Scale::Log,
            x_scale: Some(Scale::Log),
        };
        plot::lines(&chart, width)
    }
}
