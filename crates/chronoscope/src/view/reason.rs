use crate::document::{Outcome, Record};
use crate::part::Part;
use chronoscope_render::words::given;

/// Why nothing is known that one of `parts` would have told.
pub fn not_tested(record: &Record, parts: &[Part]) -> String {
    format!("not tested: {}", reason(record, parts))
}

pub fn reason(record: &Record, parts: &[Part]) -> String {
    let mut reports = record.parts.iter().filter(|report| parts.contains(&report.part)).peekable();
    if reports.peek().is_none() {
        return "it was not part of the plan".to_owned();
    }
    reports
        .find(|report| report.outcome != Outcome::Done)
        .map(|report| given(report.reason.as_deref()))
        .unwrap_or_else(|| "the record gives no reason".to_owned())
}
