use chronoscope_harness::record::study::Estimate;

use super::curve::{Chart, Curve, Front, Point};
use super::plot;
use crate::axis::Scale;
use crate::line::Line;

/// The time of an operation over threads, for [`Text::charts`](crate::text::Text::charts): a curve for each amount of work
/// between two operations.
///
/// # Examples
/// ```
/// use chronoscope_harness::record::study::Estimate;
/// use chronoscope_render::study::{OverThreads, ThreadTime, Zone};
/// use chronoscope_render::text::Text;
///
/// let time = |threads, ns, is_raised| ThreadTime { threads, time_ns: Estimate::certain(ns), is_raised };
/// let curve = ("in a row".to_owned(), vec![time(1, 20.0, false), time(2, 140.0, true)]);
/// let zone = Zone { threads: 2, forbidden_ns: Some(20.0), front_ns: vec![20.0], front_name: "front above".to_owned() };
/// let chart = OverThreads { title: "a clock".to_owned(), curves: vec![curve], zone: Some(zone) };
/// let mut text = Text::new();
/// text.charts(&[chart]);
/// let text = text.finish();
/// assert!(text.contains('▲') && text.contains("░ forbidden zone") && text.contains("═ front above"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct OverThreads {
    /// Its heading.
    pub title: String,
    /// The curves by name.
    pub curves: Vec<(String, Vec<ThreadTime>)>,
    /// What is known of the front; None without a conclusion.
    pub zone: Option<Zone>,
}

/// Where in such a chart threads are known to slow each other down, and the ends of that region.
///
/// # Examples
/// ```
/// use chronoscope_render::study::Zone;
///
/// let zone = Zone { threads: 2, forbidden_ns: Some(20.0), front_ns: vec![20.0, 97.0], front_name: "front".to_owned() };
/// assert!(zone.front_ns.iter().all(|ns| *ns >= 20.0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Zone {
    /// It holds up to this many threads.
    pub threads: u32,
    /// Times up to this many nanoseconds are shaded as the forbidden zone.
    pub forbidden_ns: Option<f64>,
    /// The known ends of the front, in nanoseconds; none, one or two.
    pub front_ns: Vec<f64>,
    /// What those lines are, for the legend.
    pub front_name: String,
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
        plot::lines(&self.chart(), width)
    }

    pub(super) fn chart(&self) -> Chart {
        let point = |time: &ThreadTime| Point {
            x: f64::from(time.threads),
            y: time.time_ns.estimate,
            low: time.time_ns.low,
            high: time.time_ns.high,
            is_resolved: time.time_ns.has_interval(),
            is_raised: time.is_raised,
        };
        let curve = |(name, times): &(String, Vec<ThreadTime>)| Curve {
            name: name.clone(),
            points: times.iter().map(point).collect(),
            bounds: Vec::new(),
        };
        let zone = self.zone.as_ref();
        let threads = zone.map_or(0.0, |zone| f64::from(zone.threads));
        Chart {
            title: self.title.clone(),
            x_name: "threads",
            curves: self.curves.iter().map(curve).collect(),
            is_difference: false,
            shaded: zone.and_then(|zone| zone.forbidden_ns).map(|ns| (threads, ns)),
            front: zone.map_or_else(Front::default, |zone| Front {
                x: threads,
                y: zone.front_ns.clone(),
                name: zone.front_name.clone(),
            }),
            y_scale: Scale::Log,
            x_scale: Some(Scale::Log),
            moments: Vec::new(),
            changes: Vec::new(),
        }
    }
}
