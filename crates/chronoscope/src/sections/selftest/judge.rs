//! Whether claims about known facts are right: pure functions that must fail wrong claims.

use chronoscope_harness::record::study::{ComparisonPoint, Difference, Estimate, Steadiness};
use chronoscope_render::text::{ns, percent};

use super::check::Judgement;

/// Tolerated error, in percent.
const TOLERANCE_PCT: f64 = 1.0;
/// Below this length the tolerance does not shrink further: it is then 0.1 ns.
const TOLERANCE_FLOOR_NS: f64 = 10.0;
/// An interval with a larger half-width is too vague to be right, in percent.
const VAGUE_PCT: f64 = 5.0;
/// An empty loop with a smaller bound than this was not badly resolved.
const EMPTY_BELOW_NS: f64 = 10.0;

/// A duration: right if its interval overlaps that of the truth and is not vague, or if it is within a percent.
pub fn duration(claim: &Estimate, truth: &Estimate) -> Judgement {
    let scale_ns = truth.estimate.max(TOLERANCE_FLOOR_NS);
    let error_pct = 100.0 * (claim.estimate - truth.estimate) / scale_ns;
    let half_pct = 100.0 * claim.half_width() / scale_ns;
    let of =
        if truth.estimate < TOLERANCE_FLOOR_NS { format!(" of {}", ns(TOLERANCE_FLOOR_NS)) } else { String::new() };
    let off = format!("off {error_pct:+.2} %{of}");
    // Written so that NaN is not right.
    let is_near = error_pct.abs() <= TOLERANCE_PCT;
    let covers = claim.has_confidence() && claim.low <= truth.high && claim.high >= truth.low;
    let is_vague = half_pct > VAGUE_PCT;
    let truth_half_pct = 100.0 * truth.half_width() / scale_ns;
    match (is_near, covers) {
        // A poorly known truth is easily matched.
        (_, true) if truth_half_pct > VAGUE_PCT => Judgement::too_noisy(format!(
            "the truth is itself measured, and known only to ± {}",
            percent(truth_half_pct)
        )),
        (true, true) => Judgement::pass(format!("{off}, covered")),
        (_, false) if !claim.has_confidence() => Judgement::too_noisy(format!("{off}, from too few processes")),
        // So short a truth is known to the tolerance only: an operation overlaps with the loop around it.
        (true, false) if truth.estimate < TOLERANCE_FLOOR_NS => Judgement::pass(format!("{off}, not covered")),
        (true, false) => Judgement::fail(format!("{off}, but the interval excludes the truth")),
        (false, true) if is_vague => Judgement::too_noisy(format!(
            "the interval covers the truth, but at ± {} it is too wide to say anything",
            percent(half_pct)
        )),
        (false, true) => Judgement::pass(format!("covered, {off}")),
        (false, false) => Judgement::fail(format!("{off}, and the interval excludes the truth")),
    }
}

/// A duration with only an upper bound: an interval from zero to there, judged as any other.
pub fn bound(below_ns: f64, truth: &Estimate) -> Judgement {
    let half_ns = below_ns / 2.0;
    let half_pct = 100.0 * half_ns / truth.estimate.max(TOLERANCE_FLOOR_NS);
    // Written so that NaN is not right.
    if below_ns >= truth.low && half_pct <= VAGUE_PCT {
        Judgement::pass("covered by the bound")
    } else if below_ns >= truth.low {
        Judgement::too_noisy("cannot be told from an empty loop; the bound holds, but is loose")
    } else {
        Judgement::fail("takes longer than the bound")
    }
}

/// An empty loop: right if no number is given.
pub fn nothing(time: Option<&Estimate>, below_ns: Option<f64>) -> Judgement {
    match (time, below_ns) {
        (Some(time), _) => Judgement::fail(format!("reported as taking {}", ns(time.estimate))),
        (None, Some(below_ns)) if below_ns > 0.0 && below_ns <= EMPTY_BELOW_NS => {
            Judgement::pass("no number reported for nothing")
        }
        (None, Some(below_ns)) => Judgement::fail(format!("{} is no bound for nothing", ns(below_ns))),
        (None, None) => Judgement::fail("neither a time nor a bound reported"),
    }
}

/// A real difference: right if detected, in its direction and about its size.
pub fn difference(point: &ComparisonPoint, ratio: f64) -> Judgement {
    let claimed = &point.ratio;
    let right_side = if ratio > 1.0 { claimed.low > 1.0 } else { claimed.high < 1.0 };
    let error_pct = 100.0 * (claimed.estimate / ratio - 1.0);
    let right_size = error_pct.abs() <= TOLERANCE_PCT || claimed.holds(ratio);
    let right_verdict = point.verdict == if ratio > 1.0 { Difference::Slower } else { Difference::Faster };
    if !claimed.has_confidence() {
        Judgement::too_noisy("the ratio is from too few processes")
    } else if right_side && right_size && right_verdict {
        Judgement::pass("found, with the right sign and size")
    } else if !right_side && claimed.holds(1.0) && claimed.holds(ratio) {
        let half_pct = 100.0 * claimed.half_width();
        Judgement::too_noisy(format!(
            "the interval of ± {} includes both no difference and the true one",
            percent(half_pct)
        ))
    } else if !right_side {
        Judgement::fail("the difference was not found")
    } else if !right_size {
        Judgement::fail(format!("the ratio is off by {}", percent(error_pct)))
    } else {
        Judgement::fail("the interval excludes no difference, the verdict does not")
    }
}

/// An operation compared with itself: right if judged the same.
pub fn no_difference(point: &ComparisonPoint, margin_pct: f64) -> Judgement {
    match point.verdict {
        Difference::Same => Judgement::pass(format!("the same within {}", percent(margin_pct))),
        Difference::Unresolved if point.ratio.has_confidence() && point.ratio.holds(1.0) => {
            Judgement::too_noisy(format!(
                "the interval of ± {} includes no difference, but also more than the margin of {}",
                percent(100.0 * point.ratio.half_width()),
                percent(margin_pct)
            ))
        }
        Difference::Unresolved => Judgement::fail("the interval excludes no difference"),
        Difference::Faster | Difference::Slower => Judgement::fail("reported as different from itself"),
    }
}

/// The true behaviour of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Series {
    /// The same from first to last.
    Flat,
    /// Slower at first.
    WarmsUp,
    /// Longer with every call.
    Grows,
}

/// The detector's classification of a series: right if more than half of the processes agree.
pub fn series(found: &Steadiness, truth: Series) -> Judgement {
    let Steadiness { flat, warm_up, slow_down, no_steady_state, trend, too_short, .. } = *found;
    // A disturbed process has no series to judge.
    let all = flat + warm_up + slow_down + no_steady_state + trend;
    let right = match truth {
        Series::Flat => flat,
        Series::WarmsUp => warm_up,
        // Both mean that there is no single number.
        Series::Grows => trend + no_steady_state,
    };
    let said = format!("{right} of {all} processes say so");
    if all == 0 && too_short > 0 {
        Judgement::too_noisy("every process's series was disturbed")
    } else if all == 0 {
        Judgement::fail("no process was judged")
    } else if right * 2 > all {
        Judgement::pass(said)
    } else {
        Judgement::fail(said)
    }
}

/// A quantile of single operations: right if within the histogram's bins and the clock's error.
pub fn quantile(claim_ns: f64, truth: &Estimate, resolved_from_ns: f64) -> Judgement {
    /// Maximum width of a histogram bin, in percent.
    const BIN_PCT: f64 = 7.0;
    let error_pct = 100.0 * (claim_ns / truth.estimate - 1.0);
    let (low, high) = (truth.low * (1.0 - BIN_PCT / 100.0), truth.high * (1.0 + BIN_PCT / 100.0) + resolved_from_ns);
    let off = format!("off {error_pct:+.2} %");
    if (low..=high).contains(&claim_ns) {
        Judgement::pass(off)
    } else {
        Judgement::fail(format!("{off}: more than a bin of the histogram and the clock's error"))
    }
}

/// The shares of two modes: right if there are two, at the right places and with the right shares.
pub fn two_modes(found: &[(f64, f64)], truth: [(f64, f64); 2]) -> Judgement {
    /// Tolerated error of a mode's place: it is a bin's middle.
    const PLACE_PCT: f64 = 10.0;
    /// Tolerated error of its share, as a share of all.
    const SHARE: f64 = 0.03;
    let is = |(at, share): &(f64, f64), (true_at, true_share): (f64, f64)| {
        (at / true_at - 1.0).abs() * 100.0 <= PLACE_PCT && (share - true_share).abs() <= SHARE
    };
    let missing = truth.iter().filter(|mode| !found.iter().any(|each| is(each, **mode))).count();
    // Operations hit by interrupts are not a mode, and rare.
    let others = found.iter().filter(|each| !truth.iter().any(|mode| is(each, *mode)) && each.1 > SHARE).count();
    match (missing, others) {
        (0, 0) => Judgement::pass("both found, and no others"),
        (0, others) => Judgement::fail(format!("{others} more found that do not exist")),
        (missing, _) => Judgement::fail(format!("{missing} of 2 not found")),
    }
}

/// More threads than CPUs: right if marked as such, and the claim does not exceed the CPUs' capacity.
pub fn oversubscribed(is_marked: bool, claim: &Estimate, ceiling: &Estimate) -> Judgement {
    let over_pct = 100.0 * (claim.estimate / ceiling.estimate - 1.0);
    if !is_marked {
        Judgement::fail("more threads than CPUs, but not marked so")
    } else if !claim.has_confidence() || !ceiling.has_confidence() {
        Judgement::too_noisy("from too few processes")
    } else if claim.low <= ceiling.high || over_pct <= TOLERANCE_PCT {
        Judgement::pass("marked, and not above the ceiling")
    } else {
        Judgement::fail(format!("{} more than the CPUs can do", percent(over_pct)))
    }
}

/// A straight line: right if no point deviates far from it.
pub fn straight(largest_deviation_pct: f64, limit_pct: f64) -> Judgement {
    let said = format!("within {} of it", percent(largest_deviation_pct));
    // Written so that NaN is not right.
    if largest_deviation_pct <= limit_pct {
        Judgement::pass(said)
    } else {
        Judgement::fail(format!("a point is {} from the line", percent(largest_deviation_pct)))
    }
}

#[cfg(test)]
mod tests;
