use crate::document::Record;
use crate::part::Part;

/// That nothing is known that one of `parts` would have told, and why.
pub fn not_tested(record: &Record, parts: &[Part]) -> String {
    format!("not tested: {}", record.reason_missing(parts))
}
