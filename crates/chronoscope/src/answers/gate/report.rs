use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The judgement of a gate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Gate {
    /// Whether every rule passed, on a run that was not interrupted.
    pub passed: bool,
    /// The rules, in the order given.
    pub rules: Vec<Judged>,
}

impl Gate {
    /// The judgement of these rules on a run that was interrupted or not.
    pub fn of(rules: Vec<Judged>, is_interrupted: bool) -> Self {
        Self { passed: !is_interrupted && rules.iter().all(|rule| rule.outcome == RuleOutcome::Passed), rules }
    }

    /// How many rules ended so.
    pub fn count(&self, outcome: RuleOutcome) -> usize {
        self.rules.iter().filter(|rule| rule.outcome == outcome).count()
    }
}

/// A rule, judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Judged {
    /// The rule, as on the command line: `max-latency CLOCK_MONOTONIC=40ns`.
    pub rule: String,
    pub outcome: RuleOutcome,
    /// What was seen, in words with the numbers; or why nothing was.
    pub seen: String,
    /// The measured quantity, if the rule limits one.
    pub measured: Option<Measured>,
    /// What to do if it did not pass; empty if it did.
    pub advice: Vec<String>,
}

/// How a rule ended. Only `passed` counts as passed: a check that was not made is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleOutcome {
    /// It is met, with the whole interval.
    Passed,
    /// It is not met, with the whole interval.
    Failed,
    /// The limit is inside the interval.
    Unresolved,
    /// It was not measured, or could not be.
    Unknown,
}

impl RuleOutcome {
    /// The outcome of a limit on a quantity that is known to be between `low` and `high`.
    pub fn of_limit(low: f64, high: f64, limit: f64) -> Self {
        if high <= limit {
            Self::Passed
        } else if low > limit {
            Self::Failed
        } else {
            Self::Unresolved
        }
    }

    pub const fn words(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Unresolved => "unresolved",
            Self::Unknown => "unknown",
        }
    }
}

/// A quantity with a limit. A number that is not finite is left out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measured {
    /// The unit of all four.
    pub unit: LimitUnit,
    pub limit: f64,
    /// The best estimate; null if there is only a bound.
    pub estimate: Option<f64>,
    /// The lower end of its interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LimitUnit {
    /// Nanoseconds.
    Ns,
    Percent,
}
