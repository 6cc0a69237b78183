//! Rules that forbid a finding.

use super::report::{Judged, RuleOutcome};
use super::rule::Rule;
use crate::document::Record;
use crate::kinds::{self, reason_not_looked_for, reason_unexamined};
use crate::part::Part;
use chronoscope_harness::finding::{Finding, Kind, Severity};

/// The kind of finding of this id.
///
/// # Errors
/// If this build does not know it.
pub fn kind(id: &str) -> Result<Kind, String> {
    let id = id.trim();
    let known = kinds::all().find(|kind| kind.id == id);
    known.copied().ok_or_else(|| format!("unknown finding `{id}`; `chronoscope findings` lists them"))
}

/// The rule that there is no finding of this id.
///
/// # Errors
/// If this build does not know it.
pub fn rule(id: &str) -> Result<Rule, String> {
    let kind = kind(id)?;
    Ok(Rule::new(format!("forbid {}", kind.id), move |record| judge(record, &kind)))
}

/// The rule that there is no finding of severity warning or worse.
pub fn strict() -> Rule {
    Rule::new("strict".to_owned(), no_warning)
}

/// Whether there is no finding of this kind. That none was found tells something only if it was looked for.
fn judge(record: &Record, kind: &Kind) -> Judged {
    let found: Vec<&Finding> = record.findings.iter().filter(|finding| finding.is(*kind)).collect();
    if let Some(first) = found.first() {
        let more = if found.len() > 1 { format!("; {} such findings", found.len()) } else { String::new() };
        let judged = Judged::seen(RuleOutcome::Failed, format!("{}{more}", first.evidence.summary));
        let advice: &[String] = &first.advice;
        return match advice.is_empty() {
            true => judged.advice(kind.mend),
            false => advice.iter().fold(judged, |judged, advice| judged.advice(advice)),
        };
    }
    match reason_not_looked_for(record, *kind) {
        Some(reason) => Judged::unknown(reason),
        None => Judged::seen(RuleOutcome::Passed, format!("{} found", no(kind.severity))),
    }
}

/// Whether there is no finding of severity warning or worse.
fn no_warning(record: &Record) -> Judged {
    let mut found: Vec<&str> = record
        .findings
        .iter()
        .filter(|finding| finding.severity >= Severity::Warning)
        .map(|finding| &*finding.id)
        .collect();
    found.dedup();
    if !found.is_empty() {
        let words = format!("warnings or errors: {}", found.join(", "));
        return Judged::seen(RuleOutcome::Failed, words).advice("`chronoscope findings ID` explains each");
    }
    let parts: Vec<Part> = record.content.parts.iter().map(|report| report.part).collect();
    match reason_unexamined(record, &parts) {
        Some(reason) => Judged::unknown(reason),
        None if record.content.is_check() && parts.is_empty() => Judged::unknown("nothing was measured"),
        None => Judged::seen(RuleOutcome::Passed, "no warning or error"),
    }
}

const fn no(severity: Severity) -> &'static str {
    match severity {
        Severity::Notice => "no such notice",
        Severity::Warning => "no such warning",
        Severity::Critical => "no such error",
    }
}
