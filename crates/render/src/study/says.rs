//! A study's conclusions, in sentences.

use chronoscope_harness::finding::{Finding, Severity};
use chronoscope_harness::record::study::StudyRecord;
use chronoscope_harness::study_conclusions::{NOT_COMPARED, TIME_PER_OPERATION, UNRESOLVED_DIFFERENCE};

use crate::grid::Mood;

/// The record's conclusions as sentences with their moods, without those that the page says elsewhere: in a table, or among its warnings.
pub(super) fn all(record: &StudyRecord) -> Vec<(Mood, String)> {
    let is_warned = |said: &Finding| {
        let is_same = |finding: &Finding| finding.id == said.id && finding.severity >= Severity::Warning;
        said.severity >= Severity::Warning && record.findings.iter().any(is_same)
    };
    record.study().conclusions.iter().filter(|finding| !is_in_table(finding) && !is_warned(finding)).map(said).collect()
}

/// Whether it is a row of a table: the time of a cell, or a single point of a comparison, which alone has a ratio.
fn is_in_table(finding: &Finding) -> bool {
    finding.is(TIME_PER_OPERATION) || finding.evidence.values.contains_key("ratio")
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
