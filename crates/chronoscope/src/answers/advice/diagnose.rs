//! From a symptom and a document to causes: seen, excluded, unknown.

use chronoscope_harness::finding::{Finding, Kind};

use super::exclusions::Exclusion;
use super::report::{Cause, SymptomAdvice};
use crate::document::{Outcome, Record};
use crate::registry::parts_of;

/// A symptom: one row of the index.
#[derive(Clone, Copy, Debug)]
pub struct Symptom {
    /// Its name in documents, in snake case; never reused for another.
    pub id: &'static str,
    /// As users put it: the first is its title.
    pub phrases: &'static [&'static str],
    /// What is usually behind it.
    pub usually: &'static str,
    /// The sections that answer it, by name.
    pub needs: &'static [&'static str],
    /// The possible causes, the most frequent first.
    pub suspects: &'static [Suspect],
}

impl Symptom {
    /// Its title.
    pub const fn title(&self) -> &'static str {
        self.phrases[0]
    }
}

/// A possible cause, and how to recognise it.
#[derive(Clone, Copy, Debug)]
pub struct Suspect {
    pub cause: &'static str,
    pub sign: Sign,
}

/// How to recognise a cause.
#[derive(Clone, Copy, Debug)]
pub enum Sign {
    /// By a finding of these kinds; without one it is excluded, once all of these sections were measured.
    Findings { kinds: &'static [Kind], of: &'static [&'static str] },
    /// The same, where it takes more than that to exclude it.
    FindingsUnless { kinds: &'static [Kind], of: &'static [&'static str], excluded: fn(&Record) -> Exclusion },
    /// By figures.
    Figures(fn(&Record) -> Look),
    /// Not from outside the program: what to look for in it, and what helps.
    YourCode { look_for: &'static str, advice: &'static [&'static str] },
}

/// What the figures say about a cause.
#[derive(Clone, Debug, PartialEq)]
pub enum Look {
    /// It is there.
    Found { evidence: String, findings: Vec<String>, advice: Vec<String> },
    /// They speak against it.
    Excluded { evidence: String },
    /// They are missing.
    Unknown { reason: String },
}

/// What is behind `symptom` on the machine of `record`; `asked` are the user's words, and `others` further symptoms that they fit.
pub fn diagnose(symptom: &Symptom, asked: &str, others: &[&Symptom], record: &Record) -> SymptomAdvice {
    let (mut found, mut excluded, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
    for suspect in symptom.suspects {
        let cause = |evidence: String, findings: Vec<String>, advice: Vec<String>| Cause {
            cause: suspect.cause.to_owned(),
            evidence,
            findings,
            advice,
        };
        match look(suspect.sign, record) {
            Look::Found { evidence, findings, advice } => found.push(cause(evidence, findings, advice)),
            Look::Excluded { evidence } => excluded.push(cause(evidence, Vec::new(), Vec::new())),
            Look::Unknown { reason } => {
                let advice = match suspect.sign {
                    Sign::YourCode { advice, .. } => advice.iter().map(|&line| line.to_owned()).collect(),
                    _ => Vec::new(),
                };
                unknown.push(cause(reason, Vec::new(), advice));
            }
        }
    }
    SymptomAdvice {
        asked: asked.to_owned(),
        symptom: symptom.id.to_owned(),
        title: symptom.title().to_owned(),
        others: others.iter().map(|other| other.id.to_owned()).collect(),
        answer: answer(&found, &excluded, &unknown),
        usually: symptom.usually.to_owned(),
        found,
        excluded,
        unknown,
    }
}

fn answer(found: &[Cause], excluded: &[Cause], unknown: &[Cause]) -> String {
    let names = |causes: &[Cause]| causes.iter().map(|cause| cause.cause.as_str()).collect::<Vec<_>>().join("; ");
    match (found, unknown) {
        ([], []) => "none of the usual causes is present on this machine".to_owned(),
        ([], rest) if excluded.is_empty() => format!("nothing measured can tell; possible: {}", names(rest)),
        ([], rest) => format!("no cause seen on this machine; what remains: {}", names(rest)),
        (found, _) => format!("seen on this machine: {}", names(found)),
    }
}

fn look(sign: Sign, record: &Record) -> Look {
    match sign {
        Sign::Figures(look) => look(record),
        Sign::YourCode { look_for, .. } => Look::Unknown { reason: look_for.to_owned() },
        Sign::Findings { kinds, of } => by_kinds(kinds, of, record, |_| Ok(none_of(kinds, of))),
        Sign::FindingsUnless { kinds, of, excluded } => by_kinds(kinds, of, record, excluded),
    }
}

fn by_kinds(kinds: &[Kind], of: &[&str], record: &Record, excluded: impl Fn(&Record) -> Exclusion) -> Look {
    let found = findings(kinds, record);
    if !found.is_empty() {
        return by_findings(&found);
    }
    match unmeasured(of, record).map_or_else(|| excluded(record), Err) {
        Ok(evidence) => Look::Excluded { evidence },
        Err(reason) => Look::Unknown { reason },
    }
}

/// The findings of `record` of these kinds.
pub fn findings<'r>(kinds: &[Kind], record: &'r Record) -> Vec<&'r Finding> {
    record.findings.iter().filter(|finding| kinds.iter().any(|kind| finding.is(*kind))).collect()
}

/// A cause seen by findings: what they say, and what they advise.
pub fn by_findings(found: &[&Finding]) -> Look {
    /// More of one kind say the same of other clocks.
    const MOST: usize = 3;

    let mut evidence: Vec<&str> =
        found.iter().map(|finding| finding.evidence.summary.as_str()).filter(|text| !text.is_empty()).collect();
    let more = evidence.len().saturating_sub(MOST);
    evidence.truncate(MOST);
    let mut findings: Vec<String> = found.iter().map(|finding| finding.id.to_string()).collect();
    findings.dedup();
    let mut advice: Vec<String> = Vec::new();
    for line in found.iter().flat_map(|finding| &finding.advice) {
        if !advice.contains(line) && advice.len() < MOST {
            advice.push(line.clone());
        }
    }
    let and_more = if more > 0 { format!("; and {more} more") } else { String::new() };
    Look::Found { evidence: evidence.join("; ") + &and_more, findings, advice }
}

fn none_of(kinds: &[Kind], of: &[&str]) -> String {
    let ids: Vec<&str> = kinds.iter().map(|kind| kind.id).collect();
    let measured = if of.is_empty() { String::new() } else { format!(" (measured by {})", words(of)) };
    format!("no finding {}{measured}", ids.join(", "))
}

/// Why the document cannot tell what these sections measure; None if it has all of them.
pub fn unmeasured(sections: &[&str], record: &Record) -> Option<String> {
    let missing: Vec<&str> = sections.iter().copied().filter(|name| !is_measured(name, record)).collect();
    (!missing.is_empty()).then(|| format!("not in this document: {} measures it", words(&missing)))
}

/// Whether a section's results are in the document.
fn is_measured(section: &str, record: &Record) -> bool {
    let parts = parts_of(section);
    let mut reports = record.parts.iter().filter(|report| parts.iter().any(|row| row.part == report.part));
    reports.any(|report| matches!(report.outcome, Outcome::Done | Outcome::Incomplete))
}

/// Sections as their commands are called.
pub fn words(sections: &[&str]) -> String {
    let names: Vec<String> = sections.iter().map(|name| format!("`chronoscope {}`", name.replace('_', "-"))).collect();
    names.join(", ")
}

/// Why a document has too little for `symptom`, and what measures it; None if it has something.
pub fn lacking(symptom: &Symptom, record: &Record) -> Option<String> {
    let missing: Vec<&str> = symptom.needs.iter().copied().filter(|name| !is_measured(name, record)).collect();
    (missing.len() == symptom.needs.len()).then(|| {
        format!(
            "it has nothing about \"{}\"; {} --output FILE measures it",
            symptom.title(),
            words(&missing[..1]).trim_matches('`')
        )
    })
}
