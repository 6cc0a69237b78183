use chronoscope_harness::record::study::{Cell, Estimate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A chart that an experiment is read for, as data: values and sentences, without a place or a colour.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Chart {
    /// What it shows.
    pub topic: Topic,
    /// Its title in plain words.
    pub title: String,
    /// What was found, in the order of the panels.
    pub sentences: Vec<String>,
    /// Its panels, which have one kind of axis.
    pub panels: Vec<Panel>,
}

/// What a chart shows.
///
/// # Examples
/// ```
/// use chronoscope_examples::Topic;
/// use serde::de::value::{Error, StrDeserializer};
/// use serde::de::IntoDeserializer;
///
/// let name: StrDeserializer<'_, Error> = "call_times".into_deserializer();
/// assert_eq!(<Topic as serde::Deserialize>::deserialize(name)?, Topic::CallTimes);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    /// The time of each operation over the work around it.
    Times,
    /// Times less a baseline's.
    Subtractions,
    /// Operations compared in pairs.
    Direct,
    /// Rates claimed and done.
    Claims,
    /// The time of a call by its index.
    CallTimes,
    /// Calls by one thread and by many.
    Calls,
    /// Rates of several threads over that of one.
    Scaling,
    /// The same over the granularity of the clock, which is how old a reading may be.
    Staleness,
}

/// A panel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Panel {
    /// Its title; empty where the chart's says it.
    pub title: String,
    /// What its values are.
    pub unit: Unit,
    /// What its places are, such as tokens or threads; empty for names.
    pub places: String,
    /// The names of the places 0, 1, 2, …; none where places are numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// What is drawn.
    pub series: Vec<Series>,
    /// Values to compare with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<Level>,
    /// The number of CPUs, a place to compare with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<u32>,
}

/// The unit of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Nanoseconds.
    Ns,
    /// Differences in nanoseconds.
    DifferenceNs,
    /// So many per second.
    PerSecond,
    /// Ratios.
    Factor,
}

/// Values that belong together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Whether somebody else published them, of another machine.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_published: bool,
    /// Its values, by ascending place.
    pub points: Vec<Spot>,
}

/// A value at a place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Spot {
    /// The place.
    pub at: f64,
    /// The value; absent where only a bound is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Estimate>,
    /// The truth is below this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<f64>,
}

/// A value to compare with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Level {
    /// What it is.
    pub name: String,
    /// The value.
    pub value: f64,
}

impl Chart {
    /// None where nothing is known to draw.
    pub(crate) fn of(topic: Topic, title: &str, sentences: Vec<String>, panels: Vec<Panel>) -> Option<Self> {
        let panels: Vec<Panel> = panels.into_iter().filter(Panel::is_measured).collect();
        (!panels.is_empty()).then(|| Self { topic, title: title.to_owned(), sentences, panels })
    }

    pub(crate) fn forget_published(&mut self) {
        self.panels.iter_mut().for_each(|panel| panel.series.retain(|series| !series.is_published));
    }
}

impl Panel {
    /// Over numbers.
    pub(crate) fn over(places: &str, title: impl Into<String>, unit: Unit, series: Vec<Series>) -> Self {
        let series = series.into_iter().filter(|series| !series.points.is_empty()).collect();
        let (title, places) = (title.into(), places.to_owned());
        Self { title, unit, places, names: Vec::new(), series, levels: Vec::new(), cpus: None }
    }

    fn is_measured(&self) -> bool {
        self.series.iter().any(|series| !series.is_published && !series.points.is_empty())
    }
}

impl Series {
    /// Places without a value are left out.
    pub(crate) fn of(name: &str, points: impl Iterator<Item = Option<Spot>>) -> Self {
        Self { name: name.to_owned(), is_published: false, points: points.flatten().collect() }
    }

    pub(crate) fn published(name: &str, points: impl Iterator<Item = (f64, f64)>) -> Self {
        let points = points.map(|(at, value)| Spot::new(at, Estimate::certain(value)));
        Self { name: name.to_owned(), is_published: true, points: points.collect() }
    }
}

impl Spot {
    pub(crate) const fn new(at: f64, value: Estimate) -> Self {
        Self { at, value: Some(value), below: None }
    }

    /// The time of a cell, or its bound.
    pub(crate) fn of_cell(at: f64, cell: Option<&Cell>) -> Option<Self> {
        let cell = cell?;
        let below = cell.below_ns.filter(|_| cell.time_ns.is_none());
        (cell.time_ns.is_some() || below.is_some()).then_some(Self { at, value: cell.time_ns, below })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::cell;

    #[test]
    fn a_time_that_is_not_known_is_its_bound_or_nothing() {
        let mut of = cell("a", 0, 1, [2.0; 4]);
        assert_eq!(Spot::of_cell(1.0, Some(&of)).unwrap().value.map(|time| time.estimate), Some(2.0));
        (of.time_ns, of.below_ns) = (None, Some(0.5));
        assert_eq!(Spot::of_cell(1.0, Some(&of)), Some(Spot { at: 1.0, value: None, below: Some(0.5) }));
        of.below_ns = None;
        assert_eq!((Spot::of_cell(1.0, Some(&of)), Spot::of_cell(1.0, None)), (None, None));
    }

    #[test]
    fn what_others_published_alone_is_no_chart() {
        let published = || Series::published("somebody", [(1.0, 2.0)].into_iter());
        let of = |series| Chart::of(Topic::Times, "t", Vec::new(), vec![Panel::over("tokens", "", Unit::Ns, series)]);
        assert_eq!(of(vec![published()]), None);
        let ours = Series::of("ours", [Some(Spot::new(1.0, Estimate::certain(3.0)))].into_iter());
        let mut both = of(vec![ours, published()]).unwrap();
        both.forget_published();
        assert_eq!(both.panels[0].series.len(), 1);
    }
}
