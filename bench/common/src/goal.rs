//! What a benchmark is to show, and whether it did in this run.

use chronoscope_harness::record::study::Estimate;
use serde::Serialize;

use crate::table;

/// One goal with what was measured.
#[derive(Debug, Serialize)]
pub struct Goal {
    /// In words.
    pub goal: &'static str,
    /// What this run says of it.
    pub measured: String,
    /// Whether that is enough.
    pub verdict: Verdict,
}

/// Whether a goal is met.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is.
    Met,
    /// It is not, by so much.
    Missed(String),
    /// Not measured in this run, or too little to tell.
    Open(String),
}

impl Goal {
    /// A goal that this run says nothing of.
    pub fn open(goal: &'static str, why: &str) -> Self {
        Self { goal, measured: "–".into(), verdict: Verdict::Open(why.into()) }
    }
}

impl Verdict {
    /// In words.
    pub fn show(&self) -> String {
        match self {
            Self::Met => "met".into(),
            Self::Missed(by) => format!("missed by {by}"),
            Self::Open(why) => format!("open: {why}"),
        }
    }

    /// Met if `value` is at most `limit`.
    pub fn at_most(value: f64, limit: f64) -> Self {
        match value {
            value if value <= limit => Self::Met,
            value => Self::Missed(format!("{:.1} %", (value / limit - 1.0) * 100.0)),
        }
    }

    /// Met if an estimate is at most `limit` wherever in its interval the truth lies.
    pub fn estimate_at_most(estimate: &Estimate, limit: f64) -> Self {
        match estimate {
            Estimate { high, .. } if *high <= limit => Self::Met,
            Estimate { low, .. } if *low <= limit => Self::Open(format!("the interval holds {limit}")),
            Estimate { estimate, .. } => Self::at_most(*estimate, limit),
        }
    }

    /// Met if an estimate is at least `limit` wherever in its interval the truth lies.
    pub fn estimate_at_least(estimate: &Estimate, limit: f64) -> Self {
        match estimate {
            Estimate { low, .. } if *low >= limit => Self::Met,
            Estimate { high, .. } if *high >= limit => Self::Open(format!("the interval holds {limit}")),
            Estimate { estimate, .. } => Self::Missed(format!("{:.1} %", (limit / estimate - 1.0) * 100.0)),
        }
    }

    /// Whether the goal is met.
    pub fn is_met(&self) -> bool {
        *self == Self::Met
    }

    /// Whether nothing can be said.
    pub fn is_open(&self) -> bool {
        matches!(self, Self::Open(_))
    }
}

/// The table of goals.
pub fn show(goals: &[Goal]) -> String {
    let rows = goals.iter().map(|goal| vec![goal.goal.to_owned(), goal.measured.clone(), goal.verdict.show()]);
    table::text(&["goal", "measured", "verdict"], rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_may_be_reached_and_not_passed() {
        assert!(Verdict::at_most(0.5, 0.5).is_met());
        assert_eq!(Verdict::at_most(0.55, 0.5).show(), "missed by 10.0 %");
        assert!(Goal::open("a goal", "not measured").verdict.is_open());
    }

    #[test]
    fn an_interval_that_holds_the_limit_leaves_a_goal_open() {
        let of = |low, high| Estimate { estimate: f64::midpoint(low, high), low, high, confidence: 0.999 };
        let most = |low, high| Verdict::estimate_at_most(&of(low, high), 1.0);
        assert!(most(0.5, 1.0).is_met() && most(0.9, 1.1).is_open());
        assert_eq!(most(1.1, 1.3).show(), "missed by 20.0 %");
        let least = |low, high| Verdict::estimate_at_least(&of(low, high), 1.0);
        assert!(least(1.0, 1.5).is_met() && least(0.9, 1.1).is_open());
        assert_eq!(least(0.7, 0.9).show(), "missed by 25.0 %");
    }
}
