use chronoscope_clock::Rate;

use super::lattice::search;
use crate::sections::clocks::report::Tick;
use chronoscope_harness::record::study::Estimate;
use chronoscope_harness::stats::CONFIDENCE;

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
