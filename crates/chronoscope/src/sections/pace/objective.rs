use std::str::FromStr;
use std::time::Duration;

use chronoscope_bench::time;
use chronoscope_harness::quantity::length;

/// What a pace must achieve: a quantile, and the longest time that it may have.
#[derive(Clone, Debug, PartialEq)]
pub struct Objective {
    /// As it was written: `p99.9`, `max`.
    pub name: String,
    pub of: Quantile,
    pub limit: Duration,
}

/// The quantile of an objective.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantile {
    /// Between 0 and 1, both excluded.
    Share(f64),
    /// The largest of all.
    Max,
}

/// No event of a run takes longer, and longer times are not told apart.
const LONGEST: Duration = Duration::from_secs(72 * 3600);
const HOW: &str = "write a percentile and its limit, e.g. p99=2ms, p99.9=500us or max=1s";
/// A longer name is no percentile that a run could resolve.
const LONGEST_NAME: usize = 12;

impl FromStr for Objective {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, limit) = text.split_once('=').ok_or_else(|| format!("{text} is not an objective; {HOW}"))?;
        let name = name.trim();
        let of = quantile(name).ok_or_else(|| format!("{name} is not a percentile; {HOW}"))?;
        let limit = time(limit, "a limit such as 2ms")?;
        if limit.is_zero() {
            return Err(format!("the limit of {name} is 0 s; choose a limit such as 2ms"));
        }
        if limit > LONGEST {
            return Err(format!("the limit of {name}, {}, is out of range (1 ns–{})", length(limit), length(LONGEST)));
        }
        Ok(Self { name: name.to_owned(), of, limit })
    }
}

fn quantile(name: &str) -> Option<Quantile> {
    if name == "max" {
        return Some(Quantile::Max);
    }
    let percent = name.strip_prefix('p').filter(|_| name.len() <= LONGEST_NAME)?;
    let is_number = percent.starts_with(|first: char| first.is_ascii_digit())
        && percent.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
    let share = percent.parse::<f64>().ok().filter(|_| is_number)? / 100.0;
    (share > 0.0 && share < 1.0).then_some(Quantile::Share(share))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn objectives_are_percentiles_with_a_limit() {
        for (text, of, limit) in [
            ("p50=10us", Quantile::Share(0.5), Duration::from_micros(10)),
            ("p99.9=2ms", Quantile::Share(99.9 / 100.0), Duration::from_millis(2)),
            ("max=1s", Quantile::Max, Duration::from_secs(1)),
        ] {
            let objective = text.parse::<Objective>().unwrap();
            assert_eq!((objective.of, objective.limit), (of, limit), "{text}");
            assert!(text.starts_with(&objective.name));
        }
    }

    #[test]
    fn what_is_no_objective_is_refused_with_what_is() {
        for text in ["", "p99", "99=2ms", "p0=2ms", "p100=2ms", "p=2ms", "p.5=2ms", "pinf=1s", "mean=2ms", "p1e1=2ms"] {
            let refused = text.parse::<Objective>().unwrap_err();
            assert!(refused.contains("e.g. p99=2ms"), "{text}: {refused}");
        }
        for text in ["p99=2", "p99=0s", "p99=-2ms", "p99=", "p99=soon"] {
            let refused = text.parse::<Objective>().unwrap_err();
            assert!(refused.contains("a limit such as 2ms"), "{text}: {refused}");
        }
    }

    /// One beyond what histograms keep would be met by whatever is longer.
    #[test]
    fn a_limit_that_no_time_is_compared_with_is_refused() {
        let refused = "max=73h".parse::<Objective>().unwrap_err();
        assert!(refused.contains("the limit of max, 73 h, is out of range (1 ns–72 h)"), "{refused}");
        assert!("max=72h".parse::<Objective>().is_ok());
        let record = chronoscope_clock::pacer::PaceRecord::new();
        let (kept, longest) = (record.response(), u64::try_from(LONGEST.as_nanos()).unwrap());
        assert!(kept.highest_equivalent(longest) < kept.lowest_equivalent(kept.high()));
    }

    proptest! {
        #[test]
        fn nothing_panics(text in ".{0,20}") {
            let _ = text.parse::<Objective>();
        }
    }
}
