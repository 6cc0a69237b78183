//! From where on threads that read a clock do not get in each other's way. Pure functions of the record.

use chronoscope_measure::record::study::{Cell, Estimate, StudyRecord};
use serde::Serialize;

use super::clock::ticks_of;
use super::grid::NOTHING;

/// What more threads may add to an operation without being called a rise, in percent of what it takes on one.
pub(crate) const TOLERANCE_PCT: f64 = 10.0;

/// What the record says of one clock.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Conclusion {
    pub(crate) clock: String,
    /// Up to so many threads, none of which shares a CPU with another.
    pub(crate) threads: u32,
    /// From where on reads scale.
    pub(crate) front: Front,
    /// With rising backoff, and at each with rising threads: all combinations that enter the front.
    pub(crate) points: Vec<Point>,
    /// Reads in a row and steps of the value, by number of threads.
    pub(crate) reads: Vec<Read>,
    /// Combinations with more threads than CPUs: they wait for a CPU, not for the clock, and tell nothing of a front.
    pub(crate) crowded: Vec<Crowded>,
}

/// From where on adding threads, up to the number of CPUs, does not raise the time per operation.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "scales")]
pub(crate) enum Front {
    /// At every backoff tried, of which the smallest is so much work.
    Everywhere { ns: f64 },
    /// From so much work between reads; at `raised` it does not yet.
    From { tokens: u64, ns: f64, raised_tokens: u64, raised_ns: f64 },
    /// Not even at the largest backoff tried.
    Beyond { tokens: u64, ns: f64 },
    /// The intervals allow more than one of these. Where it is known up to which backoff it does not, and from which it
    /// does, they stand here.
    Unresolved { raised_ns: Option<f64>, flat_ns: Option<f64> },
}

/// Reads between so much work on so many threads, beside the same on one thread.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Point {
    pub(crate) backoff_tokens: u64,
    /// The work between reads, in nanoseconds.
    pub(crate) work_ns: f64,
    pub(crate) threads: u32,
    /// Time per operation on one thread, work included; null where it cannot be told from nothing.
    pub(crate) alone_ns: Option<Estimate>,
    /// On all of them.
    pub(crate) crowd_ns: Option<Estimate>,
    pub(crate) rise: Rise,
}

/// Whether more threads raise the time per operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Rise {
    /// By no more than the tolerance.
    Flat,
    /// By more.
    Raised,
    /// The interval allows both.
    Unresolved,
}

/// Reads in a row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Read {
    pub(crate) threads: u32,
    /// Time per read; null where it could not be had.
    pub(crate) latency_ns: Option<Estimate>,
    /// Where it cannot be told from nothing: it takes less than this.
    pub(crate) latency_below_ns: Option<f64>,
    /// Time until the value changes.
    pub(crate) step_ns: Option<Estimate>,
    /// Where that cannot be told from nothing.
    pub(crate) step_below_ns: Option<f64>,
}

/// More threads than CPUs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Crowded {
    pub(crate) backoff_tokens: u64,
    pub(crate) threads: u32,
    pub(crate) time_ns: Estimate,
}

impl Conclusion {
    /// The largest factor by which threads raise the time per operation.
    pub(crate) fn worst_rise(&self) -> f64 {
        let raised = self.points.iter().filter(|point| point.rise == Rise::Raised);
        let factor = |point: &Point| Some(point.crowd_ns?.estimate / point.alone_ns?.estimate);
        raised.filter_map(factor).fold(1.0, f64::max)
    }
}

/// What the record says of each clock that it holds.
pub(crate) fn conclude(record: &StudyRecord) -> Vec<Conclusion> {
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
    let work_ns = |tokens: u64| record.tokens.as_ref().map_or(tokens as f64, |cost| cost.ns(tokens));
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
    Conclusion {
        clock: clock.to_owned(),
        threads: points.iter().map(|point| point.threads).max().unwrap_or(1),
        front: front(&points),
        crowded: crowded.collect(),
        reads: reads(record, clock, &cells),
        points,
    }
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

/// The front of `points`, which come with rising backoff.
fn front(points: &[Point]) -> Front {
    // Each backoff is as bad as its worst number of threads.
    let mut backoffs: Vec<(u64, f64, Rise)> = Vec::new();
    for point in points {
        match backoffs.last_mut() {
            Some((tokens, _, rise)) if *tokens == point.backoff_tokens => *rise = worse(*rise, point.rise),
            _ => backoffs.push((point.backoff_tokens, point.work_ns, point.rise)),
        }
    }
    let flat = backoffs.iter().rev().take_while(|(_, _, rise)| *rise == Rise::Flat).last();
    let raised = backoffs.iter().rev().find(|(_, _, rise)| *rise == Rise::Raised);
    let lowest_is_flat = backoffs.iter().all(|(_, _, rise)| *rise == Rise::Flat);
    match (flat, raised) {
        (Some((_, ns, _)), None) if lowest_is_flat => Front::Everywhere { ns: *ns },
        (Some((tokens, ns, _)), Some((raised_tokens, raised_ns, _))) => {
            Front::From { tokens: *tokens, ns: *ns, raised_tokens: *raised_tokens, raised_ns: *raised_ns }
        }
        (None, Some((tokens, ns, _))) if backoffs.last().is_some_and(|(_, _, rise)| *rise == Rise::Raised) => {
            Front::Beyond { tokens: *tokens, ns: *ns }
        }
        (flat, raised) => {
            Front::Unresolved { raised_ns: raised.map(|(_, ns, _)| *ns), flat_ns: flat.map(|(_, ns, _)| *ns) }
        }
    }
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
        assert_eq!(front(&points[3..]), Front::Everywhere { ns: 384.0 });
        assert_eq!(front(&points[..3]), Front::Beyond { tokens: 16, ns: 24.0 });
        assert_eq!(front(&[]), Front::Unresolved { raised_ns: None, flat_ns: None });
    }

    #[test]
    fn what_cannot_be_told_is_not_said() {
        let doubtful = [point(1, 2, Rise::Unresolved), point(16, 2, Rise::Flat)];
        assert_eq!(front(&doubtful), Front::Unresolved { raised_ns: None, flat_ns: Some(24.0) });
        let bracketed = [point(1, 2, Rise::Raised), point(16, 2, Rise::Unresolved), point(256, 2, Rise::Flat)];
        let expected = Front::From { tokens: 256, ns: 384.0, raised_tokens: 1, raised_ns: 1.5 };
        assert_eq!(front(&bracketed), expected, "the front lies between");
        let open = [point(1, 2, Rise::Raised), point(16, 2, Rise::Unresolved)];
        assert_eq!(front(&open), Front::Unresolved { raised_ns: Some(1.5), flat_ns: None });
    }

    #[test]
    fn a_dip_is_no_front() {
        // Flat, then raised again with more work: what counts is from where on it stays flat.
        let points = [point(1, 2, Rise::Flat), point(16, 2, Rise::Raised), point(256, 2, Rise::Flat)];
        let expected = Front::From { tokens: 256, ns: 384.0, raised_tokens: 16, raised_ns: 24.0 };
        assert_eq!(front(&points), expected);
    }

    proptest! {
        #[test]
        fn the_front_is_flat_from_there_on(rises in prop::collection::vec(0_u8..3, 0..12)) {
            let rise_of = |number: u8| [Rise::Flat, Rise::Raised, Rise::Unresolved][usize::from(number)];
            let points: Vec<Point> =
                rises.iter().enumerate().map(|(power, rise)| point(1 << power, 2, rise_of(*rise))).collect();
            if let Front::From { tokens, raised_tokens, .. } = front(&points) {
                prop_assert!(raised_tokens < tokens);
                prop_assert!(points.iter().all(|point| point.backoff_tokens < tokens || point.rise == Rise::Flat));
            }
        }
    }
}
