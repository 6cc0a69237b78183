use core::time::Duration;

use crate::Instant;

/// Bins of an eighth of an octave each, from a quarter of a microsecond up to 16 ms.
const PER_OCTAVE: usize = 8;
const BINS: usize = 16 * PER_OCTAVE;
const SHORTEST_NS: u64 = 256;
/// At this weight everything is halved, so that old sleeps are forgotten.
const MOST_WEIGHT: f32 = 2_000.0;
/// A quantile is unknown with fewer sleeps beyond it.
const FEW_BEYOND: f32 = 2.0;
/// With this many expected beyond it, the latest may be ignored as an accident,
const LIKELY: f32 = 0.4;
/// by leaving out this weight.
const ONE: f32 = 1.5;
/// Sleeps last seen this long ago are halved.
const STALE: Duration = Duration::from_secs(1);
/// Less weight is forgotten; otherwise a remainder would stay the latest for ever.
const FORGOTTEN: f32 = 0.001;
/// Sleeps for which a margin is reused, as scanning all bins takes half a microsecond.
const MARGIN_LASTS: u8 = 8;

/// How late sleeps of one kind ended, with forgetting.
///
/// # Units
/// Nanoseconds, rounded up by at most an eighth.
#[derive(Clone, Debug)]
pub(super) struct Lateness {
    weights: [f32; BINS],
    total: f32,
    /// When the last was seen.
    pub(super) last: Instant,
    /// What was last worked out, for which quantile, and for how many more sleeps it holds.
    margin: Margin,
    margin_of: f32,
    margin_lasts: u8,
    /// The same without a limit: each wait has its own.
    wanted_ns: u64,
}

/// How long before the deadline to end a sleep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Margin {
    pub(super) ns: u64,
    /// What is left of it after the sleep on average, to be spun.
    pub(super) left_ns: u64,
}

impl Lateness {
    pub(super) const NONE: Self = Self {
        weights: [0.0; BINS],
        total: 0.0,
        last: Instant::ZERO,
        margin: Margin { ns: 0, left_ns: 0 },
        margin_of: 0.0,
        margin_lasts: 0,
        wanted_ns: 0,
    };

    pub(super) fn record(&mut self, late_ns: u64, now: Instant) {
        self.weights[bin(late_ns)] += 1.0;
        self.total += 1.0;
        self.last = now;
        self.margin_lasts = self.margin_lasts.saturating_sub(1);
        if self.total > MOST_WEIGHT {
            self.fade(0.5);
        }
    }

    /// Multiplies everything seen so far by `factor`.
    pub(super) fn fade(&mut self, factor: f32) {
        for weight in &mut self.weights {
            *weight = Some(*weight * factor).filter(|weight| *weight >= FORGOTTEN).unwrap_or(0.0);
        }
        self.total = self.weights.iter().sum();
        self.margin_lasts = 0;
    }

    /// Halves what was last seen long ago.
    pub(super) fn age(&mut self, now: Instant) {
        if now.saturating_duration_since(self.last) > STALE && self.total > 0.0 {
            self.fade(0.5);
            self.last = now;
        }
    }

    /// The margin that a share of `quantile` of the sleeps keep, cautiously. None if nothing was seen.
    pub(super) fn margin(&mut self, quantile: f32, most_ns: u64) -> Option<Margin> {
        let is_stale = self.margin_lasts == 0 || self.margin_of != quantile;
        if is_stale {
            self.wanted_ns = self.cautious_ns(quantile)?;
            self.margin_of = quantile;
            self.margin_lasts = MARGIN_LASTS;
        }
        let ns = self.wanted_ns.min(most_ns);
        if is_stale || ns != self.margin.ns {
            self.margin = Margin { ns, left_ns: self.left_of_ns(ns) };
        }
        Some(self.margin)
    }

    /// What is left of a margin of `margin_ns` after the sleep, on average.
    pub(super) fn left_of_ns(&self, margin_ns: u64) -> u64 {
        if self.total <= 0.0 {
            return margin_ns;
        }
        let left = |(bin, weight): (usize, &f32)| weight * margin_ns.saturating_sub(middle_ns(bin)) as f32;
        (self.weights.iter().enumerate().map(left).sum::<f32>() / self.total) as u64
    }

    /// The `quantile` of lateness. None if nothing was seen.
    pub(super) fn quantile_ns(&self, quantile: f32) -> Option<u64> {
        let mut beyond = self.total * (1.0 - quantile);
        let from_above = self.weights.iter().enumerate().rev().filter(|(_, weight)| **weight > 0.0);
        let mut found = None;
        for (bin, weight) in from_above {
            found = Some(end_ns(bin));
            beyond -= weight;
            if beyond < 0.0 {
                break;
            }
        }
        found
    }

    /// The same as a prediction. If too little was seen: 1.5 × the 0.9 quantile or the latest, whichever is more; the
    /// latest but one, once the latest is unlikely to be typical.
    pub(super) fn cautious_ns(&self, quantile: f32) -> Option<u64> {
        let beyond = self.total * (1.0 - quantile);
        if beyond >= FEW_BEYOND {
            return self.quantile_ns(quantile);
        }
        let latest = if beyond < LIKELY { 1.0 } else { 1.0 - ONE / self.total };
        Some(self.quantile_ns(latest)?.max(self.quantile_ns(0.9)? * 3 / 2))
    }
}

fn bin(ns: u64) -> usize {
    let ns = ns.max(SHORTEST_NS);
    let octave = ns.ilog2();
    let eighth = (ns >> (octave - 3)) as usize & (PER_OCTAVE - 1);
    let bin = (octave - SHORTEST_NS.ilog2()) as usize * PER_OCTAVE + eighth;
    bin.min(BINS - 1)
}

/// The end of a bin.
fn end_ns(bin: usize) -> u64 {
    let octave = SHORTEST_NS << (bin / PER_OCTAVE);
    octave + octave / PER_OCTAVE as u64 * (bin % PER_OCTAVE + 1) as u64
}

/// The middle of a bin.
fn middle_ns(bin: usize) -> u64 {
    let octave = SHORTEST_NS << (bin / PER_OCTAVE);
    end_ns(bin) - octave / PER_OCTAVE as u64 / 2
}

#[cfg(all(test, not(miri)))] // thousands of waits, and nothing in them is unsafe: too slow to interpret
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    #[test]
    fn nothing_seen_is_nothing_known() {
        assert_eq!(Lateness::NONE.quantile_ns(0.5), None);
        assert_eq!(Lateness::NONE.cautious_ns(0.99), None);
    }

    #[test]
    fn what_was_long_ago_is_forgotten() {
        let mut seen = Lateness::NONE;
        (0..2_000).for_each(|_| seen.record(100_000, Instant::ZERO));
        (0..20_000).for_each(|_| seen.record(3_000, Instant::ZERO));
        assert!(seen.quantile_ns(0.99).unwrap() < 4_000);
    }

    #[test]
    fn what_hardly_counts_any_more_is_not_the_latest() {
        let mut seen = Lateness::NONE;
        (0..2_000).for_each(|_| seen.record(100_000, Instant::ZERO));
        for _ in 0..150 {
            seen.fade(0.9);
            seen.record(3_000, Instant::ZERO);
        }
        assert!(seen.cautious_ns(0.999).unwrap() < 6_000);
        (0..200).for_each(|_| seen.fade(0.9));
        assert_eq!((seen.cautious_ns(0.99), seen.total), (None, 0.0));
    }

    #[test]
    fn few_sleeps_are_taken_for_no_quantile() {
        let mut seen = Lateness::NONE;
        (0..10).for_each(|_| seen.record(3_000, Instant::ZERO));
        assert!(seen.cautious_ns(0.99).unwrap() >= 4_500);
        seen.record(900_000, Instant::ZERO);
        assert!(seen.cautious_ns(0.99).unwrap() >= 900_000, "one of eleven");
        (0..40).for_each(|_| seen.record(3_000, Instant::ZERO));
        assert!(seen.cautious_ns(0.99).unwrap() < 6_000, "one of fifty is an accident");
        assert!(seen.cautious_ns(0.998).unwrap() >= 900_000, "unless one of five hundred counts");
    }

    proptest! {
        #[test]
        fn quantiles_are_those_of_the_sorted_values(
            mut values in prop::collection::vec(1_u64..20_000_000, 1..300),
            quantile in 0.0_f32..0.9999,
        ) {
            let mut seen = Lateness::NONE;
            values.iter().for_each(|ns| seen.record(*ns, Instant::ZERO));
            values.sort_unstable();
            let beyond = (values.len() as f32 * (1.0 - quantile)) as usize;
            let true_ns = values[values.len() - 1 - beyond.min(values.len() - 1)];
            let found = seen.quantile_ns(quantile).unwrap();
            let most = end_ns(BINS - 1);
            prop_assert!(found >= true_ns.min(most) && found <= (true_ns.max(SHORTEST_NS) * 9).div_ceil(8) + 1, "{found} for {true_ns}");
        }

        #[test]
        fn what_is_left_of_a_margin_is_the_mean_of_what_each_sleep_leaves(
            values in prop::collection::vec(500_u64..1_000_000, 1..200),
            margin_ns in 0_u64..2_000_000,
        ) {
            let mut seen = Lateness::NONE;
            values.iter().for_each(|ns| seen.record(*ns, Instant::ZERO));
            let mean = values.iter().map(|ns| margin_ns.saturating_sub(*ns)).sum::<u64>() as f64 / values.len() as f64;
            let found = seen.left_of_ns(margin_ns) as f64;
            // Half a bin, either way.
            prop_assert!((found - mean).abs() <= 1_000_000.0_f64.min(margin_ns as f64) / 15.0 + 1.0, "{found} for {mean}");
        }

        #[test]
        fn a_margin_is_worked_out_anew_before_long(values in prop::collection::vec(500_u64..1_000_000, 20..200)) {
            let mut seen = Lateness::NONE;
            values.iter().for_each(|ns| seen.record(*ns, Instant::ZERO));
            let first = seen.margin(0.9, u64::MAX).unwrap();
            prop_assert_eq!(first.ns, seen.cautious_ns(0.9).unwrap());
            prop_assert_eq!(seen.margin(0.9, first.ns / 2).unwrap().ns, first.ns / 2, "never more than the most");
            (0..500).for_each(|_| { seen.record(2_000_000, Instant::ZERO); let _ = seen.margin(0.9, u64::MAX); });
            prop_assert!(seen.margin(0.9, u64::MAX).unwrap().ns >= 1_000_000);
        }

        #[test]
        fn the_limit_of_one_wait_is_not_that_of_the_next(
            values in prop::collection::vec(500_u64..1_000_000, 1..200),
            limits_ns in prop::collection::vec(0_u64..2_000_000, 1..20),
        ) {
            let mut seen = Lateness::NONE;
            values.iter().for_each(|ns| seen.record(*ns, Instant::ZERO));
            let wanted_ns = seen.cautious_ns(0.99).unwrap();
            for most_ns in limits_ns {
                let ns = wanted_ns.min(most_ns);
                prop_assert_eq!(seen.margin(0.99, most_ns), Some(Margin { ns, left_ns: seen.left_of_ns(ns) }));
            }
        }

        #[test]
        fn a_bin_holds_what_lies_in_it(ns in SHORTEST_NS..10_000_000) {
            let bin = bin(ns);
            prop_assert!(end_ns(bin) > ns && (bin == 0 || end_ns(bin - 1) <= ns));
        }

        #[test]
        fn all_that_is_recorded_counts(values in prop::collection::vec(0_u64..u64::MAX, 1..50)) {
            let mut seen = Lateness::NONE;
            values.iter().for_each(|ns| seen.record(*ns, Instant::ZERO));
            let sum: f32 = seen.weights.iter().collect::<Vec<_>>().into_iter().sum();
            prop_assert_eq!(sum, values.len() as f32);
        }
    }
}
