//! What a harness says of an operation, and how that compares with what is so.

use bench_common::value::median;
use bench_common::{Count, Table, Value};

/// A truth that is so wrong must not be held: how often it is says how sharp the judge is.
const OFF: f64 = 0.02;

/// What an operation takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Truth {
    pub(crate) ns: f64,
    /// Half of its own interval, where it was measured, too.
    pub(crate) error_ns: f64,
}

/// What a harness said of an operation in one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Claim {
    /// Its value; None where it says only that the operation takes less than `below_ns`.
    pub(crate) ns: Option<f64>,
    /// Its interval, where it gives one.
    pub(crate) interval_ns: Option<(f64, f64)>,
    pub(crate) below_ns: Option<f64>,
    /// What the operation took, where that is known.
    pub(crate) truth: Option<Truth>,
}

impl Claim {
    /// Whether the interval holds the truth: with a truth that was measured, whether the two differ by no more than what
    /// both intervals leave open together, the root of the sum of their squares.
    fn holds(&self, truth: Truth) -> bool {
        // "Less than X" is right where it is.
        let below = self.ns.is_none() && self.below_ns.is_some_and(|below_ns| truth.ns - truth.error_ns <= below_ns);
        below
            || self.ns.zip(self.interval_ns).is_some_and(|(ns, (low, high))| {
                let half_ns = if truth.ns < ns { ns - low } else { high - ns };
                (truth.ns - ns).abs() <= half_ns.hypot(truth.error_ns)
            })
    }

    /// Claimed over true, less 1, in percent.
    fn error_pct(&self) -> Option<f64> {
        Some((self.ns? / self.truth?.ns - 1.0) * 100.0)
    }
}

/// What harnesses said, run after run, by operation and harness.
#[derive(Debug, Default)]
pub(crate) struct Claims(Vec<(String, &'static str, Vec<Claim>)>);

impl Claims {
    /// Adds what `harness` said in a run.
    pub(crate) fn add(&mut self, harness: &'static str, run: Vec<(String, Claim)>) {
        for (operation, claim) in run {
            match self.0.iter_mut().find(|(of, by, _)| (of.as_str(), *by) == (&operation, harness)) {
                Some((.., claims)) => claims.push(claim),
                None => self.0.push((operation, harness, vec![claim])),
            }
        }
    }

    /// A row for each operation and harness, the harnesses of an operation below each other.
    pub(crate) fn table(&self) -> Table {
        let columns = "operation | harness | truth ns | claimed ns | error % | median absolute error, % | ± % | interval holds truth | holds one 2 % off | holds median of runs";
        let mut table = Table::new(2, columns);
        let first = |operation: &String| self.0.iter().position(|(of, ..)| of == operation);
        let mut rows: Vec<_> = self.0.iter().collect();
        rows.sort_by_key(|(operation, ..)| first(operation));
        for (operation, harness, claims) in rows {
            table.row([&[operation.as_str().into(), (*harness).into()], row(claims).as_slice()].concat());
        }
        table
    }
}

fn row(claims: &[Claim]) -> [Value; 8] {
    let values = |of: fn(&Claim) -> Option<f64>| claims.iter().filter_map(of);
    let ns = |claim: &Claim| claim.ns;
    let middle = median(values(ns));
    let truth = median(values(|claim| claim.truth.map(|truth| truth.ns)));
    let below = Value::extremes(values(|claim| claim.below_ns.filter(|_| claim.ns.is_none())), 3);
    let half_width_pct = |claim: &Claim| Some((claim.interval_ns?.1 - claim.interval_ns?.0) / 2.0 / claim.ns? * 100.0);
    // A run that said neither a value nor a limit held nothing.
    let known = claims.iter().filter(|claim| claim.interval_ns.is_some() || claim.ns.is_none());
    let holds = |factor: f64| {
        let known = known.clone().filter_map(|claim| Some((claim, claim.truth?)));
        Value::count(known.map(|(claim, truth)| claim.holds(Truth { ns: truth.ns * factor, ..truth })))
    };
    let intervals = || claims.iter().filter_map(|claim| claim.interval_ns);
    [
        truth.map(|ns| Value::number(ns, decimals(ns))).into(),
        match middle {
            Some(ns) => Value::extremes(values(|claim| claim.ns), decimals(ns)),
            None if below == Value::Nothing => Value::Nothing,
            None => format!("< {}", below.show()).into(),
        },
        Value::extremes(values(Claim::error_pct), 3),
        median(values(|claim| claim.error_pct().map(f64::abs))).map(|pct| Value::number(pct, 3)).into(),
        Value::extremes(values(half_width_pct), 3),
        holds(1.0),
        // Longer or shorter, whichever it holds more often.
        [holds(1.0 + OFF), holds(1.0 - OFF)].into_iter().max_by_key(held).unwrap_or(Value::Nothing),
        Value::count(intervals().filter_map(|(low, high)| Some((low..=high).contains(&middle?)))),
    ]
}

fn held(value: &Value) -> u64 {
    if let Value::Count(Count { of, .. }) = value { *of } else { 0 }
}

/// Places that show a thousandth of a nanosecond, or five digits of what is long.
fn decimals(ns: f64) -> usize {
    if ns < 1_000.0 { 3 } else { usize::from(ns < 10_000.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(ns: f64, half: f64, truth_half: f64) -> Claim {
        let truth = Some(Truth { ns: 10.0, error_ns: truth_half });
        Claim { ns: Some(ns), interval_ns: Some((ns - half, ns + half)), below_ns: None, truth }
    }

    fn count(of: u64, all: u64) -> Value {
        Value::Count(Count { of, all })
    }

    #[test]
    fn an_interval_that_leaves_out_the_truth_is_a_miss() {
        let of = |truth_half: f64| {
            row(&[claim(10.1, 0.25, truth_half), claim(10.3, 0.25, truth_half), claim(10.4, 0.5, truth_half)])
        };
        let [truth, claimed, _, error, _, held, held_off, median_held] = of(0.0);
        assert_eq!([truth.show(), claimed.show(), error.show()], ["10.000", "10.300 (10.100…10.400)", "3.000"]);
        assert_eq!([held, held_off, median_held], [count(2, 3), count(3, 3), count(3, 3)]);
        assert_eq!(of(0.2)[5], count(3, 3), "a vague truth leaves more open");
    }

    #[test]
    fn no_value_holds_no_truth_and_no_interval_is_not_counted() {
        let below = Claim { ns: None, interval_ns: None, below_ns: Some(0.4), ..claim(10.0, 0.0, 0.0) };
        assert_eq!(row(&[below])[5], count(0, 1), "0.4 is less than the truth");
        assert_eq!(row(&[Claim { below_ns: Some(11.0), ..below }])[5], count(1, 1));
        assert_eq!(row(&[Claim { below_ns: None, ..below }])[5], count(0, 1));
        assert_eq!(row(&[Claim { interval_ns: None, ..claim(10.0, 0.0, 0.0) }])[5], Value::Nothing);
        assert_eq!(row(&[below])[1].show(), "< 0.400");
        assert_eq!(row(&[])[1], Value::Nothing);
    }

    #[test]
    fn harnesses_of_an_operation_are_neighbours() {
        let mut claims = Claims::default();
        for harness in ["a", "b"] {
            claims.add(harness, vec![("x".into(), claim(10.0, 1.0, 0.0)), ("y".into(), claim(10.0, 1.0, 0.0))]);
        }
        let table = serde_json::to_value(claims.table()).unwrap();
        let names: Vec<String> = (0..4).map(|at| format!("{}{}", table["rows"][at][0], table["rows"][at][1])).collect();
        assert_eq!(names, [r#""x""a""#, r#""x""b""#, r#""y""a""#, r#""y""b""#]);
    }
}
