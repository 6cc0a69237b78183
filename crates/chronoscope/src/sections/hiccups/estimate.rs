use hdrhistogram::Histogram as Lateness;

use super::report::HiccupFigures;
use super::tally::Tally;
use chronoscope_harness::record::{Bin, Histogram, Times};

/// Bins per octave.
const BINS: u64 = 16;

/// What a tally amounts to; None without a look.
pub fn figures(tally: &Tally) -> Option<HiccupFigures> {
    let seen = tally.lateness()?;
    // A percentile is the end of a bucket, in which the latest may come first.
    let at = |quantile| Some(seen.value_at_quantile(quantile).min(seen.max()) as f64);
    Some(HiccupFigures {
        observed_ms: tally.observed.as_secs_f64() * 1e3,
        looks: seen.len(),
        late_ns: Times::of(at, histogram(seen))?,
        share_over_10_us: share_over(seen, 10_000),
        share_over_100_us: share_over(seen, 100_000),
        share_over_1_ms: share_over(seen, 1_000_000),
    })
}

/// The share of looks that were later than this, to a thousandth of it.
fn share_over(seen: &Lateness<u64>, ns: u64) -> f64 {
    let over = seen.count_between(seen.next_non_equivalent(ns), seen.high());
    over as f64 / seen.len() as f64
}

/// In bins that are as wide as a document's.
fn histogram(seen: &Lateness<u64>) -> Histogram {
    let mut bins: Vec<Bin> = Vec::new();
    for value in seen.iter_recorded() {
        let (from_ns, to_ns) = bin_of(value.value_iterated_to());
        let count = value.count_at_value();
        match bins.last_mut().filter(|last| last.from_ns == from_ns) {
            Some(last) => last.count += count,
            None => bins.push(Bin { from_ns, to_ns, count }),
        }
    }
    Histogram { bins }
}

/// Where the bin of a value begins and ends.
fn bin_of(ns: u64) -> (f64, f64) {
    let width = (ns.checked_ilog2().map_or(1, |octave| 1_u64 << octave) / BINS).max(1);
    let from = ns / width * width;
    (from as f64, from.saturating_add(width) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn late(values: impl IntoIterator<Item = (u64, u64)>) -> Lateness<u64> {
        let mut seen = Lateness::new_with_bounds(1, 1 << 40, 3).unwrap();
        for (ns, count) in values {
            seen.record_n(ns, count).unwrap();
        }
        seen
    }

    #[test]
    fn a_share_counts_what_is_later_and_nothing_else() {
        let seen = late([(50, 900), (10_000, 40), (10_050, 30), (100_000, 5), (2_000_000, 25)]);
        let shares = [10_000, 100_000, 1_000_000, 3_000_000].map(|ns| share_over(&seen, ns));
        assert_eq!(shares, [0.06, 0.025, 0.025, 0.0]);
        assert_eq!(share_over(&late([(5_000_000, 4)]), 1_000_000), 1.0);
    }

    #[test]
    fn bins_hold_every_look_and_are_as_wide_as_they_are_said_to_be() {
        let values: Vec<(u64, u64)> = (0..40).map(|octave| (1 << octave, 3)).chain([(1_000, 7), (1_001, 1)]).collect();
        let found = histogram(&late(values.clone()));
        assert_eq!(found.count(), values.iter().map(|(_, count)| count).sum::<u64>());
        assert!(found.bins.windows(2).all(|pair| pair[0].to_ns <= pair[1].from_ns), "{found:?}");
        for bin in found.bins.iter().filter(|bin| bin.from_ns >= 32.0) {
            let width = (bin.to_ns - bin.from_ns) / bin.from_ns;
            assert!((0.03..=0.07).contains(&width), "{bin:?}");
        }
    }

    #[test]
    fn nothing_seen_has_no_figures() {
        assert_eq!(figures(&Tally::default()), None);
    }
}
