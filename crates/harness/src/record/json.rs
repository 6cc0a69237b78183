use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::clean::clean;
use super::document::SCHEMA_VERSION;
use super::error::{Kind, ReportError};
use super::finite::not_finite;
use super::place::path_of;

/// The field that holds a document's schema version.
const SCHEMA_KEY: &str = "schema_version";

/// Writes a document as indented JSON with a final newline.
///
/// # Guarantees
/// Reading it back gives an equal document.
///
/// # Errors
/// [`ReportError::is_not_writable`], which names the field, where a number is not finite: JSON cannot represent it.
///
/// # Examples
/// ```
/// use chronoscope_harness::record::{parse_study, written};
///
/// # let record = parse_study(include_str!("../../tests/fixtures/study.json"))?;
/// let text = written(&record)?;
/// assert!(text.starts_with("{\n  \"schema_version\": 2,"));
/// assert_eq!(parse_study(&text)?, record);
/// # Ok::<(), chronoscope_harness::record::ReportError>(())
/// ```
pub fn written<T: Serialize + Debug>(record: &T) -> Result<String, ReportError> {
    // JSON cannot represent non-finite numbers; serde_json would silently write null, which means "not measured".
    let not_finite = not_finite(record);
    if !not_finite.is_empty() {
        return Err(Kind::NotWritable(not_finite).into());
    }
    let mut text = serde_json::to_string_pretty(record).map_err(Kind::Write)?;
    text.push('\n');
    Ok(text)
}

/// Reads a document of any kind.
///
/// # Errors
/// [`ReportError::is_syntax`], [`is_not_a_record`](ReportError::is_not_a_record),
/// [`is_schema_version`](ReportError::is_schema_version) or [`is_field`](ReportError::is_field); the message names the
/// field, if any, the line and the column.
pub fn parsed<T: DeserializeOwned>(text: &str) -> Result<T, ReportError> {
    of_this_schema(text)?;
    typed(text)
}

/// `text` as JSON: an object of the schema version that this build writes.
pub(super) fn of_this_schema(text: &str) -> Result<Value, ReportError> {
    let value: Value = serde_json::from_str(text).map_err(Kind::Syntax)?;
    if !value.is_object() {
        return Err(Kind::NotARecord("it is not an object").into());
    }
    let version = value.get(SCHEMA_KEY).ok_or(Kind::NotARecord("it has no schema_version"))?;
    match version.as_u64() {
        Some(number) if number == u64::from(SCHEMA_VERSION) => Ok(value),
        number => {
            let is_newer = number.is_some_and(|number| number > u64::from(SCHEMA_VERSION));
            Err(Kind::SchemaVersion { found: shortened(version), is_newer }.into())
        }
    }
}

pub(super) fn typed<T: DeserializeOwned>(text: &str) -> Result<T, ReportError> {
    serde_json::from_str(text).map_err(|error| wrong_field(error, text))
}

fn wrong_field(source: serde_json::Error, text: &str) -> ReportError {
    let path = clean(&path_of(&source, text)).into_owned();
    Kind::Field { path, source }.into()
}

fn shortened(value: &Value) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => format!("\"{}\"", clean(text).chars().take(20).collect::<String>()),
        Value::Null => "null".to_owned(),
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => "of a kind that is not a number".to_owned(),
    }
}
