//! A document, judged by rules.

use super::report::{Gate, Judged, RuleOutcome};
use super::rule::Rule;
use super::{forbidden, limits, requirements};
use crate::document::Record;

/// The judgement of these rules on `record`.
pub fn gate(record: &Record, rules: &[Rule]) -> Gate {
    Gate::of(rules.iter().map(|rule| judge(record, rule)).collect(), record.interrupted)
}

/// The judgement of one rule.
pub fn judge(record: &Record, rule: &Rule) -> Judged {
    let found = match rule {
        Rule::MaxLatency(limit) => limits::latency(record, limit),
        Rule::MaxGranularity(limit) => limits::granularity(record, limit),
        Rule::MaxSkew(limit) => limits::skew(record, *limit),
        Rule::MaxNtpError(limit) => limits::ntp_error(record, *limit),
        Rule::MaxLost(share) => limits::lost(record, *share),
        Rule::Require(what) => requirements::judge(record, what),
        Rule::Forbid(kind) => forbidden::judge(record, &kind.0),
        Rule::Strict => forbidden::strict(record),
    };
    let advice = if found.outcome == RuleOutcome::Passed { Vec::new() } else { found.advice };
    Judged { rule: rule.to_string(), advice, ..found }
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
