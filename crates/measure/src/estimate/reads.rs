use chronoscope_clock::Rate;

use crate::record::{Disturbance, Gaps, Reads};
use crate::stats::{Distribution, modes};
use crate::task::reads::Samples;

/// Gaps are counted above these.
const GAP_THRESHOLDS_NS: [f64; 3] = [1_000.0, 10_000.0, 100_000.0];

/// The distribution of consecutive reads of `clock`. None if there are none.
pub fn reads(clock: &str, samples: &Samples, rate: Rate, disturbance: Disturbance) -> Option<Reads> {
    let ns = |ticks: i64| rate.ns_of_mean(ticks as f64);
    let all = Distribution::of_counts(samples.differences.iter().map(|(ticks, count)| (ns(*ticks), *count)));
    let histogram = all.histogram();
    let span_ns = rate.ns_of_mean(samples.span_ticks as f64);
    let gaps = GAP_THRESHOLDS_NS.map(|above_ns| {
        let above = || all.counts().iter().filter(|(ns, _)| *ns > above_ns);
        let taken = above().fold(0.0, |sum, (ns, count)| sum + ns * *count as f64);
        Gaps {
            above_ns,
            count: above().map(|(_, count)| count).sum(),
            share_of_time: if span_ns > 0.0 { (taken / span_ns).min(1.0) } else { 0.0 },
        }
    });
    Some(Reads {
        clock: clock.to_owned(),
        count: all.total(),
        span_ns,
        zero_share: all.share(|ns| ns == 0.0),
        backward_steps: samples.differences.iter().filter(|(ticks, _)| *ticks < 0).map(|(_, count)| count).sum(),
        minimum_ns: all.counts().iter().map(|(ns, _)| *ns).find(|ns| *ns > 0.0),
        p50_ns: all.quantile(0.5)?,
        p99_ns: all.quantile(0.99)?,
        p999_ns: all.quantile(0.999)?,
        maximum_ns: all.maximum()?,
        modes: modes(&histogram),
        gaps: gaps.to_vec(),
        empty_intervals: samples.empty_intervals,
        largest_empty_interval_ns: ns(samples.largest_empty_ticks),
        histogram,
        disturbance,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_take_their_share_of_the_time() {
        let samples = Samples {
            differences: vec![(-5, 1), (0, 100), (20, 10_000), (50_000, 2)],
            span_ticks: 20 * 10_000 + 100_000 - 5,
            empty_intervals: 10,
            largest_empty_ticks: 900,
        };
        let found = reads("fake", &samples, Rate::NANOSECONDS, Disturbance::default()).unwrap();
        assert_eq!((found.count, found.backward_steps, found.minimum_ns), (10_103, 1, Some(20.0)));
        assert_eq!(found.gaps.iter().map(|gap| gap.count).collect::<Vec<_>>(), [2, 2, 0]);
        assert!((found.gaps[0].share_of_time - 1.0 / 3.0).abs() < 1e-3);
        assert_eq!(found.maximum_ns, 50_000.0);
        assert!((found.zero_share - 100.0 / 10_103.0).abs() < 1e-9);
    }
}
