use crate::Instant;

/// Bins of an eighth of an octave each, from a quarter of a microsecond up to 16 ms.
const PER_OCTAVE: usize = 8;
const BINS: usize = 16 * PER_OCTAVE;
const SHORTEST_NS: u64 = 256;
/// With so much seen everything counts half from now on: what was long ago is forgotten.
const MOST_WEIGHT: f32 = 2_000.0;
/// With fewer seen beyond a quantile it is not known yet.
const FEW_BEYOND: f32 = 2.0;

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
}

impl Lateness {
    pub(super) const NONE: Self = Self { weights: [0.0; BINS], total: 0.0, last: Instant::ZERO };

    pub(super) fn record(&mut self, late_ns: u64, now: Instant) {
        self.weights[bin(late_ns)] += 1.0;
        self.total += 1.0;
        self.last = now;
        if self.total > MOST_WEIGHT {
            self.fade(0.5);
        }
    }

    /// Lets everything seen so far count `factor` as much.
    pub(super) fn fade(&mut self, factor: f32) {
        self.weights.iter_mut().for_each(|weight| *weight *= factor);
        self.total *= factor;
    }

    /// What a share of `quantile` was not later than. None if nothing was seen.
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

    /// The same, with more where too little was seen to know it: half as much again as nine tenths were late.
    pub(super) fn cautious_ns(&self, quantile: f32) -> Option<u64> {
        let found = self.quantile_ns(quantile)?;
        if self.total * (1.0 - quantile) >= FEW_BEYOND {
            return Some(found);
        }
        Some(found.max(self.quantile_ns(0.9)? * 3 / 2))
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

#[cfg(test)]
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
    fn one_late_sleep_of_few_is_no_quantile_yet() {
        let mut seen = Lateness::NONE;
        (0..10).for_each(|_| seen.record(3_000, Instant::ZERO));
        assert!(seen.cautious_ns(0.99).unwrap() >= 4_500);
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
