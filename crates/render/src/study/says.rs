//! A study's conclusions, in sentences.

use chronoscope_harness::finding::Finding;
use chronoscope_harness::record::study::StudyRecord;
use chronoscope_harness::study_conclusions::UNRESOLVED_DIFFERENCE;

use crate::grid::Mood;

/// The record's conclusions as sentences with their moods, without those about a single point of a comparison, which alone have a
/// ratio: these are in a table.
pub(super) fn all(record: &StudyRecord) -> Vec<(Mood, String)> {
    let is_in_table = |finding: &Finding| finding.evidence.values.contains_key("ratio");
    record.study().conclusions.iter().filter(|finding| !is_in_table(finding)).map(said).collect()
}

fn said(finding: &Finding) -> (Mood, String) {
    let mood = if finding.is(UNRESOLVED_DIFFERENCE) { Mood::Quiet } else { Mood::Plain };
    let subject = finding.subject.as_ref().map_or_else(String::new, |subject| format!("{subject}: "));
    (mood, subject + &finding.evidence.summary)
}
