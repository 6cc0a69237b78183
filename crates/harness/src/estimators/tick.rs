//! The tick of a clock that was read at irregular times.

mod lattice;

use chronoscope_sources::Rate;
use serde::{Deserialize, Serialize};

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

    /// The tick, if it is not longer than the smallest step seen, which truncation makes shorter by up to a unit.
    pub fn hidden_ns(&self, granularity_ns: Option<f64>) -> Option<f64> {
        const TRUNCATED: f64 = 1.5;
        let period = self.period_ns.as_ref()?;
        Some(period.estimate).filter(|period| granularity_ns.is_none_or(|step| *period < TRUNCATED * step))
    }
}

/// The step in which a clock with this tick and granularity moves, if known: as observed, or as short as a read hides it.
pub fn moves_in_ns(tick: Option<&Tick>, granularity_ns: Option<f64>, is_latency: Option<bool>) -> Option<f64> {
    let observed_ns = granularity_ns.filter(|_| is_latency == Some(false));
    tick.and_then(|tick| tick.hidden_ns(granularity_ns)).or(observed_ns)
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
