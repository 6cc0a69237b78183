//! A limit that a gate may set on a figure, and what is known of the figure.

use crate::clock_id::ClockId;
use crate::part::Part;

/// What a report knows of a figure; of that of a clock, if it has one for each.
pub type FindBounds<R> = fn(&R, Option<&ClockId>) -> Result<Bounds, Absent>;

/// An option of a gate that limits a figure, found by an `F`.
pub struct Limit<F> {
    pub option: &'static str,
    pub help: &'static str,
    pub takes: Takes,
    /// The parts of a run that measure the figure.
    pub parts: &'static [Part],
    /// What to do if it is beyond the limit.
    pub mend: &'static str,
    pub find: F,
}

impl<F> Limit<F> {
    /// The same, found in another way.
    pub fn found_by<G>(&self, find: G) -> Limit<G> {
        let Self { option, help, takes, parts, mend, .. } = *self;
        Limit { option, help, takes, parts, mend, find }
    }
}

/// What an option of a gate takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// The longest time of a clock; once per clock.
    TimeOfClock,
    /// The longest time.
    Time,
    /// The largest share.
    Share,
    /// Words.
    List,
}

/// What is known of a figure.
#[derive(Debug)]
pub struct Bounds {
    /// What was seen, said before the limit.
    pub words: String,
    /// The best estimate; None if there is only a bound.
    pub estimate: Option<f64>,
    /// Its interval as the document has it.
    pub interval: (f64, f64),
    /// What it certainly lies between: more than the interval, where that may be wrong.
    pub certain: (f64, f64),
    /// Why it may be wrong, said after the limit; else empty.
    pub doubt: String,
    /// What it cannot be less than whatever the interval, said instead where that is over the limit.
    pub least: Option<(f64, String)>,
    /// How to tell, where the limit is inside.
    pub narrow: &'static str,
}

impl Bounds {
    /// Known to lie between these.
    pub fn between(words: String, low: f64, high: f64) -> Self {
        let narrow = "the limit is inside the interval: measure longer (--thorough) or on a quieter machine";
        let interval = (low, high);
        Self { words, estimate: None, interval, certain: interval, doubt: String::new(), least: None, narrow }
    }

    /// A number that is known as it is.
    pub fn exactly(words: String, value: f64) -> Self {
        Self { estimate: Some(value), ..Self::between(words, value, value) }
    }
}

/// Why a figure is not known.
#[derive(Debug)]
pub enum Absent {
    /// It was not measured, as these words say: the parts of the run say why.
    NotMeasured(String),
    /// It is not known, as these words say, and what to do.
    Because(String, Option<&'static str>),
}
