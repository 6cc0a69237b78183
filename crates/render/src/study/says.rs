//! A study's conclusions, in sentences.

use chronoscope_harness::finding::{Finding, Severity};
use chronoscope_harness::record::study::StudyRecord;
use chronoscope_harness::study_conclusions::{NOT_COMPARED, UNRESOLVED_DIFFERENCE, conclusions};

use crate::grid::Mood;

/// The record's conclusions as sentences with their moods; derived if the record predates the field.
pub(super) fn all(record: &StudyRecord) -> Vec<(Mood, String)> {
    match &record.conclusions {
        Some(kept) => kept.iter().map(said).collect(),
        None => conclusions(record).iter().map(said).collect(),
    }
}

fn said(finding: &Finding) -> (Mood, String) {
    let mood = if finding.severity >= Severity::Warning {
        Mood::Warning
    } else if finding.is(NOT_COMPARED) || finding.is(UNRESOLVED_DIFFERENCE) {
        Mood::Quiet
    } else {
        Mood::Plain
    };
    let subject = finding.subject.as_ref().map_or_else(String::new, |subject| format!("{subject}: "));
    (mood, subject + &finding.evidence.summary)
}
