use crate::record::{Histogram, Mode};

/// A peak must be this many times as dense as the valley that parts it from a denser one.
const VALLEY_FACTOR: f64 = 2.0;
/// Peaks nearer to each other than this factor are one: bins may be narrower than the clock's tick and show gaps that are
/// none.
const NEAREST_FACTOR: f64 = 1.25;
/// Peaks with a smaller share are not named.
const SMALLEST_SHARE: f64 = 0.001;
/// No more modes than this are named.
const MOST_MODES: usize = 5;

/// The values around which `histogram` gathers, most frequent first.
///
/// A bin is a mode if it lies a quarter or more away from every denser mode and, towards each of them, the density falls to
/// half of its own at least once: bins that are missing count as empty. Each mode's share is that of the bins between its
/// two valleys.
///
/// # Sources
/// The lowland criterion of A. Akinshin's multimodality detector, simplified to a density histogram.
///
/// # Examples
/// ```
/// use chronoscope_measure::stats::{Distribution, modes};
///
/// let reads = Distribution::of_counts([(36.0, 930), (38.0, 40), (820.0, 30)]);
/// let found = modes(&reads.histogram());
/// assert_eq!(found.len(), 2);
/// assert!((found[0].at_ns - 36.0).abs() < 2.0 && (found[1].at_ns - 820.0).abs() < 40.0);
/// ```
pub fn modes(histogram: &Histogram) -> Vec<Mode> {
    let bins = &histogram.bins;
    let total = histogram.count() as f64;
    if total == 0.0 {
        return Vec::new();
    }
    let density =
        |i: usize| bins[i].count as f64 / (bins[i].to_ns - bins[i].from_ns).max(f64::MIN_POSITIVE) * bins[i].from_ns;
    // The least density between two bins, where a missing bin between neighbours is a density of zero.
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
    let mut peaks: Vec<usize> = Vec::new();
    for bin in by_density {
        let apart = peaks.iter().all(|peak| {
            let (low, high) = (bins[bin.min(*peak)].from_ns, bins[bin.max(*peak)].from_ns);
            high >= low * NEAREST_FACTOR && valley(*peak, bin) * VALLEY_FACTOR <= density(bin)
        });
        if apart {
            peaks.push(bin);
        }
    }
    peaks.sort_unstable();
    let mut borders = vec![0];
    for pair in peaks.windows(2) {
        let border = (pair[0] + 1..=pair[1]).min_by(|a, b| valley(a - 1, *a).total_cmp(&valley(b - 1, *b)));
        borders.push(border.unwrap_or(pair[1]));
    }
    borders.push(bins.len());
    let mut found: Vec<Mode> = peaks
        .iter()
        .zip(borders.windows(2))
        .map(|(peak, border)| Mode {
            at_ns: f64::midpoint(bins[*peak].from_ns, bins[*peak].to_ns),
            share: bins[border[0]..border[1]].iter().map(|bin| bin.count).sum::<u64>() as f64 / total,
        })
        .filter(|mode| mode.share >= SMALLEST_SHARE)
        .collect();
    found.sort_by(|a, b| b.share.total_cmp(&a.share));
    found.truncate(MOST_MODES);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Distribution;
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

    proptest! {
        #[test]
        fn shares_never_exceed_the_whole(counts in prop::collection::vec((1.0_f64..1e6, 1_u64..10_000), 0..100)) {
            let found = modes(&Distribution::of_counts(counts).histogram());
            prop_assert!(found.iter().map(|mode| mode.share).sum::<f64>() <= 1.0 + 1e-9);
            prop_assert!(found.windows(2).all(|pair| pair[0].share >= pair[1].share));
        }
    }
}
