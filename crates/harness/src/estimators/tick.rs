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

/// The step in which a clock moves, if known: the tick on whose multiples its readings lie; but where values are read several times, as
/// long as they last, since a clock need not show every tick of its counter. `step` is the smallest seen and whether it is that of a read.
///
/// Otherwise the smallest difference of two readings is none: it may be several ticks, or a count that the counter adds where two reads
/// would be equal.
pub fn moves_in_ns(tick: Option<&Tick>, step: Option<(f64, bool)>, seen: Option<&Granularity>) -> Option<f64> {
    let period_ns = tick.and_then(|tick| tick.period_ns).map(|period| period.estimate);
    let step_ns = step.filter(|(_, is_latency)| !is_latency).map(|(step_ns, _)| step_ns);
    match (step_ns, period_ns) {
        (Some(step), Some(period)) if is_truncated(step, period) => Some(period),
        (Some(step), Some(period)) if seen.is_some_and(|seen| !seen.repeats()) => Some(period.min(step)),
        (step, period) => step.or(period),
    }
}

/// The step of a clock that [`moves_in_ns`], if longer than a read takes, which two readings show.
pub fn shown_step_ns(moves_in_ns: Option<f64>, read_ns: Option<f64>, is_latency: Option<bool>) -> Option<f64> {
    moves_in_ns.filter(|step_ns| read_ns.map_or(is_latency == Some(false), |read_ns| *step_ns > read_ns))
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
        moves_in_ns(Some(&tick), Some((step_ns, is_latency)), Some(&seen))
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
}
