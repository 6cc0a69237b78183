use chronoscope_harness::record::study::Estimate;

use super::curve::{Chart, Curve, Front, Point};
use super::plot;
use crate::axis::Scale;
use crate::line::Line;

/// A time per operation over days, for [`Text::over_time`](crate::text::Text::over_time), with marks where something else changed.
///
/// # Examples
/// ```
/// use chronoscope_harness::record::study::Estimate;
/// use chronoscope_render::study::OverTime;
/// use chronoscope_render::text::Text;
///
/// let chart = OverTime {
///     title: "a clock".to_owned(),
///     values: vec![(0.0, Estimate::certain(18.7)), (86_400.0, Estimate::certain(41.0))],
///     moments: vec![(0.0, "1 Jan".to_owned()), (86_400.0, "2 Jan".to_owned())],
///     changes: vec![86_400.0],
/// };
/// let mut text = Text::new();
/// text.over_time(&chart);
/// let text = text.finish();
/// assert!(text.contains("1 Jan") && text.contains('┊'));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct OverTime {
    /// Its heading.
    pub title: String,
    /// Moments in seconds, ascending, each with a time in nanoseconds.
    pub values: Vec<(f64, Estimate)>,
    /// The words below some moments.
    pub moments: Vec<(f64, String)>,
    /// The moments of changes.
    pub changes: Vec<f64>,
}

impl OverTime {
    pub(crate) fn lines(&self, width: usize) -> Vec<Line> {
        let point = |(at, value): &(f64, Estimate)| Point {
            x: *at,
            y: value.estimate,
            low: value.low,
            high: value.high,
            is_resolved: value.has_interval(),
            is_raised: false,
        };
        let points = self.values.iter().map(point).collect();
        let curve = Curve { name: "median of runs".to_owned(), points, bounds: Vec::new() };
        let chart = Chart {
            title: self.title.clone(),
            x_name: "",
            curves: vec![curve],
            is_difference: false,
            shaded: None,
            front: Front::default(),
            y_scale: Scale::Linear,
            x_scale: Some(Scale::Linear),
            moments: self.moments.clone(),
            changes: self.changes.clone(),
        };
        plot::lines(&chart, width)
    }
}
