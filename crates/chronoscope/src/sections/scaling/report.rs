//! What is known of each clock: plain data.

use chronoscope_harness::record::study::Estimate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the record says of one clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Conclusion {
    pub clock: String,
    /// Up to so many threads, none of which shares a CPU with another.
    pub threads: u32,
    /// From how much work between reads it scales, as far as that is known.
    pub front: Front,
    /// With rising backoff, and at each with rising threads: all combinations that enter the front.
    pub points: Vec<Point>,
    /// Reads in a row and steps of the value, by number of threads.
    pub reads: Vec<Read>,
    /// Combinations with more threads than CPUs: they wait for a CPU, not for the clock, and tell nothing of a front.
    pub crowded: Vec<Oversubscribed>,
}

/// The least work between reads from which adding threads, up to the number of CPUs, does not raise the time per operation.
/// It is known as a bracket at best, and never as one number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "scales")]
pub enum Front {
    /// It scales at every backoff tried, of which the smallest is so much work.
    Everywhere { tokens: u64, ns: f64 },
    /// It scales at so much work and at all more that was tried; at `raised` it does not. The front lies between.
    From { tokens: u64, ns: f64, raised_tokens: u64, raised_ns: f64 },
    /// It does not scale at the largest backoff tried.
    Beyond { tokens: u64, ns: f64 },
    /// The intervals leave one end open, or both.
    Unresolved {
        /// The most work at which it is known not to scale.
        raised_tokens: Option<u64>,
        raised_ns: Option<f64>,
        /// The least at which, and at all more that was tried, it is known to.
        flat_tokens: Option<u64>,
        flat_ns: Option<f64>,
    },
}

/// One end of what is known of a front: so much work between reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct End {
    pub tokens: u64,
    pub ns: f64,
}

impl Front {
    /// The most work at which it is known not to scale, and so lies below the front.
    pub fn low(&self) -> Option<End> {
        match *self {
            Self::From { raised_tokens: tokens, raised_ns: ns, .. } | Self::Beyond { tokens, ns } => {
                Some(End { tokens, ns })
            }
            Self::Unresolved { raised_tokens, raised_ns, .. } => {
                raised_tokens.zip(raised_ns).map(|(tokens, ns)| End { tokens, ns })
            }
            Self::Everywhere { .. } => None,
        }
    }

    /// The least work at which it is known to scale, with all more that was tried.
    pub fn high(&self) -> Option<End> {
        match *self {
            Self::From { tokens, ns, .. } | Self::Everywhere { tokens, ns } => Some(End { tokens, ns }),
            Self::Unresolved { flat_tokens, flat_ns, .. } => {
                flat_tokens.zip(flat_ns).map(|(tokens, ns)| End { tokens, ns })
            }
            Self::Beyond { .. } => None,
        }
    }
}

/// Reads with this much work between them on this many threads, compared with one thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    pub backoff_tokens: u64,
    /// The work between reads, in nanoseconds.
    pub work_ns: f64,
    pub threads: u32,
    /// Time per operation on one thread, work included; null where it cannot be told from nothing.
    pub alone_ns: Option<Estimate>,
    /// On all of them.
    pub crowd_ns: Option<Estimate>,
    pub rise: Rise,
}

/// Whether more threads raise the time per operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rise {
    /// By no more than the tolerance.
    Flat,
    /// By more.
    Raised,
    /// The interval allows both.
    Unresolved,
}

/// Reads in a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Read {
    pub threads: u32,
    /// Time per read; null where it could not be had.
    pub latency_ns: Option<Estimate>,
    /// Where it cannot be told from nothing: it takes less than this.
    pub latency_below_ns: Option<f64>,
    /// Time until the value changes.
    pub step_ns: Option<Estimate>,
    /// Where that cannot be told from nothing.
    pub step_below_ns: Option<f64>,
}

/// More threads than CPUs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Oversubscribed {
    pub backoff_tokens: u64,
    pub threads: u32,
    pub time_ns: Estimate,
}

impl Conclusion {
    /// The point at which threads raise the time per operation by the largest factor, and that factor with the interval
    /// that those of both times allow; none where none is known.
    pub fn worst(&self) -> Option<(&Point, Estimate)> {
        let factor = |point: &'_ Point| {
            // How many times nothing something takes is no number.
            let (alone, crowd) = (point.alone_ns?, point.crowd_ns?);
            crowd.over(&alone)
        };
        let raised = self.points.iter().filter(|point| point.rise == Rise::Raised);
        raised.filter_map(|point| Some((point, factor(point)?))).max_by(|a, b| a.1.estimate.total_cmp(&b.1.estimate))
    }

    /// Each backoff that was tried, as bad as its worst number of threads.
    pub fn by_backoff(&self) -> Vec<(End, Rise)> {
        worst_by_backoff(&self.points)
    }

    /// Whether it is known not to scale at any backoff up to this one.
    pub fn is_raised_up_to(&self, tokens: u64) -> bool {
        worst_by_backoff(&self.points).iter().all(|(at, rise)| at.tokens > tokens || *rise == Rise::Raised)
    }

    /// Back-to-back reads on this many threads, compared with one; none for one thread, or if not measured.
    pub fn in_a_row(&self, threads: u32) -> Option<Rise> {
        self.points.iter().find(|point| (point.backoff_tokens, point.threads) == (0, threads)).map(|point| point.rise)
    }
}

/// The clock whose readers slow each other down the most; none where no clock's do.
pub fn slowed_most(conclusions: &[Conclusion]) -> Option<&Conclusion> {
    let factors = conclusions.iter().filter_map(|one| Some((one, one.worst()?.1.estimate)));
    factors.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(one, _)| one)
}

/// Each backoff, as bad as its worst number of threads.
pub fn worst_by_backoff(points: &[Point]) -> Vec<(End, Rise)> {
    let mut backoffs: Vec<(End, Rise)> = Vec::new();
    for point in points {
        match backoffs.last_mut() {
            Some((end, rise)) if end.tokens == point.backoff_tokens => *rise = worse(*rise, point.rise),
            _ => backoffs.push((End { tokens: point.backoff_tokens, ns: point.work_ns }, point.rise)),
        }
    }
    backoffs
}

fn worse(a: Rise, b: Rise) -> Rise {
    match (a, b) {
        (Rise::Raised, _) | (_, Rise::Raised) => Rise::Raised,
        (Rise::Unresolved, _) | (_, Rise::Unresolved) => Rise::Unresolved,
        (Rise::Flat, Rise::Flat) => Rise::Flat,
    }
}
