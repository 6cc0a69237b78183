//! How two sides compare that were measured in pairs.

use super::states::disagree;
use crate::record::study::{ComparisonPoint, Difference, Leading};
use crate::stats::{Paired, compare, median, paired};

/// The first side's time, the second's, and the ratio of what a link took in their processes, unless both are of one.
pub(in crate::study) type Pair = (f64, f64, Option<f64>);

/// What intervals and verdicts have to hold.
#[derive(Clone, Copy, Debug)]
pub(in crate::study) struct Terms {
    pub(in crate::study) margin_pct: f64,
    /// Of each interval.
    pub(in crate::study) confidence: f64,
    /// With less there is no verdict.
    pub(in crate::study) least: f64,
}

/// How the second side compares with the first, by one of their numbers, at no backoff. The clock leaves open a difference of `floor_ns`.
/// The intervals also hold what the times of all processes together say, if those are given. None without a pair.
pub(in crate::study) fn judge(
    leads: Leading,
    pairs: &[Pair],
    all_ns: Option<(f64, f64)>,
    floor_ns: f64,
    terms: &Terms,
) -> Option<ComparisonPoint> {
    let base_ns = median(pairs.iter().map(|(first, ..)| *first))?;
    let times: Vec<(f64, f64)> = pairs.iter().map(|(first, second, _)| (*first, *second)).collect();
    let mut found = paired(&times, terms.confidence)?;
    if let Some((first, second)) = all_ns {
        found.difference = found.difference.holding(second - first);
        found.ratio = found.ratio.holding(second / first);
    }
    let Paired { difference: difference_ns, ratio } = found.at_least(floor_ns, base_ns);
    let margin = terms.margin_pct / 100.0;
    let ratios: Vec<(f64, Option<f64>)> = pairs.iter().map(|(first, second, links)| (second / first, *links)).collect();
    let has_states = disagree(&ratios, margin);
    let verdict = match compare(&ratio, margin) {
        // Too few processes, or such as say different things.
        _ if ratio.confidence < terms.least || has_states => Difference::Unresolved,
        // Where the clock itself could make the difference, nothing is known of its direction.
        Difference::Faster | Difference::Slower if difference_ns.holds(0.0) => Difference::Unresolved,
        verdict => verdict,
    };
    let pairs = pairs.len() as u64;
    Some(ComparisonPoint {
        backoff_tokens: 0,
        leads,
        difference_ns,
        ratio,
        other_ratio: None,
        verdict,
        has_states,
        pairs,
    })
}
