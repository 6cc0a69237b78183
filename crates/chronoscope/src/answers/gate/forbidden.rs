//! Rules that forbid a finding.

use super::report::{Judged, RuleOutcome};
use super::rule::Rule;
use crate::document::{PartReport, Record};
use crate::engine::rules::is_excused;
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
    Ok(Rule::new(format!("forbid {}", kind.id), move |record| absent(record, kind, "none found")))
}

/// The rule that there is no finding of severity warning or worse.
pub fn strict() -> Rule {
    Rule::new("strict".to_owned(), no_warning)
}

/// Whether there is no finding of this kind, in words if so. That none was found tells something only if it was looked for.
pub fn absent(record: &Record, kind: Kind, words: &str) -> Judged {
    let found: Vec<&Finding> = record.findings.iter().filter(|finding| finding.is(kind)).collect();
    if let Some(first) = found.first() {
        let more = if found.len() > 1 { format!("; {} such findings", found.len()) } else { String::new() };
        return failed(record, kind, format!("{}{more}", first.evidence.summary));
    }
    match reason_not_looked_for(record, kind) {
        Some(reason) => Judged::unknown(reason),
        None => Judged::seen(RuleOutcome::Passed, words),
    }
}

/// Not met, as `words` say, with what to do about the first finding of this kind.
pub fn failed(record: &Record, kind: Kind, words: String) -> Judged {
    let found = record.findings.iter().find(|finding| finding.is(kind));
    let advice = found.map(|finding| finding.advice.clone()).filter(|advice| !advice.is_empty());
    let advice = advice.unwrap_or_else(|| vec![kind.mend.to_owned()]);
    Judged { advice, ..Judged::seen(RuleOutcome::Failed, words) }
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
    // Of runtimes that start too slowly for a check it promises nothing.
    let is_promised = |report: &&PartReport| !is_excused(record, report);
    let parts: Vec<Part> = record.content.parts.iter().filter(is_promised).map(|report| report.part).collect();
    match reason_unexamined(record, &parts) {
        Some(reason) => Judged::unknown(reason),
        None if record.content.is_check() && kinds::measured(record).is_empty() => {
            Judged::unknown("nothing was measured")
        }
        None => Judged::seen(RuleOutcome::Passed, "no warning or error"),
    }
}
