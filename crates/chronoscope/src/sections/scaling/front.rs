//! From how much work between reads threads that read a clock do not get in each other's way. Pure functions of the record:
//! sentences, tables and charts take every judgement from here.

use chronoscope_harness::finding::Finding;
use chronoscope_harness::record::study::{Cell, Estimate, StudyRecord};
use chronoscope_harness::rule::in_order;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::clock::ticks_of;
use super::grid::NOTHING;
use super::rules::RULES;

/// What more threads may add to an operation without being called a rise, in percent of what it takes on one.
pub const TOLERANCE_PCT: f64 = 10.0;

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
    pub crowded: Vec<Crowded>,
    /// What follows, in words.
    pub findings: Vec<Finding>,
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

/// Reads between so much work on so many threads, beside the same on one thread.
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
pub struct Crowded {
    pub backoff_tokens: u64,
    pub threads: u32,
    pub time_ns: Estimate,
}

impl Conclusion {
    /// The largest factor by which threads raise the time per operation; 1 where none is known.
    pub fn worst_rise(&self) -> f64 {
        self.worst().map_or(1.0, |(_, worst)| worst.estimate.max(1.0))
    }

    /// The point at which that is, and the factor there with the interval that those of both times allow; none where none
    /// is known.
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

    /// The reads back to back on so many threads, beside one; none for one thread, or where they were not measured.
    pub fn in_a_row(&self, threads: u32) -> Option<Rise> {
        self.points.iter().find(|point| (point.backoff_tokens, point.threads) == (0, threads)).map(|point| point.rise)
    }
}

/// What the record says of each clock that it holds.
pub fn conclude(record: &StudyRecord) -> Vec<Conclusion> {
    let mut clocks: Vec<&str> = Vec::new();
    for cell in &record.cells {
        let is_clock = cell.case != NOTHING && !cell.case.starts_with(&ticks_of(""));
        if is_clock && !clocks.contains(&cell.case.as_str()) {
            clocks.push(&cell.case);
        }
    }
    clocks.into_iter().map(|clock| of_clock(record, clock)).collect()
}

fn of_clock(record: &StudyRecord, clock: &str) -> Conclusion {
    let mut cells: Vec<&Cell> = record.cells.iter().filter(|cell| cell.case == clock).collect();
    cells.sort_by_key(|cell| (cell.backoff_tokens, cell.threads));
    // A later pass may have measured one again: of a combination there is one cell, the one that tables show.
    cells.dedup_by_key(|cell| (cell.backoff_tokens, cell.threads));
    let work_ns = |tokens: u64| work_ns(record, tokens);
    let points: Vec<Point> = cells
        .iter()
        .filter(|cell| cell.threads > 1 && !cell.oversubscribed)
        .filter_map(|crowd| {
            let alone = cells.iter().find(|cell| cell.threads == 1 && cell.backoff_tokens == crowd.backoff_tokens)?;
            let tokens = crowd.backoff_tokens;
            let (alone_ns, crowd_ns) = (alone.time_ns, crowd.time_ns);
            let own = difference(record, clock, tokens, 1).zip(difference(record, clock, tokens, crowd.threads));
            // What could not be had was tried all the same, and is not left out of the front.
            let rise = alone_ns.zip(crowd_ns).map_or(Rise::Unresolved, |(alone, crowd)| rise(alone, crowd, own));
            let (work_ns, threads) = (work_ns(tokens), crowd.threads);
            Some(Point { backoff_tokens: tokens, work_ns, threads, alone_ns, crowd_ns, rise })
        })
        .collect();
    let crowded = cells.iter().filter(|cell| cell.oversubscribed).filter_map(|cell| {
        Some(Crowded { backoff_tokens: cell.backoff_tokens, threads: cell.threads, time_ns: cell.time_ns? })
    });
    let mut conclusion = Conclusion {
        clock: clock.to_owned(),
        threads: points.iter().map(|point| point.threads).max().unwrap_or(1),
        front: front(&points),
        crowded: crowded.collect(),
        reads: reads(record, clock, &cells),
        points,
        findings: Vec::new(),
    };
    conclusion.findings = in_order(RULES, &conclusion);
    conclusion
}

/// How long so many tokens take: as the work alone was measured between the clocks, else as the tokens were calibrated.
fn work_ns(record: &StudyRecord, tokens: u64) -> f64 {
    if tokens == 0 {
        return 0.0;
    }
    let is_work = |cell: &&Cell| cell.case == NOTHING && cell.threads == 1 && cell.backoff_tokens == tokens;
    let measured = record.cells.iter().find(is_work).and_then(|cell| cell.time_ns).filter(|time| time.low > 0.0);
    measured
        .map(|time| time.estimate)
        .unwrap_or_else(|| record.tokens.as_ref().map_or(tokens as f64, |cost| cost.ns(tokens as f64)))
}

/// What the clock adds to the work alone, from pairs of the same round.
fn difference(record: &StudyRecord, clock: &str, tokens: u64, threads: u32) -> Option<Estimate> {
    let of_clock = record.comparisons.iter().filter(|comparison| {
        comparison.case == clock && comparison.baseline == NOTHING && comparison.threads == threads
    });
    let mut points = of_clock.flat_map(|comparison| &comparison.points);
    points.find(|point| point.backoff_tokens == tokens).map(|point| point.difference_ns)
}

/// Whether the operation takes more on many threads than on one, by more than [`TOLERANCE_PCT`] of what it takes on one.
///
/// Where the clock was compared with the work alone on both, what it adds there is compared, so that a core which two CPUs
/// share and which slows the work itself down is not taken for contention.
fn rise(alone_ns: Estimate, crowd_ns: Estimate, own: Option<(Estimate, Estimate)>) -> Rise {
    let tolerated_ns = alone_ns.estimate * TOLERANCE_PCT / 100.0;
    let (alone, crowd) = own.unwrap_or((alone_ns, crowd_ns));
    let known = alone.confidence > 0.0 && crowd.confidence > 0.0;
    if known && crowd.low - alone.high > tolerated_ns {
        Rise::Raised
    } else if known && crowd.high - alone.low <= tolerated_ns {
        Rise::Flat
    } else {
        Rise::Unresolved
    }
}

/// What is known of the front from `points`, which come with rising backoff.
fn front(points: &[Point]) -> Front {
    let backoffs = worst_by_backoff(points);
    let flat = backoffs.iter().rev().take_while(|(_, rise)| *rise == Rise::Flat).last().map(|(end, _)| *end);
    let raised = backoffs.iter().rev().find(|(_, rise)| *rise == Rise::Raised).map(|(end, _)| *end);
    let all_are_flat = backoffs.iter().all(|(_, rise)| *rise == Rise::Flat);
    match (flat, raised) {
        (Some(End { tokens, ns }), None) if all_are_flat => Front::Everywhere { tokens, ns },
        (Some(flat), Some(raised)) => {
            Front::From { tokens: flat.tokens, ns: flat.ns, raised_tokens: raised.tokens, raised_ns: raised.ns }
        }
        (None, Some(End { tokens, ns })) if backoffs.last().is_some_and(|(_, rise)| *rise == Rise::Raised) => {
            Front::Beyond { tokens, ns }
        }
        (flat, raised) => Front::Unresolved {
            raised_tokens: raised.map(|end| end.tokens),
            raised_ns: raised.map(|end| end.ns),
            flat_tokens: flat.map(|end| end.tokens),
            flat_ns: flat.map(|end| end.ns),
        },
    }
}

/// Each backoff, as bad as its worst number of threads.
fn worst_by_backoff(points: &[Point]) -> Vec<(End, Rise)> {
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

fn reads(record: &StudyRecord, clock: &str, cells: &[&Cell]) -> Vec<Read> {
    let ticks = ticks_of(clock);
    let step = |threads: u32| {
        let mut steps = record.cells.iter().filter(|cell| cell.case == ticks && cell.threads == threads);
        steps.find(|cell| cell.backoff_tokens == 0)
    };
    let in_a_row = cells.iter().filter(|cell| cell.backoff_tokens == 0 && !cell.oversubscribed);
    in_a_row
        .map(|cell| {
            let step = step(cell.threads);
            Read {
                threads: cell.threads,
                latency_ns: cell.time_ns,
                latency_below_ns: cell.below_ns,
                step_ns: step.and_then(|step| step.time_ns),
                step_below_ns: step.and_then(|step| step.below_ns),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn about(estimate: f64, half: f64) -> Estimate {
        Estimate { estimate, low: estimate - half, high: estimate + half, confidence: 0.999 }
    }

    fn point(tokens: u64, threads: u32, rise: Rise) -> Point {
        let ns = tokens as f64 * 1.5;
        Point {
            backoff_tokens: tokens,
            work_ns: ns,
            threads,
            alone_ns: Some(about(ns + 10.0, 1.0)),
            crowd_ns: Some(about(ns + 30.0, 1.0)),
            rise,
        }
    }

    fn open(raised: Option<(u64, f64)>, flat: Option<(u64, f64)>) -> Front {
        Front::Unresolved {
            raised_tokens: raised.map(|end| end.0),
            raised_ns: raised.map(|end| end.1),
            flat_tokens: flat.map(|end| end.0),
            flat_ns: flat.map(|end| end.1),
        }
    }

    #[test]
    fn a_rise_must_be_beyond_the_tolerance_and_the_intervals() {
        assert_eq!(rise(about(100.0, 1.0), about(105.0, 1.0), None), Rise::Flat);
        assert_eq!(rise(about(100.0, 1.0), about(150.0, 1.0), None), Rise::Raised);
        assert_eq!(rise(about(100.0, 1.0), about(111.0, 5.0), None), Rise::Unresolved);
        assert_eq!(rise(about(100.0, 1.0), about(50.0, 1.0), None), Rise::Flat);
        let lone = Estimate { confidence: 0.0, ..about(500.0, 0.0) };
        assert_eq!(rise(about(100.0, 1.0), lone, None), Rise::Unresolved, "one process decides nothing");
    }

    #[test]
    fn work_that_slows_down_by_itself_is_no_contention() {
        let (alone, crowd) = (about(100.0, 1.0), about(150.0, 1.0));
        let own = Some((about(20.0, 0.5), about(21.0, 0.5)));
        assert_eq!(rise(alone, crowd, own), Rise::Flat);
        assert_eq!(rise(alone, crowd, Some((about(20.0, 0.5), about(70.0, 0.5)))), Rise::Raised);
    }

    #[test]
    fn the_front_is_the_smallest_backoff_from_which_all_is_flat() {
        let points = [
            point(1, 2, Rise::Raised),
            point(16, 2, Rise::Flat),
            point(16, 4, Rise::Raised),
            point(256, 2, Rise::Flat),
            point(256, 4, Rise::Flat),
            point(4096, 2, Rise::Flat),
        ];
        let expected = Front::From { tokens: 256, ns: 384.0, raised_tokens: 16, raised_ns: 24.0 };
        assert_eq!(front(&points), expected);
        assert_eq!(front(&points[3..]), Front::Everywhere { tokens: 256, ns: 384.0 });
        assert_eq!(front(&points[..3]), Front::Beyond { tokens: 16, ns: 24.0 });
        assert_eq!(front(&[]), open(None, None));
    }

    #[test]
    fn what_cannot_be_told_is_not_said() {
        let doubtful = [point(1, 2, Rise::Unresolved), point(16, 2, Rise::Flat)];
        assert_eq!(front(&doubtful), open(None, Some((16, 24.0))));
        let bracketed = [point(1, 2, Rise::Raised), point(16, 2, Rise::Unresolved), point(256, 2, Rise::Flat)];
        let expected = Front::From { tokens: 256, ns: 384.0, raised_tokens: 1, raised_ns: 1.5 };
        assert_eq!(front(&bracketed), expected, "the front lies between");
        let unbounded = [point(1, 2, Rise::Raised), point(16, 2, Rise::Unresolved)];
        assert_eq!(front(&unbounded), open(Some((1, 1.5)), None));
    }

    #[test]
    fn a_dip_is_no_front() {
        // Flat, then raised again with more work: what counts is from where on it stays flat.
        let points = [point(1, 2, Rise::Flat), point(16, 2, Rise::Raised), point(256, 2, Rise::Flat)];
        let expected = Front::From { tokens: 256, ns: 384.0, raised_tokens: 16, raised_ns: 24.0 };
        assert_eq!(front(&points), expected);
    }

    #[test]
    fn how_many_times_nothing_an_operation_takes_is_no_rise() {
        let conclusion = |low: f64| Conclusion {
            clock: "a".to_owned(),
            threads: 2,
            front: open(None, None),
            points: vec![Point {
                alone_ns: Some(Estimate { estimate: 1e-3, low, high: 2.0, confidence: 0.999 }),
                crowd_ns: Some(about(1400.0, 1.0)),
                ..point(1, 2, Rise::Raised)
            }],
            reads: Vec::new(),
            crowded: Vec::new(),
            findings: Vec::new(),
        };
        assert_eq!(conclusion(0.0).worst_rise(), 1.0);
        assert!(conclusion(1e-4).worst_rise() > 1e6);
    }

    proptest! {
        #[test]
        fn the_front_is_flat_from_there_on(rises in prop::collection::vec(0_u8..3, 0..12)) {
            let rise_of = |number: u8| [Rise::Flat, Rise::Raised, Rise::Unresolved][usize::from(number)];
            let points: Vec<Point> =
                rises.iter().enumerate().map(|(power, rise)| point(1 << power, 2, rise_of(*rise))).collect();
            let found = front(&points);
            let rise_at = |end: End| points.iter().find(|point| point.backoff_tokens == end.tokens).map(|point| point.rise);
            prop_assert!(found.low().is_none_or(|low| rise_at(low) == Some(Rise::Raised)));
            prop_assert!(found.low().zip(found.high()).is_none_or(|(low, high)| low.tokens < high.tokens));
            let is_flat_from = |high: End| {
                points.iter().all(|point| point.backoff_tokens < high.tokens || point.rise == Rise::Flat)
            };
            prop_assert!(found.high().is_none_or(is_flat_from));
            let all_are_flat = !points.is_empty() && points.iter().all(|point| point.rise == Rise::Flat);
            prop_assert_eq!(matches!(found, Front::Everywhere { .. }), all_are_flat);
        }
    }
}
