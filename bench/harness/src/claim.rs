//! What the harness says of an operation, and how that compares with what is so.

use bench_common::value::median;
use bench_common::{Count, Table, Value};
use chronoscope_harness::record::Estimate;

/// A truth that is so wrong must not be held: how often it is says how sharp the judge is.
const OFF: f64 = 0.02;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Truth {
    pub(crate) ns: f64,
    /// Half of its own interval, where it was measured, too.
    pub(crate) error_ns: f64,
}

/// What the harness said of an operation in one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Claim {
    /// None where it says only that the operation takes less than `below_ns`.
    pub(crate) time_ns: Option<Estimate>,
    pub(crate) below_ns: Option<f64>,
    pub(crate) truth: Truth,
}

impl Claim {
    /// Whether the interval holds a truth that is `factor` times as long: whether the two differ by no more than what both
    /// intervals leave open together, the root of the sum of their squares.
    fn holds(&self, factor: f64) -> bool {
        let truth_ns = self.truth.ns * factor;
        match self.time_ns {
            Some(Estimate { estimate, low, high, .. }) => {
                let half_ns = if truth_ns < estimate { estimate - low } else { high - estimate };
                (truth_ns - estimate).abs() <= half_ns.hypot(self.truth.error_ns)
            }
            None => self.below_ns.is_some_and(|below_ns| truth_ns - self.truth.error_ns <= below_ns),
        }
    }

    /// Claimed over true, less 1, in percent.
    fn error_pct(&self) -> Option<f64> {
        Some((self.time_ns?.estimate / self.truth.ns - 1.0) * 100.0)
    }
}

pub(crate) fn table(operations: &[((&str, String), Vec<Claim>)]) -> Table {
    let columns = "machine | operation | truth ns | claimed ns | error % | median absolute error, % | ± % | interval holds truth | holds one 2 % off";
    let mut table = Table::new(2, columns);
    for ((machine, operation), claims) in operations {
        table.row([&[(*machine).into(), operation.as_str().into()], row(claims).as_slice()].concat());
    }
    table
}

fn row(claims: &[Claim]) -> [Value; 7] {
    let values = |of: fn(&Claim) -> Option<f64>| claims.iter().filter_map(of);
    let claimed = |claim: &Claim| claim.time_ns.map(|ns| ns.estimate);
    let half_width_pct = |claim: &Claim| claim.time_ns.map(|ns| ns.half_width() / ns.estimate * 100.0);
    let truth = median(claims.iter().map(|claim| claim.truth.ns)).unwrap_or(f64::NAN);
    let holds = |factor: f64| Count::of(claims.iter().map(|claim| claim.holds(factor)));
    [
        Value::number(truth, decimals(truth)),
        Value::extremes(values(claimed), decimals(truth)),
        Value::extremes(values(Claim::error_pct), 3),
        median(values(|claim| claim.error_pct().map(f64::abs))).map(|pct| Value::number(pct, 3)).into(),
        Value::extremes(values(half_width_pct), 3),
        holds(1.0).into(),
        // Longer or shorter, whichever it holds more often.
        [holds(1.0 + OFF), holds(1.0 - OFF)].into_iter().max_by_key(|held| held.of).into(),
    ]
}

/// Places that show a thousandth of a nanosecond, or five digits of what is long.
fn decimals(ns: f64) -> usize {
    if ns < 1_000.0 { 3 } else { usize::from(ns < 10_000.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(ns: f64, half: f64, truth_half: f64) -> Claim {
        let time_ns = Some(Estimate { low: ns - half, high: ns + half, ..Estimate::certain(ns) });
        Claim { time_ns, below_ns: None, truth: Truth { ns: 10.0, error_ns: truth_half } }
    }

    fn count(of: u64, all: u64) -> Value {
        Value::Count(Count { of, all })
    }

    #[test]
    fn an_interval_that_leaves_out_the_truth_is_a_miss() {
        let of = |truth_half: f64| {
            row(&[claim(10.1, 0.25, truth_half), claim(10.3, 0.25, truth_half), claim(10.4, 0.5, truth_half)])
        };
        let [truth, claimed, _, error, _, held, held_off] = of(0.0);
        assert_eq!([truth.show(), claimed.show(), error.show()], ["10.000", "10.300 (10.100…10.400)", "3.000"]);
        assert_eq!([held, held_off], [count(2, 3), count(3, 3)]);
        assert_eq!(of(0.2)[5], count(3, 3), "a vague truth leaves more open");
    }

    #[test]
    fn no_value_holds_no_truth_unless_it_is_below_the_limit() {
        let below = |below_ns| row(&[Claim { time_ns: None, below_ns, ..claim(10.0, 0.0, 0.0) }])[5].clone();
        assert_eq!([None, Some(0.4), Some(11.0)].map(below), [0, 0, 1].map(|of| count(of, 1)));
    }
}
