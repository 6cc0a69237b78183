//! Documents as JSON.

use std::borrow::Cow;
use std::cmp::Reverse;

use chronoscope_harness::record::{ReportError, parsed, without_non_finite, written};

use crate::document::Record;
use crate::engine::rules::{NUMBER_NOT_FINITE, number_not_finite};

/// Writes a document as indented JSON with a final newline.
///
/// # Guarantees
/// [`document`] returns an equal one.
///
/// # Errors
/// [`ReportError::is_not_writable`] where a number is not finite.
pub fn json(record: &Record) -> Result<String, ReportError> {
    written(record)
}

/// `record` as it can be written: without its numbers that are not finite, and with the finding that names them.
///
/// # Errors
/// [`ReportError::is_not_writable`], which names the field, where such a number cannot be left out.
pub fn writable(record: &Record) -> Result<Cow<'_, Record>, ReportError> {
    let Some((mut spared, left_out)) = without_non_finite(record)? else { return Ok(Cow::Borrowed(record)) };
    if !spared.findings.iter().any(|finding| finding.is(NUMBER_NOT_FINITE)) {
        spared.findings.push(number_not_finite(&left_out));
        spared.findings.sort_by_key(|finding| Reverse(finding.severity));
    }
    Ok(Cow::Owned(spared))
}

/// Reads a document of any kind.
///
/// # Errors
/// As [`parsed`].
pub fn document(text: &str) -> Result<Record, ReportError> {
    parsed(text)
}
