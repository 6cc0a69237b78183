//! Documents as JSON.

use chronoscope_harness::record::{ReportError, parsed, written};

use crate::document::Record;

/// Writes a document as indented JSON with a final newline.
///
/// # Guarantees
/// [`document`] returns an equal one.
///
/// # Errors
/// [`ReportError::is_not_writable`], which names the field, where a number is not finite.
pub fn json(record: &Record) -> Result<String, ReportError> {
    written(record)
}

/// Reads a document of any kind.
///
/// # Errors
/// As [`parsed`].
pub fn document(text: &str) -> Result<Record, ReportError> {
    parsed(text)
}
