//! The values around which a histogram clusters.

use std::ops::Range;

use crate::record::{Histogram, Peak};
use crate::stats::Distribution;

/// A peak must be this many times as dense as the valley that separates it from a denser one.
const VALLEY_FACTOR: f64 = 2.0;
/// Peaks closer than this factor count as one: bins may be narrower than the clock's tick and show spurious gaps.
const NEAREST_FACTOR: f64 = 1.25;
/// Peaks with a smaller share are not reported.
const SMALLEST_SHARE: f64 = 0.001;
/// Maximum modes reported.
const MOST_MODES: usize = 5;

/// The values around which `histogram` clusters, most frequent first.
///
/// A bin is a peak if, towards every denser one, the density falls to half its own at least once; missing bins count as
/// empty. The bins between two valleys belong to their peak. A peak less than a quarter away from a denser one is not a
/// mode of its own, and its bins count towards the nearest such peak. A peak too rare to be reported keeps its share:
/// no other mode inherits it.
///
/// # Sources
/// The lowland criterion of A. Akinshin's multimodality detector, simplified to a density histogram.
///
/// # Examples
/// ```
/// use chronoscope_harness::estimators::modes::modes;
/// use chronoscope_harness::stats::Distribution;
///
/// let reads = Distribution::of_counts([(36.0, 930), (38.0, 40), (820.0, 30)]);
/// let found = modes(&reads.histogram());
/// assert_eq!(found.len(), 2);
/// assert!((found[0].at_ns - 36.0).abs() < 2.0 && (found[1].at_ns - 820.0).abs() < 40.0);
/// ```
pub fn modes(histogram: &Histogram) -> Vec<Peak> {
    let bins = &histogram.bins;
    let total = histogram.count() as f64;
    if total == 0.0 {
        return Vec::new();
    }
    let density =
        |i: usize| bins[i].count as f64 / (bins[i].to_ns - bins[i].from_ns).max(f64::MIN_POSITIVE) * bins[i].from_ns;
    // The lowest density between two bins; a missing bin between neighbours has density zero.
    let valley = |a: usize, b: usize| {
        (a.min(b)..a.max(b))
            .map(|i| {
                let gap = bins[i + 1].from_ns - bins[i].to_ns > 0.01 * (bins[i].to_ns - bins[i].from_ns);
                if gap { 0.0 } else { density(i).min(density(i + 1)) }
            })
            .fold(f64::INFINITY, f64::min)
    };
    let mut by_density: Vec<usize> = (0..bins.len()).collect();
    by_density.sort_by(|a, b| density(*b).total_cmp(&density(*a)));
    // Densest first, so that a peak is compared only with those already found.
    let mut peaks: Vec<usize> = Vec::new();
    for bin in by_density {
        if peaks.iter().all(|peak| valley(*peak, bin) * VALLEY_FACTOR <= density(bin)) {
            peaks.push(bin);
        }
    }
    let apart = |a: usize, b: usize| {
        let (low, high) = (bins[a.min(b)].from_ns, bins[a.max(b)].from_ns);
        if low > 0.0 { high / low } else { f64::INFINITY }
    };
    let mut modes: Vec<usize> = Vec::new();
    let mut counts: Vec<u64> = Vec::new();
    let hills = hills(&peaks, bins.len(), valley);
    for (peak, hill) in peaks.iter().zip(&hills) {
        let count = bins[hill.clone()].iter().map(|bin| bin.count).sum::<u64>();
        let nearest = (0..modes.len()).min_by(|a, b| apart(modes[*a], *peak).total_cmp(&apart(modes[*b], *peak)));
        match nearest.filter(|mode| apart(modes[*mode], *peak) < NEAREST_FACTOR) {
            Some(mode) => counts[mode] += count,
            None => {
                modes.push(*peak);
                counts.push(count);
            }
        }
    }
    let mut found: Vec<Peak> = modes
        .iter()
        .zip(&counts)
        .map(|(peak, count)| Peak {
            at_ns: f64::midpoint(bins[*peak].from_ns, bins[*peak].to_ns),
            share: *count as f64 / total,
        })
        .filter(|mode| mode.share >= SMALLEST_SHARE)
        .collect();
    found.sort_by(|a, b| b.share.total_cmp(&a.share));
    found.truncate(MOST_MODES);
    found
}

/// The values around which `all` clusters, as [`modes`] finds them in its histogram, each at the most frequent value of
/// its bin: a clock with 1 ns ticks never reports 16.1. Shares are of all values; the histogram holds only those above
/// zero.
///
/// # Examples
/// ```
/// use chronoscope_harness::estimators::modes::modes_of;
/// use chronoscope_harness::stats::Distribution;
///
/// let found = modes_of(&Distribution::of_counts([(0.0, 930), (100.0, 70)]));
/// assert_eq!((found.len(), found[0].at_ns, found[0].share), (1, 100.0, 0.07));
/// ```
pub fn modes_of(all: &Distribution) -> Vec<Peak> {
    let histogram = all.histogram();
    let above_zero = histogram.count() as f64 / all.total().max(1) as f64;
    let most_frequent = |at_ns: f64| {
        let bin = histogram.bins.iter().find(|bin| (bin.from_ns..bin.to_ns).contains(&at_ns))?;
        let within = all.counts().iter().filter(|(ns, _)| (bin.from_ns..bin.to_ns).contains(ns));
        within.max_by_key(|(_, count)| *count).map(|(ns, _)| *ns)
    };
    let sharpened =
        |mode: Peak| Peak { at_ns: most_frequent(mode.at_ns).unwrap_or(mode.at_ns), share: mode.share * above_zero };
    modes(&histogram).into_iter().map(sharpened).collect()
}

/// For each of `peaks` its own bins: those up to the deepest valley on either side.
fn hills(peaks: &[usize], bins: usize, valley: impl Fn(usize, usize) -> f64) -> Vec<Range<usize>> {
    let mut rising = peaks.to_vec();
    rising.sort_unstable();
    let mut borders = vec![0];
    for pair in rising.windows(2) {
        let border = (pair[0] + 1..=pair[1]).min_by(|a, b| valley(a - 1, *a).total_cmp(&valley(b - 1, *b)));
        borders.push(border.unwrap_or(pair[1]));
    }
    borders.push(bins);
    let hill = |peak: &usize| {
        let place = rising.partition_point(|other| other < peak);
        borders[place]..borders[place + 1]
    };
    peaks.iter().map(hill).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_hill_is_one_mode() {
        let hill = Distribution::of_counts((0..200).map(|i| {
            let x = (f64::from(i) - 100.0) / 20.0;
            (300.0 + f64::from(i), (1e5 * (-x * x / 2.0).exp()) as u64)
        }));
        let found = modes(&hill.histogram());
        assert_eq!(found.len(), 1, "{found:?}");
        assert!((found[0].at_ns - 400.0).abs() < 25.0);
        assert!((found[0].share - 1.0).abs() < 1e-9);
    }

    #[test]
    fn ticks_wider_than_bins_are_no_modes() {
        let ticks = Distribution::of_counts([(10.74, 300), (11.46, 900), (12.17, 800), (12.89, 400), (13.6, 100)]);
        assert_eq!(modes(&ticks.histogram()).len(), 1);
    }

    #[test]
    fn rare_values_are_no_modes() {
        let seen = Distribution::of_counts([(20.0, 999_999), (5_000.0, 1)]);
        assert_eq!(modes(&seen.histogram()).len(), 1);
    }

    /// As read from rdtsc on a Sapphire Rapids: 27 % of the differences at 15.4 to 15.9 ns, 36 out of half a million at
    /// 22.
    #[test]
    fn a_rare_mode_does_not_inherit_what_lies_before_it() {
        let seen = Distribution::of_counts([
            (13.08, 9_000),
            (13.46, 372_000),
            (13.85, 1_200),
            (15.38, 70_000),
            (15.77, 71_000),
            (16.15, 1_000),
            (22.0, 36),
            (22.3, 4),
        ]);
        let found = modes(&seen.histogram());
        assert_eq!(found.len(), 1, "{found:?}");
        assert!((found[0].at_ns - 13.5).abs() < 0.5 && found[0].share > 0.999, "{found:?}");
    }

    #[test]
    fn what_a_dropped_peak_holds_goes_to_nobody() {
        let rare = (0..40).map(|i| (100.0 * 1.3_f64.powi(i), 20));
        let seen = Distribution::of_counts([(10.0, 50_000), (1_000_000_000.0, 50_000)].into_iter().chain(rare));
        let found = modes(&seen.histogram());
        let all = 100_800.0;
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.iter().all(|mode| (mode.share - 50_000.0 / all).abs() < 1e-3), "{found:?}");
    }

    proptest! {
        /// Whatever the layout of the clusters, each one's share is that of the values around it.
        #[test]
        fn a_mode_has_what_lies_around_it(
            clusters in prop::collection::btree_map(0_i32..12, 1_u64..100_000, 1..8),
        ) {
            let at = |place: i32| 10.0 * 2.5_f64.powi(place);
            let seen = Distribution::of_counts(clusters.iter().map(|(place, count)| (at(*place), *count)));
            let total = clusters.values().sum::<u64>() as f64;
            let found = modes(&seen.histogram());
            for mode in &found {
                let around = clusters.iter().filter(|(place, _)| (0.8..1.25).contains(&(at(**place) / mode.at_ns)));
                let truth = around.map(|(_, count)| *count).sum::<u64>() as f64 / total;
                prop_assert!((mode.share - truth).abs() < 1e-9, "{mode:?}: {truth}");
            }
            let named = clusters.values().filter(|count| **count as f64 / total >= SMALLEST_SHARE).count();
            prop_assert_eq!(found.len(), named.min(MOST_MODES));
        }

        #[test]
        fn shares_never_exceed_the_whole(counts in prop::collection::vec((1.0_f64..1e6, 1_u64..10_000), 0..100)) {
            let found = modes(&Distribution::of_counts(counts).histogram());
            prop_assert!(found.iter().map(|mode| mode.share).sum::<f64>() <= 1.0 + 1e-9);
            prop_assert!(found.windows(2).all(|pair| pair[0].share >= pair[1].share));
        }
    }
}
