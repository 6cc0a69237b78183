//! The actual length of pauses.

use serde::{Deserialize, Serialize};

use crate::record::{Estimate, Histogram};
use crate::stats::{CONFIDENCE, Distribution, median_interval};

/// The actual length of pauses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pauses {
    /// Every method tried, at every length.
    pub methods: Vec<PauseFigures>,
    /// Methods that could not be tried.
    pub unavailable: Vec<PauseUnavailable>,
    /// Rounds, each in its own process, in which methods and lengths take turns.
    pub rounds: u64,
}

impl Pauses {
    /// The lengths tried, ascending.
    pub fn lengths_ns(&self) -> Vec<u64> {
        let mut lengths: Vec<u64> = self.methods.iter().map(|method| method.requested_ns).collect();
        lengths.sort_unstable();
        lengths.dedup();
        lengths
    }
}

/// Durations of pauses of one method and length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PauseFigures {
    /// The method's name.
    pub name: String,
    /// The requested length.
    pub requested_ns: u64,
    /// Number of pauses.
    pub samples: u64,
    /// The mean over all.
    pub mean_ns: f64,
    /// The median: over rounds, of each round's median.
    pub p50_ns: Estimate,
    /// The 99th percentile over all; of fewer than a hundred it is the longest, and means no more.
    pub p99_ns: f64,
    /// The 99.9th percentile over all; null for fewer than a thousand.
    pub p999_ns: Option<f64>,
    /// How long they took, in at most 24 bins; empty in documents of builds that did not keep it.
    #[serde(default)]
    pub histogram: Histogram,
    /// The longest minus the requested length.
    pub max_over_ns: f64,
    /// The thread's share of a CPU over consecutive pauses; 0 if unknown.
    pub cpu_share: f64,
    /// Pauses that ended early according to the clock they use; must be none.
    pub early: u64,
    /// Involuntary context switches of the thread: to one preferred by the kernel, or one that a yield gave way to.
    /// Null where they are not counted.
    pub preempted: Option<u64>,
}

impl PauseFigures {
    /// By how much the median pause exceeded the requested length.
    pub fn late_p50_ns(&self) -> f64 {
        self.p50_ns.estimate - self.requested_ns as f64
    }

    /// The 99th percentile; None for fewer than [`FEWEST_FOR_P99`] pauses, of which it is the longest.
    pub fn p99_ns(&self) -> Option<f64> {
        (self.samples >= FEWEST_FOR_P99).then_some(self.p99_ns)
    }

    /// The requested length as a share of the mean, in percent: 90 where a pause of 1 µs takes 1.11. None without a mean.
    pub fn accuracy_pct(&self) -> Option<f64> {
        (self.mean_ns > 0.0).then(|| 100.0 * self.requested_ns as f64 / self.mean_ns)
    }

    /// The CPU time of one pause; None if unknown.
    pub fn cpu_ns(&self) -> Option<f64> {
        let ns = self.cpu_share * self.mean_ns;
        (ns > 0.0).then_some(ns)
    }
}

/// A method that could not be tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PauseUnavailable {
    /// The method's name.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// Bins of a histogram, at most.
const BINS: usize = 24;
/// With fewer pauses there is no 99th percentile.
pub const FEWEST_FOR_P99: u64 = 100;
/// With fewer pauses there is no 99.9th percentile.
pub const FEWEST_FOR_P999: u64 = 1_000;

/// Pauses of one method and length in one process.
pub struct Paused<'a> {
    /// Their durations, with counts.
    pub taken_ns: &'a [(u64, u64)],
    /// Their total CPU time, if known.
    pub cpu_ns: Option<u64>,
    /// The time from before the first to after the last.
    pub wall_ns: u64,
    /// The thread's involuntary context switches meanwhile, if known.
    pub preempted: Option<u64>,
}

/// The durations of pauses in all processes. None without pauses.
pub fn pause_figures(name: &str, requested_ns: u64, rounds: &[Paused<'_>]) -> Option<PauseFigures> {
    let counts = |of: &Paused<'_>| of.taken_ns.iter().map(|(ns, count)| (*ns as f64, *count)).collect::<Vec<_>>();
    let all = Distribution::of_counts(rounds.iter().flat_map(counts));
    let medians: Vec<f64> = rounds.iter().filter_map(|of| Distribution::of_counts(counts(of)).quantile(0.5)).collect();
    let samples = all.total();
    let taken = || rounds.iter().flat_map(|of| of.taken_ns);
    let sum: f64 = taken().map(|(ns, count)| *ns as f64 * *count as f64).sum();
    let told = rounds.iter().filter_map(|of| Some((of.cpu_ns?, of.wall_ns)));
    let (cpu_ns, wall_ns) =
        told.fold((0_u64, 0_u64), |(cpu, wall), (of, whole)| (cpu.saturating_add(of), wall.saturating_add(whole)));
    Some(PauseFigures {
        name: name.to_owned(),
        requested_ns,
        samples,
        mean_ns: sum / samples.max(1) as f64,
        p50_ns: median_interval(&medians, CONFIDENCE)?,
        p99_ns: all.quantile(0.99)?,
        p999_ns: all.quantile(0.999).filter(|_| samples >= FEWEST_FOR_P999),
        histogram: all.histogram().in_bins(BINS),
        max_over_ns: all.maximum()? - requested_ns as f64,
        cpu_share: (cpu_ns as f64 / wall_ns.max(1) as f64).min(1.0),
        early: taken().filter(|(ns, _)| *ns < requested_ns).map(|(_, count)| count).sum(),
        preempted: rounds.iter().map(|of| of.preempted).sum(),
    })
}

/// Each method once, however many processes lacked it.
pub fn unavailable_once(all: impl IntoIterator<Item = PauseUnavailable>) -> Vec<PauseUnavailable> {
    let mut once: Vec<PauseUnavailable> = Vec::new();
    for missing in all {
        if once.iter().all(|known| known.name != missing.name) {
            once.push(missing);
        }
    }
    once
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_needs_more_pauses_than_lie_beyond_it() {
        let of = |samples: u64| {
            let taken = [(1_000, samples - 1), (9_000, 1)];
            let paused = Paused { taken_ns: &taken, cpu_ns: None, wall_ns: 1, preempted: None };
            let found = pause_figures("a way", 1_000, &[paused]).unwrap();
            (found.p99_ns(), found.p999_ns)
        };
        assert_eq!(of(99), (None, None));
        assert_eq!(of(100), (Some(1_000.0), None));
        assert_eq!(of(1_000), (Some(1_000.0), Some(1_000.0)));
    }

    #[test]
    fn a_histogram_is_bounded_and_loses_no_pause() {
        let taken: Vec<(u64, u64)> = (0..200_u32).map(|at| ((1e3 * 1.07_f64.powf(f64::from(at))) as u64, 2)).collect();
        let paused = Paused { taken_ns: &taken, cpu_ns: None, wall_ns: 1, preempted: None };
        let found = pause_figures("a way", 1_000, &[paused]).unwrap();
        let bins = &found.histogram.bins;
        assert_eq!((bins.len(), found.histogram.count(), found.samples), (BINS, 400, 400));
        assert!(bins[0].from_ns <= taken[0].0 as f64 && bins[BINS - 1].to_ns > taken[199].0 as f64, "{bins:?}");
        assert!(bins.windows(2).all(|pair| pair[0].to_ns <= pair[1].from_ns), "{bins:?}");
    }
}
