//! One file per section of a page.

pub(crate) mod causality;
pub(crate) mod clock_detail;
pub(crate) mod clocks;
pub(crate) mod disturbance;
pub(crate) mod findings;
pub(crate) mod latch;
mod latch_judgement;
pub(crate) mod library_clock;
pub(crate) mod machine;
pub(crate) mod monotime;
pub(crate) mod pause;
pub(crate) mod reads;
pub(crate) mod runtimes;
pub(crate) mod title;
pub(crate) mod verdict;

use chronoscope_record::{Outcome, Part, Record};

/// Why nothing is known that one of `parts` would have told.
fn not_tested(record: &Record, parts: &[Part]) -> String {
    format!("not tested: {}", reason(record, parts))
}

fn reason(record: &Record, parts: &[Part]) -> String {
    let mut reports = record.parts.iter().filter(|report| parts.contains(&report.part)).peekable();
    if reports.peek().is_none() {
        return "it was not part of the plan".to_owned();
    }
    reports
        .find(|report| report.outcome != Outcome::Done)
        .map(|report| given(report.reason.as_deref()))
        .unwrap_or_else(|| "the record gives no reason".to_owned())
}

/// A reason of the record, or that it gives none.
pub(crate) fn given(reason: Option<&str>) -> String {
    reason.filter(|reason| !reason.trim().is_empty()).unwrap_or("the record gives no reason").to_owned()
}

/// `singular` or `plural`, behind the count.
pub(crate) fn counted(count: u64, singular: &str, plural: &str) -> String {
    format!("{} {}", crate::quantity::count(count), if count == 1 { singular } else { plural })
}

/// A clock's name within a sentence, where `lfence; rdtsc` would fall apart.
pub(crate) fn quoted(name: &str) -> String {
    if name.contains([' ', ';']) { format!("`{name}`") } else { name.to_owned() }
}
