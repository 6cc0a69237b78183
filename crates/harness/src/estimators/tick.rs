//! The tick of a clock that was read at irregular times.

mod lattice;

use chronoscope_sources::Rate;
use serde::{Deserialize, Serialize};

use super::steps::Granularity;
use crate::record::Estimate;
use crate::stats::CONFIDENCE;
use lattice::search;

/// Readings of a clock to take.
pub const READINGS: usize = 2_000;
/// The longest work between two of them, about. It bounds the ticks that can be found, not the reads behind which they can be.
pub const SPREAD_NS: u64 = 10_000;

/// A search for the tick of a clock in readings that were taken at irregular times: they share a phase at its frequency.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tick {
    /// Readings taken.
    pub readings: u64,
    /// The longest period on whose multiples the readings lie, up to truncation to the clock's unit; null if there is none. It may be
    /// longer than the bound, but is not always found then.
    pub period_ns: Option<Estimate>,
    /// How much of a phase the readings share, of what truncation leaves of it; at least 0.85.
    pub coherence: Option<f64>,
    /// The share of readings within a unit of the clock of a multiple of the period.
    pub share: Option<f64>,
    /// The shortest period that these readings could show; null if they show none.
    pub shortest_ns: Option<f64>,
    /// The longest.
    pub longest_ns: Option<f64>,
}

impl Tick {
    /// Whether all readings lie on the lattice.
    pub fn holds_all(&self) -> bool {
        self.share.is_some_and(|share| share >= 1.0)
    }

    /// Whether the readings could have shown a tick.
    pub fn was_looked_for(&self) -> bool {
        self.longest_ns.is_some()
    }
}

/// In which steps a clock moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Step {
    /// In ticks: its readings lie on their multiples.
    Tick {
        /// The tick.
        ns: f64,
        /// Whether a read hides it, so that no two readings show it; null where the clock was not read until it moved.
        is_hidden: Option<bool>,
    },
    /// In steps longer than a read: the smallest that two readings showed.
    Seen {
        /// The step.
        ns: f64,
    },
    /// In no steps coarser than a read, as far as that shows: no longer one was seen.
    WithinARead {
        /// The smallest difference of two readings.
        ns: f64,
    },
}

impl Step {
    /// What follows from the evidence; None where it tells nothing. `smallest` is the smallest step seen and whether it is that of a read.
    ///
    /// It is the tick on whose multiples readings lie; but where values are read several times, as long as they last, since a clock need
    /// not show every tick of its counter. Otherwise the smallest difference of two readings is no step: it may be several ticks, or a
    /// count that the counter adds where two reads would be equal.
    pub fn of(tick: Option<&Tick>, smallest: Option<(f64, bool)>, seen: Option<&Granularity>) -> Option<Self> {
        let period = tick.and_then(|tick| tick.period_ns).map(|period| period.estimate);
        let is_hidden = smallest.map(|(_, is_latency)| is_latency);
        let tick = |ns| Some(Self::Tick { ns, is_hidden });
        match (smallest, period) {
            (Some((ns, false)), Some(period)) if is_truncated(ns, period) => tick(period),
            (Some((ns, false)), Some(period)) if period < ns && seen.is_some_and(|seen| !seen.repeats()) => {
                tick(period)
            }
            (Some((ns, false)), _) => Some(Self::Seen { ns }),
            (_, Some(period)) => tick(period),
            (Some((ns, true)), None) => Some(Self::WithinARead { ns }),
            (None, None) => None,
        }
    }

    /// The step in which the clock moves; None where it is only known to be no coarser than a read.
    pub const fn moves_in_ns(self) -> Option<f64> {
        match self {
            Self::Tick { ns, .. } | Self::Seen { ns } => Some(ns),
            Self::WithinARead { .. } => None,
        }
    }

    /// Whether a read hides it; None where that is not known.
    pub const fn is_hidden(self) -> Option<bool> {
        match self {
            Self::Tick { is_hidden, .. } => is_hidden,
            Self::Seen { .. } => Some(false),
            Self::WithinARead { .. } => Some(true),
        }
    }

    /// The step in which the clock moves, if longer than a read takes, which two readings show.
    pub fn shown_ns(self, read_ns: Option<f64>) -> Option<f64> {
        let is_shown = |step_ns: &f64| read_ns.map_or(self.is_hidden() == Some(false), |read_ns| *step_ns > read_ns);
        self.moves_in_ns().filter(is_shown)
    }
}

/// Whether a step may be this tick in whole units of the clock.
fn is_truncated(step_ns: f64, tick_ns: f64) -> bool {
    const TRUNCATED: f64 = 1.5;
    (1.0 / TRUNCATED..TRUNCATED).contains(&(tick_ns / step_ns))
}

/// The tick behind `readings` of a clock with ticks of `rate`, which were taken at irregular times.
pub fn tick(readings: &[u64], rate: Rate) -> Tick {
    let ns = |units: f64| rate.ns_of_mean(units);
    let seen = search(readings);
    Tick {
        readings: readings.len() as u64,
        period_ns: seen.found.map(|found| Estimate {
            estimate: ns(found.period),
            low: ns(found.period - found.half_width),
            high: ns(found.period + found.half_width),
            confidence: CONFIDENCE,
        }),
        coherence: seen.found.map(|found| found.coherence),
        share: seen.found.map(|found| found.share),
        shortest_ns: seen.bounds.map(|(shortest, _)| ns(shortest)),
        longest_ns: seen.bounds.map(|(_, longest)| ns(longest)),
    }
}

/// The readings that differ so from one to the next, from any first one.
pub fn readings(changes: &[i64]) -> Vec<u64> {
    let mut now = 0_u64;
    std::iter::once(0)
        .chain(changes.iter().map(|change| {
            now = now.wrapping_add_signed(*change);
            now
        }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimators::steps::{Steps, granularity};

    /// By the smallest step, whether that is of a read, the share of equal reads, and the tick.
    fn moves(step_ns: f64, is_latency: bool, zero_share: f64, tick_ns: Option<f64>) -> Option<f64> {
        let steps =
            Steps { changes: vec![1; 10], reads: 1_000, unchanged: (1_000.0 * zero_share) as u64, stretches: None };
        let seen = granularity(&steps, Rate::NANOSECONDS).unwrap().observed;
        let tick = Tick { period_ns: tick_ns.map(Estimate::without_interval), ..Tick::default() };
        Step::of(Some(&tick), Some((step_ns, is_latency)), Some(&seen))?.moves_in_ns()
    }

    #[test]
    fn a_clock_moves_in_its_own_steps_and_not_in_those_of_its_counter() {
        assert_eq!(moves(1_001.0, false, 0.99, Some(10.0149)), Some(1_001.0));
        assert_eq!(moves(100.0, false, 0.5, None), Some(100.0));
    }

    #[test]
    fn a_counter_that_adds_one_where_two_reads_would_be_equal_still_ticks() {
        assert_eq!(moves(0.385, true, 0.0, Some(10.0149)), Some(10.0149));
    }

    #[test]
    fn a_truncated_step_is_that_of_the_tick() {
        assert_eq!(moves(41.0, false, 0.5, Some(41.6667)), Some(41.6667));
        assert_eq!(moves(16.0, false, 0.0, Some(8.0)), Some(8.0), "a read takes two ticks");
        assert_eq!(moves(558.0, true, 0.0, Some(279.365)), Some(279.365));
        assert_eq!(moves(23.0, true, 0.0, None), None);
    }

    #[test]
    fn each_kind_of_step_follows_from_its_evidence() {
        let tick = Tick { period_ns: Some(Estimate::without_interval(10.0)), ..Tick::default() };
        let none = Tick::default();
        let of = |tick, smallest| Step::of(Some(tick), smallest, None);
        let hidden = of(&tick, Some((0.385, true))).unwrap();
        assert_eq!(hidden, Step::Tick { ns: 10.0, is_hidden: Some(true) });
        assert_eq!(
            (hidden.shown_ns(None), hidden.shown_ns(Some(20.0)), hidden.shown_ns(Some(5.0))),
            (None, None, Some(10.0))
        );
        assert_eq!(of(&tick, None), Some(Step::Tick { ns: 10.0, is_hidden: None }));
        let seen = of(&none, Some((100.0, false))).unwrap();
        assert_eq!((seen, seen.shown_ns(None)), (Step::Seen { ns: 100.0 }, Some(100.0)));
        let within = of(&none, Some((23.0, true))).unwrap();
        assert_eq!(
            (within, within.moves_in_ns(), within.is_hidden()),
            (Step::WithinARead { ns: 23.0 }, None, Some(true))
        );
        assert_eq!(of(&none, None), None);
        for step in [hidden, seen, within] {
            assert_eq!(serde_json::from_str::<Step>(&serde_json::to_string(&step).unwrap()).unwrap(), step);
        }
    }
}
