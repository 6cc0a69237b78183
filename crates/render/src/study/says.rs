//! What a study says, in sentences.

use chronoscope_harness::finding::{Finding, Severity};
use chronoscope_harness::record::study::StudyRecord;
use chronoscope_harness::study_conclusions::{NOT_COMPARED, UNRESOLVED_DIFFERENCE, conclusions};

use super::grid::Tone;

/// A sentence and how it is meant.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) tone: Tone,
    pub(super) text: String,
}

/// The record's conclusions; those that follow from one that was written before they were kept.
pub(super) fn all(record: &StudyRecord) -> Vec<Said> {
    match &record.conclusions {
        Some(kept) => kept.iter().map(said).collect(),
        None => conclusions(record).iter().map(said).collect(),
    }
}

fn said(finding: &Finding) -> Said {
    let tone = if finding.severity >= Severity::Warning {
        Tone::Warning
    } else if finding.is(NOT_COMPARED) || finding.is(UNRESOLVED_DIFFERENCE) {
        Tone::Quiet
    } else {
        Tone::Plain
    };
    let subject = finding.subject.as_ref().map_or_else(String::new, |subject| format!("{subject}: "));
    Said { tone, text: subject + &finding.evidence.summary }
}
