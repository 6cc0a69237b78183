use hdrhistogram::Histogram as Hdr;

use crate::record::{Bin, Histogram};

/// Distinct values with their counts, in ascending order. Exact: nothing is binned.
///
/// # Examples
/// ```
/// use chronoscope_harness::stats::Distribution;
///
/// let seen = Distribution::of(vec![20.0, 20.0, 22.0, 900.0]);
/// assert_eq!(seen.quantile(0.5), Some(20.0));
/// assert_eq!(seen.maximum(), Some(900.0));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distribution {
    counts: Vec<(f64, u64)>,
    total: u64,
}

impl Distribution {
    /// The distribution of `values`; non-finite ones are left out.
    pub fn of(values: Vec<f64>) -> Self {
        Self::of_counts(values.into_iter().map(|value| (value, 1)))
    }

    /// The distribution of values with counts, in any order, repeated or not.
    pub fn of_counts(counts: impl IntoIterator<Item = (f64, u64)>) -> Self {
        let is_counted = |(value, count): &(f64, u64)| value.is_finite() && *count > 0;
        Self::of_unsorted(counts.into_iter().filter(is_counted).collect())
    }

    fn of_unsorted(mut counts: Vec<(f64, u64)>) -> Self {
        counts.sort_by(|a, b| a.0.total_cmp(&b.0));
        counts.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                kept.1 = kept.1.saturating_add(later.1);
            }
            same
        });
        let total = counts.iter().fold(0_u64, |sum, (_, count)| sum.saturating_add(*count));
        Self { counts, total }
    }

    /// How many values there are.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Distinct values in ascending order, with their counts.
    pub fn counts(&self) -> &[(f64, u64)] {
        &self.counts
    }

    /// The smallest value such that at least a share `p` of all values are no larger. None if empty.
    ///
    /// # Sources
    /// The inverse of the empirical distribution function: R. Hyndman, Y. Fan, "Sample Quantiles in Statistical
    /// Packages", 1996, definition 1.
    pub fn quantile(&self, p: f64) -> Option<f64> {
        let rank = ((p.clamp(0.0, 1.0) * self.total as f64).ceil() as u64).max(1);
        let mut seen = 0_u64;
        let reaches = |(_, count): &&(f64, u64)| {
            seen = seen.saturating_add(*count);
            seen >= rank
        };
        self.counts.iter().find(reaches).map_or(self.maximum(), |(value, _)| Some(*value))
    }

    /// The smallest value.
    pub fn minimum(&self) -> Option<f64> {
        self.counts.first().map(|(value, _)| *value)
    }

    /// The largest value.
    pub fn maximum(&self) -> Option<f64> {
        self.counts.last().map(|(value, _)| *value)
    }

    /// The share of values for which `test` holds; 0 if there are none.
    pub fn share(&self, test: impl Fn(f64) -> bool) -> f64 {
        let held = self.counts.iter().filter(|(value, _)| test(*value)).map(|(_, count)| *count).sum::<u64>();
        if self.total == 0 { 0.0 } else { held as f64 / self.total as f64 }
    }

    /// The values above zero in bins, taken as nanoseconds, with a resolution of a thousandth of one.
    ///
    /// # Sources
    /// Bins as in G. Tene's HdrHistogram with one significant digit.
    pub fn histogram(&self) -> Histogram {
        const PS_PER_NS: f64 = 1000.0;
        let Ok(mut hdr) = Hdr::<u64>::new(1) else { return Histogram::default() };
        for (ns, count) in self.counts.iter().filter(|(ns, _)| *ns > 0.0) {
            let ps = (ns * PS_PER_NS).round().clamp(1.0, 1e18) as u64;
            // It resizes to any value below 2⁶³, so this cannot fail.
            let _ = hdr.record_n(ps, *count);
        }
        let bins = hdr
            .iter_recorded()
            .map(|bin| {
                let ps = bin.value_iterated_to();
                let ends_ps = [hdr.lowest_equivalent(ps), hdr.next_non_equivalent(ps)];
                let [from_ns, to_ns] = ends_ps.map(|ps| ps as f64 / PS_PER_NS);
                Bin { from_ns, to_ns, count: bin.count_at_value() }
            })
            .collect();
        Histogram { bins }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_has_no_quantiles() {
        let none = Distribution::of(vec![f64::NAN]);
        assert_eq!((none.total(), none.quantile(0.5), none.minimum()), (0, None, None));
        assert!(none.histogram().bins.is_empty());
    }

    proptest! {
        #[test]
        fn quantiles_match_a_sorted_list(values in prop::collection::vec(-1e6_f64..1e6, 1..200), p in 0.0_f64..=1.0) {
            let mut sorted = values.clone();
            sorted.sort_by(f64::total_cmp);
            let rank = ((p * sorted.len() as f64).ceil() as usize).clamp(1, sorted.len());
            prop_assert_eq!(Distribution::of(values).quantile(p), Some(sorted[rank - 1]));
        }

        #[test]
        fn a_histogram_keeps_every_positive_value(values in prop::collection::vec(0.01_f64..1e12, 1..300)) {
            let histogram = Distribution::of(values.clone()).histogram();
            prop_assert_eq!(histogram.count(), values.len() as u64);
            for bin in &histogram.bins {
                let inside = values.iter().filter(|v| **v >= bin.from_ns - 6e-4 && **v < bin.to_ns + 6e-4).count();
                prop_assert!(inside as u64 >= bin.count);
                prop_assert!(bin.to_ns <= bin.from_ns * 1.07 + 0.0011, "bin {:?} is too wide", bin);
            }
        }
    }
}
