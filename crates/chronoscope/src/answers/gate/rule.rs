//! A rule of a gate, and a document judged by rules.

use std::fmt;
use std::sync::Arc;

use super::report::{Gate, Judged, RuleOutcome};
use crate::document::Record;

/// What has to be measured for a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    Check,
    NoiseFloor,
}

/// A rule: how it is told, and what judges it.
#[derive(Clone)]
pub struct Rule {
    told: String,
    pub needs: Needs,
    judge: Arc<dyn Fn(&Record) -> Judged + Send + Sync>,
}

impl Rule {
    pub fn new(told: String, judge: impl Fn(&Record) -> Judged + Send + Sync + 'static) -> Self {
        Self { told, needs: Needs::Check, judge: Arc::new(judge) }
    }

    /// The same of what identical operations show.
    #[must_use]
    pub fn of_noise_floor(self) -> Self {
        Self { needs: Needs::NoiseFloor, ..self }
    }

    /// The judgement of it on `record`.
    pub fn judge(&self, record: &Record) -> Judged {
        let found = (self.judge)(record);
        let advice = if found.outcome == RuleOutcome::Passed { Vec::new() } else { found.advice };
        Judged { rule: self.told.clone(), advice, ..found }
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told)
    }
}

/// The judgement of these rules on `record`.
pub fn gate(record: &Record, rules: &[Rule]) -> Gate {
    Gate::of(rules.iter().map(|rule| rule.judge(record)).collect(), record.interrupted)
}

impl Judged {
    /// This outcome of a rule, for what was seen.
    pub fn seen(outcome: RuleOutcome, seen: impl Into<String>) -> Self {
        Self { rule: String::new(), outcome, seen: seen.into(), measured: None, advice: Vec::new() }
    }

    /// Not measured, for this reason.
    pub fn unknown(reason: impl Into<String>) -> Self {
        Self::seen(RuleOutcome::Unknown, reason)
    }

    /// Adds what to do if it did not pass.
    #[must_use]
    pub fn advice(mut self, advice: impl Into<String>) -> Self {
        self.advice.push(advice.into());
        self
    }
}
