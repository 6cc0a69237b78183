#[cfg(feature = "read")]
use super::error::Kind;
use super::error::ReportError;
use super::json::written;
#[cfg(feature = "read")]
use super::json::{of_this_schema, typed};
use super::study::StudyRecord;

/// Reads a study document from JSON.
///
/// # Errors
/// [`ReportError::is_syntax`], [`is_not_a_record`](ReportError::is_not_a_record),
/// [`is_schema_version`](ReportError::is_schema_version) or [`is_field`](ReportError::is_field); the message names the
/// field, if any, the line and the column.
///
/// # Examples
/// ```
/// use chronoscope_harness::record::parse_study;
///
/// let error = parse_study("{\"schema_version\": 99}").unwrap_err();
/// assert!(error.is_schema_version());
/// assert!(error.to_string().contains("this build reads 2"));
/// ```
#[cfg(feature = "read")]
pub fn parse_study(text: &str) -> Result<StudyRecord, ReportError> {
    of_this_schema(text)?;
    let has_a_study =
        serde_json::from_str::<Shape>(text).is_ok_and(|shape| shape.content.is_some_and(|it| it.study.is_some()));
    if !has_a_study {
        return Err(Kind::NotARecord("it is not the record of a study").into());
    }
    typed(text)
}

/// What tells a study's document from others.
#[cfg(feature = "read")]
#[derive(serde::Deserialize)]
struct Shape {
    content: Option<ShapeOfContent>,
}

#[cfg(feature = "read")]
#[derive(serde::Deserialize)]
struct ShapeOfContent {
    study: Option<serde::de::IgnoredAny>,
}

/// Writes a study document as indented JSON with a final newline: [`written`] for studies.
///
/// # Errors
/// As for [`written`].
///
/// # Examples
/// ```
/// use chronoscope_harness::record::{parse_study, write_study};
///
/// # let record = parse_study(include_str!("../../tests/fixtures/study.json"))?;
/// assert_eq!(parse_study(&write_study(&record)?)?, record);
/// # Ok::<(), chronoscope_harness::record::ReportError>(())
/// ```
// Not generic, so that it is compiled with this crate and not once more with each that calls it.
pub fn write_study(record: &StudyRecord) -> Result<String, ReportError> {
    written(record)
}
