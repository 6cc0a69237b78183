//! What a harness says of an operation, and how that compares with what is so.

use bench_common::spread::Spread;
use serde::Serialize;

/// What an operation takes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Truth {
    pub(crate) ns: f64,
    /// Half of its own interval, where it was measured, too.
    pub(crate) error_ns: f64,
}

/// What a harness said of an operation in one run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Claim {
    /// Its value; None where it says only that the operation takes less than `below_ns`.
    pub(crate) ns: Option<f64>,
    /// Its interval, where it gives one.
    pub(crate) interval_ns: Option<(f64, f64)>,
    pub(crate) below_ns: Option<f64>,
    /// What the operation took, where that is known.
    pub(crate) truth: Option<Truth>,
}

/// What a harness said of an operation in all runs.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Claims {
    pub(crate) operation: String,
    pub(crate) claims: Vec<Claim>,
}

/// So many of so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Count {
    pub(crate) of: usize,
    pub(crate) all: usize,
}

impl Count {
    /// How many of `all` hold.
    pub(crate) fn of(all: impl IntoIterator<Item = bool>) -> Self {
        all.into_iter()
            .fold(Self { of: 0, all: 0 }, |count, holds| Self { of: count.of + usize::from(holds), all: count.all + 1 })
    }

    pub(crate) fn show(self) -> String {
        if self.all == 0 { "–".into() } else { format!("{} of {}", self.of, self.all) }
    }
}

impl Claim {
    /// Whether the interval holds `ns`. None without an interval.
    fn holds(&self, ns: f64) -> Option<bool> {
        self.interval_ns.map(|(low, high)| (low..=high).contains(&ns))
    }

    /// Whether the interval holds the truth: with a truth that was measured, whether the two differ by no more than what
    /// both intervals leave open together, the root of the sum of their squares. None where no truth is known.
    fn holds_truth(&self) -> Option<bool> {
        self.truth.map(|truth| self.holds_this(truth))
    }

    fn holds_this(&self, truth: Truth) -> bool {
        // "Less than X" is right where it is.
        let below = self.ns.is_none() && self.below_ns.is_some_and(|below_ns| truth.ns - truth.error_ns <= below_ns);
        below
            || self.ns.zip(self.interval_ns).is_some_and(|(ns, (low, high))| {
                let half_ns = if truth.ns < ns { ns - low } else { high - ns };
                (truth.ns - ns).abs() <= half_ns.hypot(truth.error_ns)
            })
    }
}

impl Claims {
    pub(crate) fn truth_ns(&self) -> Option<Spread> {
        Spread::of(self.claims.iter().filter_map(|claim| claim.truth.map(|truth| truth.ns)))
    }

    pub(crate) fn ns(&self) -> Option<Spread> {
        Spread::of(self.claims.iter().filter_map(|claim| claim.ns))
    }

    /// Claimed over true, less 1, in percent, with its sign.
    pub(crate) fn error_pct(&self) -> Option<Spread> {
        Spread::of(self.claims.iter().filter_map(|claim| Some((claim.ns? / claim.truth?.ns - 1.0) * 100.0)))
    }

    /// The same without its sign.
    pub(crate) fn absolute_error_pct(&self) -> Option<Spread> {
        Spread::of(self.claims.iter().filter_map(|claim| Some((claim.ns? / claim.truth?.ns - 1.0).abs() * 100.0)))
    }

    /// Half an interval's width, in percent of its claim.
    pub(crate) fn half_width_pct(&self) -> Option<Spread> {
        Spread::of(self.claims.iter().filter_map(|claim| {
            let (low, high) = claim.interval_ns?;
            Some((high - low) / 2.0 / claim.ns? * 100.0)
        }))
    }

    /// Runs whose interval, or "less than X", holds the truth of that run; a run that said neither held nothing.
    pub(crate) fn hold_truth(&self) -> Count {
        let known = self.claims.iter().filter(|claim| claim.interval_ns.is_some() || claim.ns.is_none());
        Count::of(known.filter_map(Claim::holds_truth))
    }

    /// Runs whose interval would hold a truth this much longer, or that much shorter, whichever are more: a judge that lets those
    /// pass says little.
    pub(crate) fn hold_truth_off_by(&self, share: f64) -> Count {
        let off = |factor: f64| {
            let held = |claim: &Claim| {
                let truth = claim.truth?;
                Some(claim.holds_this(Truth { ns: truth.ns * factor, ..truth }))
            };
            Count::of(self.claims.iter().filter_map(held))
        };
        [off(1.0 + share), off(1.0 - share)].into_iter().max_by_key(|count| count.of).unwrap_or(Count { of: 0, all: 0 })
    }

    /// Runs whose interval holds the median of all runs' values.
    pub(crate) fn hold_median(&self) -> Count {
        let median = self.ns().map(|ns| ns.median);
        Count::of(self.claims.iter().filter_map(|claim| claim.holds(median?)))
    }

    /// Runs that said "less than X" and gave no value; the limits that they named.
    pub(crate) fn below_ns(&self) -> Option<Spread> {
        Spread::of(self.claims.iter().filter(|claim| claim.ns.is_none()).filter_map(|claim| claim.below_ns))
    }

    /// What was claimed, in words: the median of the values with their extremes, or what none of them was above.
    pub(crate) fn show(&self) -> String {
        match (self.ns(), self.below_ns()) {
            (Some(ns), _) => ns.show_extremes(decimals(ns.median)),
            (None, Some(below)) => format!("< {}", below.show_extremes(decimals(below.median))),
            (None, None) => "–".into(),
        }
    }
}

/// Places that show a thousandth of a nanosecond, or five digits of what is long.
pub(crate) fn decimals(ns: f64) -> usize {
    if ns < 1_000.0 { 3 } else { usize::from(ns < 10_000.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(half: f64) -> Truth {
        Truth { ns: 10.0, error_ns: half }
    }

    fn claim(ns: f64, half: f64) -> Claim {
        Claim { ns: Some(ns), interval_ns: Some((ns - half, ns + half)), below_ns: None, truth: Some(known(0.0)) }
    }

    #[test]
    fn an_interval_that_leaves_out_the_truth_is_a_miss() {
        let claims =
            Claims { operation: "x".into(), claims: vec![claim(10.1, 0.25), claim(10.3, 0.25), claim(10.4, 0.5)] };
        assert_eq!(claims.hold_truth(), Count { of: 2, all: 3 });
        assert_eq!(claims.hold_median(), Count { of: 3, all: 3 });
        let vague = Claims {
            operation: "x".into(),
            claims: claims.claims.iter().map(|claim| Claim { truth: Some(known(0.2)), ..*claim }).collect(),
        };
        assert_eq!(vague.hold_truth(), Count { of: 3, all: 3 });
        assert_eq!(claims.hold_truth_off_by(0.05), Count { of: 2, all: 3 }, "of 10.3 and of 10.4 it may be 10.5");
        assert_eq!(claims.hold_truth_off_by(0.1), Count { of: 0, all: 3 });
        assert!((claims.absolute_error_pct().unwrap().median - 3.0).abs() < 1e-9);
    }

    #[test]
    fn no_value_holds_no_truth_and_no_interval_is_not_counted() {
        let below = Claim { ns: None, interval_ns: None, below_ns: Some(0.4), truth: Some(known(0.0)) };
        let bare = Claim { interval_ns: None, ..claim(10.0, 0.0) };
        let claims = |claims: Vec<Claim>| Claims { operation: "x".into(), claims };
        assert_eq!(claims(vec![below]).hold_truth(), Count { of: 0, all: 1 }, "0.4 is less than the truth");
        assert_eq!(claims(vec![Claim { below_ns: Some(11.0), ..below }]).hold_truth(), Count { of: 1, all: 1 });
        assert_eq!(claims(vec![Claim { below_ns: None, ..below }]).hold_truth(), Count { of: 0, all: 1 });
        assert_eq!(claims(vec![bare]).hold_truth(), Count { of: 0, all: 0 });
        assert_eq!(claims(vec![below]).show(), "< 0.400 (0.400…0.400)");
        assert_eq!(claims(vec![]).show(), "–");
    }
}
