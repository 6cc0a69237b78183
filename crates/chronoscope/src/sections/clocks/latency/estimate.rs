use chronoscope_clock::Rate;

use super::task::LaneSamples;
use crate::sections::clocks::granularity::task::Steps;
use crate::sections::clocks::report::{ForkSummary, Granularity, Latency};
use chronoscope_harness::stats::{CONFIDENCE, Distribution, median_interval};

/// A step counts as the latency of the read only if at most this share of consecutive reads is equal.
const MOST_EQUAL_READS: f64 = 0.1;

/// The share of equal reads, or of steps longer than the smallest, that shows a tick if all steps are multiples of one.
const LATTICE_EVIDENCE: f64 = 0.01;

/// The cost of a read, from batches of several processes. None without batches in quiet rounds.
///
/// `quiet` marks the quiet rounds of each process. The first batch of each process warms up its loop and is ignored if
/// there are more.
///
/// # Sources
/// Medians within and between processes, so that preempted batches do not affect the estimate; the process as the
/// statistical unit as in T. Kalibera, R. Jones, "Rigorous Benchmarking in Reasonable Time", 2013. The interval is
/// [`median_interval`]'s.
pub fn latency(forks: &[LaneSamples], quiet: &[Vec<bool>], rate: Rate) -> Option<Latency> {
    let in_quiet_rounds = |(fork, quiet): (&LaneSamples, &Vec<bool>)| {
        Distribution::of(
            fork.ns_per_read(rate).into_iter().zip(quiet).filter(|(_, quiet)| **quiet).map(|(mean, _)| mean).collect(),
        )
    };
    let summaries: Vec<ForkSummary> = forks
        .iter()
        .zip(quiet)
        .map(in_quiet_rounds)
        .filter_map(|fork| {
            Some(ForkSummary {
                p50: fork.quantile(0.5)?,
                minimum: fork.minimum()?,
                maximum: fork.maximum()?,
                batches: fork.total(),
            })
        })
        .collect();
    let medians: Vec<f64> = summaries.iter().map(|fork| fork.p50).collect();
    let over_forks = median_interval(&medians, CONFIDENCE)?;
    let warm = |fork: &LaneSamples| usize::from(fork.batch_ticks.len() > 1);
    let all =
        Distribution::of(forks.iter().flat_map(|fork| fork.ns_per_read(rate).into_iter().skip(warm(fork))).collect());
    let sizes = Distribution::of(forks.iter().map(|fork| fork.reads_per_batch as f64).collect());
    Some(Latency {
        estimate: over_forks.median,
        low: over_forks.low,
        high: over_forks.high,
        confidence: over_forks.confidence,
        p50: all.quantile(0.5)?,
        p99: all.quantile(0.99)?,
        minimum: all.minimum()?,
        batches: all.total(),
        reads_per_batch: sizes.quantile(0.5)? as u64,
        forks: summaries,
        histogram: all.histogram(),
    })
}

/// The smallest observed step of a clock, and its meaning.
#[derive(Clone, Debug, PartialEq)]
pub struct GranularityEstimate {
    pub step_ns: f64,
    /// Whether the step is merely the latency of the read.
    pub is_latency: bool,
    pub observed: Granularity,
}

/// Interprets `steps` of a clock with ticks of `rate`. None if the clock was never observed to advance.
///
/// A step is the read's latency rather than the clock's tick if hardly any two consecutive reads were equal. It is
/// still the tick if all steps are multiples of one that is at least half the granularity, and more than a stray few
/// were different multiples, or reads were equal.
pub fn granularity(steps: &Steps, rate: Rate) -> Option<GranularityEstimate> {
    let forward: Vec<u64> =
        steps.changes.iter().filter(|change| **change > 0).map(|change| change.unsigned_abs()).collect();
    let least = *forward.iter().min()?;
    let ns = |ticks: u64| rate.ns_of_mean(ticks as f64);
    let quantum = forward.iter().fold(0, |a, b| gcd(a, *b));
    let distribution = Distribution::of(forward.iter().map(|ticks| ns(*ticks)).collect());
    let zero_share = steps.unchanged as f64 / steps.reads.max(1) as f64;
    let longer_share = distribution.share(|ns| ns > distribution.minimum().unwrap_or(0.0));
    let on_a_lattice = quantum > 1
        && quantum.saturating_mul(2) >= least
        && (zero_share >= LATTICE_EVIDENCE || longer_share >= LATTICE_EVIDENCE);
    let backward = steps.changes.iter().filter(|change| **change < 0);
    Some(GranularityEstimate {
        step_ns: ns(least),
        is_latency: zero_share < MOST_EQUAL_READS && !on_a_lattice,
        observed: Granularity {
            steps: forward.len() as u64,
            reads: steps.reads,
            zero_share,
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
    use crate::sections::clocks::granularity::task::observe;
    use chronoscope_clock::FakeClock;
    use std::time::Duration;

    fn fork(median: u64) -> LaneSamples {
        LaneSamples { reads_per_batch: 1000, batch_ticks: vec![99_999_999, median, median, median + 50_000, median] }
    }

    /// All rounds except the first of each process.
    fn all_quiet(forks: usize) -> Vec<Vec<bool>> {
        vec![vec![false, true, true, true, true]; forks]
    }

    #[test]
    fn preempted_batches_do_not_move_the_estimate() {
        let forks: Vec<LaneSamples> = (0..11).map(|i| fork(20_000 + i * 10)).collect();
        let found = latency(&forks, &all_quiet(11), Rate::NANOSECONDS).unwrap();
        assert!((found.estimate - 20.05).abs() < 1e-9, "{}", found.estimate);
        assert!((found.low - 20.0).abs() < 1e-9 && (found.high - 20.1).abs() < 1e-9);
        assert!(found.confidence >= CONFIDENCE);
        assert!(found.p99 > 69.0);
        assert_eq!(found.batches, 44);
    }

    #[test]
    fn no_batches_are_no_estimate() {
        assert_eq!(latency(&[], &[], Rate::NANOSECONDS), None);
        let silent = LaneSamples { reads_per_batch: 10, batch_ticks: Vec::new() };
        assert_eq!(latency(&[silent], &[Vec::new()], Rate::NANOSECONDS), None);
    }

    #[test]
    fn few_processes_say_how_little_they_prove() {
        let found = latency(&[fork(20_000), fork(21_000), fork(22_000)], &all_quiet(3), Rate::NANOSECONDS).unwrap();
        assert!((found.confidence - 0.75).abs() < 1e-9);
    }

    #[test]
    fn rounds_that_were_not_quiet_move_the_percentiles_alone() {
        let shared = LaneSamples { reads_per_batch: 1000, batch_ticks: vec![1, 30_000, 20_000, 30_000, 30_000] };
        let quiet = vec![false, false, true, false, false];
        let found = latency(&vec![shared; 11], &vec![quiet; 11], Rate::NANOSECONDS).unwrap();
        assert_eq!((found.estimate, found.p50), (20.0, 30.0));
        assert_eq!((found.batches, found.forks[0].batches), (44, 1));
    }

    fn seen(clock: &FakeClock) -> GranularityEstimate {
        granularity(&observe(clock, |steps| steps.reads > 20_000), Rate::NANOSECONDS).unwrap()
    }

    #[test]
    fn a_fine_clock_shows_its_latency() {
        let clock = FakeClock::new();
        clock.set_read_cost(Duration::from_nanos(21));
        let found = seen(&clock);
        assert!(found.is_latency);
        assert_eq!(found.step_ns, 21.0);
    }

    #[test]
    fn a_coarse_clock_shows_its_tick() {
        let clock = FakeClock::new();
        clock.set_read_cost(Duration::from_nanos(21));
        clock.coarsen(Duration::from_nanos(100));
        let found = seen(&clock);
        assert!(!found.is_latency);
        assert_eq!((found.step_ns, found.observed.quantum_ns), (100.0, Some(100.0)));
    }

    #[test]
    fn a_tick_as_long_as_the_latency_is_still_a_tick() {
        let clock = FakeClock::new();
        clock.set_read_cost(Duration::from_nanos(105));
        clock.coarsen(Duration::from_nanos(100));
        let found = seen(&clock);
        assert!(!found.is_latency, "{found:?}");
        assert_eq!(found.step_ns, 100.0);
    }

    #[test]
    fn a_step_back_is_counted_and_not_hidden() {
        let clock = FakeClock::new();
        clock.set_read_cost(Duration::from_nanos(10));
        let mut steps = observe(&clock, |steps| steps.reads > 0);
        steps.changes.push(-700);
        let found = granularity(&steps, Rate::NANOSECONDS).unwrap();
        assert_eq!((found.observed.backward_steps, found.observed.worst_backward_ns), (1, 700.0));
    }

    #[test]
    fn a_clock_that_stands_still_has_no_granularity() {
        let steps = Steps { changes: Vec::new(), reads: 1000, unchanged: 1000 };
        assert_eq!(granularity(&steps, Rate::NANOSECONDS), None);
    }
}
