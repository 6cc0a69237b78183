use crate::document::Record;
use crate::part::Part;

/// That the results of `parts` are missing, and why.
pub fn not_tested(record: &Record, parts: &[Part]) -> String {
    format!("not tested: {}", record.reason_missing(parts))
}
