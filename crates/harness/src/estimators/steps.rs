//! The smallest step of a clock that was read until it changed.

use chronoscope_sources::Rate;
use serde::{Deserialize, Serialize};

use crate::record::Histogram;
use crate::stats::Distribution;

/// Fewer changes of a clock do not tell its steps.
pub const FEWEST_CHANGES: u64 = 5;

/// Changes of one clock, in its own ticks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Steps {
    /// Differences between a reading and its predecessor; negative where the clock stepped back.
    pub changes: Vec<i64>,
    /// Reads made.
    pub reads: u64,
    /// Reads that returned the same value as the previous read.
    pub unchanged: u64,
    /// How these reads lay together; None if that was not observed.
    #[serde(default)]
    pub stretches: Option<Stretches>,
}

/// Stretches of consecutive reads that returned the same value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretches {
    /// Their number.
    pub count: u64,
    /// Reads in the longest, beyond the first that returned its value.
    pub longest: u64,
}

/// Observations from reading a clock until it changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Granularity {
    /// Changes observed.
    pub steps: u64,
    /// Reads made.
    pub reads: u64,
    /// Share of consecutive reads that returned the same value.
    pub zero_share: f64,
    /// Share of steps that followed a read with an equal value: nearly all of a clock that moves in steps longer than a read.
    /// Absent where that was not observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_equal_share: Option<f64>,
    /// Reads in the longest stretch that returned one value, beyond the first. Absent where that was not observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest_equal_reads: Option<u64>,
    /// The largest step of which every observed step is a multiple, if there is one above the clock's unit.
    pub quantum_ns: Option<f64>,
    /// Median step.
    pub step_ns_p50: f64,
    /// Steps to a smaller value; no clock should make any.
    pub backward_steps: u64,
    /// The largest of them.
    pub worst_backward_ns: f64,
    /// Steps, excluding zero and backward ones.
    pub histogram: Histogram,
}

impl Granularity {
    /// Whether values are read several times.
    pub fn repeats(&self) -> bool {
        self.zero_share >= MOST_EQUAL_READS
    }
}

/// A step counts as the latency of the read only if at most this share of consecutive reads is equal.
const MOST_EQUAL_READS: f64 = 0.1;

/// The share of equal reads, or of steps longer than the smallest, that shows a tick if all steps are multiples of one.
const LATTICE_EVIDENCE: f64 = 0.01;

/// The smallest observed step of a clock, and its meaning.
#[derive(Clone, Debug, PartialEq)]
pub struct GranularityEstimate {
    /// The step.
    pub step_ns: f64,
    /// Whether the step is merely the latency of the read.
    pub is_latency: bool,
    /// The observation behind it.
    pub observed: Granularity,
}

impl GranularityEstimate {
    /// The step, and whether it is merely the latency of the read. None where each of a few changes may have been as long as the process was
    /// stopped.
    pub fn told(&self) -> Option<(f64, bool)> {
        let is_told = self.is_latency || self.observed.steps >= FEWEST_CHANGES;
        is_told.then_some((self.step_ns, self.is_latency))
    }
}

/// Interprets `steps` of a clock with ticks of `rate`. None if the clock was never observed to advance.
///
/// A step is the read's latency rather than the clock's tick if hardly any two consecutive reads were equal, or if the equal
/// ones form a few long runs: such a clock advances, and stalled for a while. It is still the tick if all steps are
/// multiples of one that is at least half the granularity, and more than a stray few were different multiples, or reads were
/// equal; or if most steps are one unit of the clock, and reads were equal.
pub fn granularity(steps: &Steps, rate: Rate) -> Option<GranularityEstimate> {
    let forward: Vec<u64> =
        steps.changes.iter().filter(|change| **change > 0).map(|change| change.unsigned_abs()).collect();
    let least = *forward.iter().min()?;
    let ns = |ticks: u64| rate.ns_of_mean(ticks as f64);
    let quantum = forward.iter().fold(0, |a, b| gcd(a, *b));
    let distribution = Distribution::of(forward.iter().map(|ticks| ns(*ticks)).collect());
    let zero_share = steps.unchanged as f64 / steps.reads.max(1) as f64;
    let longer_share = distribution.share(|ns| ns > distribution.minimum().unwrap_or(0.0));
    let after_equal_share = steps.stretches.map(|seen| seen.count as f64 / forward.len() as f64);
    let hardly_any_equal =
        zero_share < MOST_EQUAL_READS || after_equal_share.is_some_and(|share| share < MOST_EQUAL_READS);
    let is_equal_often = after_equal_share.unwrap_or(zero_share) >= LATTICE_EVIDENCE;
    let on_a_lattice =
        quantum > 1 && quantum.saturating_mul(2) >= least && (is_equal_often || longer_share >= LATTICE_EVIDENCE);
    // A clock whose unit is about as long as a read: most steps are one unit, and none is shorter.
    let in_units = least == 1 && is_equal_often && distribution.quantile(0.5) == Some(ns(1));
    let backward = steps.changes.iter().filter(|change| **change < 0);
    Some(GranularityEstimate {
        step_ns: ns(least),
        is_latency: hardly_any_equal && !on_a_lattice && !in_units,
        observed: Granularity {
            steps: forward.len() as u64,
            reads: steps.reads,
            zero_share,
            after_equal_share,
            longest_equal_reads: steps.stretches.map(|seen| seen.longest),
            quantum_ns: (quantum > 1).then(|| ns(quantum)),
            step_ns_p50: distribution.quantile(0.5)?,
            backward_steps: backward.clone().count() as u64,
            worst_backward_ns: backward.map(|change| ns(change.unsigned_abs())).fold(0.0, f64::max),
            histogram: distribution.histogram(),
        },
    })
}

/// The step in which a clock moves, if longer than a read; else 0.
pub fn step_ns(steps: &Steps, rate: Rate) -> f64 {
    granularity(steps, rate).filter(|found| !found.is_latency).map_or(0.0, |found| found.step_ns)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_back_is_counted_and_not_hidden() {
        let steps = Steps { changes: vec![10, 10, -700], reads: 3, ..Steps::default() };
        let found = granularity(&steps, Rate::NANOSECONDS).unwrap();
        assert_eq!((found.observed.backward_steps, found.observed.worst_backward_ns), (1, 700.0));
    }

    /// Reads in 46 ns, with `count` stretches in which the clock stalled for so many reads.
    fn stood_still(count: u64, reads: u64) -> GranularityEstimate {
        let steps = Steps {
            changes: vec![46; 4_000],
            reads: 4_000 + count * reads,
            unchanged: count * reads,
            stretches: Some(Stretches { count, longest: reads }),
        };
        granularity(&steps, Rate::NANOSECONDS).unwrap()
    }

    #[test]
    fn a_clock_that_moves_and_stood_still_for_a_while_has_no_step() {
        assert!(stood_still(1, 6_000).is_latency && stood_still(30, 6_000).is_latency);
        assert!(!stood_still(3_990, 10).is_latency, "it stalls after every step");
    }

    /// PHP's `getrusage`, in microseconds: a read takes 0.8 µs.
    #[test]
    fn a_clock_whose_unit_is_about_a_read_moves_in_units() {
        let found = |changes: Vec<i64>, stretches| {
            let steps = Steps { changes, reads: 2_218, unchanged: 209, stretches };
            granularity(&steps, Rate::from_hz(1_000_000).unwrap()).unwrap()
        };
        let mostly = |units: i64| [vec![1; 20], vec![units; 1_980]].concat();
        let seen = found(mostly(1), None);
        assert_eq!((seen.step_ns, seen.is_latency), (1_000.0, false));
        assert!(!found(mostly(1), Some(Stretches { count: 200, longest: 1 })).is_latency);
        assert!(found(mostly(1), Some(Stretches { count: 2, longest: 200 })).is_latency, "it stood still for a while");
        assert!(found([mostly(7), vec![8; 20]].concat(), None).is_latency, "reads of 7 units");
    }

    /// A clock with ticks of 4 ms, in a process that is stopped for 60 ms again and again.
    #[test]
    fn a_step_from_few_changes_is_not_told() {
        let stopped = |changes: &[i64]| {
            let steps = Steps { changes: changes.to_vec(), reads: 400_000, unchanged: 399_990, stretches: None };
            granularity(&steps, Rate::NANOSECONDS).unwrap().told()
        };
        assert_eq!(stopped(&[60_000_000, 60_000_000]), None);
        assert_eq!(stopped(&[60_000_000, 4_000_000, 4_000_000, 60_000_000, 4_000_000]), Some((4_000_000.0, false)));
    }

    #[test]
    fn a_clock_that_stands_still_has_no_granularity() {
        let steps = Steps { changes: Vec::new(), reads: 1000, unchanged: 1000, stretches: None };
        assert_eq!(granularity(&steps, Rate::NANOSECONDS), None);
    }
}
