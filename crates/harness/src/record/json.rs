use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::clean::clean;
use super::error::{Kind, ReportError};
use super::finite::not_finite;

/// The field that holds a document's schema version.
pub const SCHEMA_KEY: &str = "schema_version";
/// The same in study documents of version 1.
pub const STUDY_SCHEMA_KEY: &str = "study_schema_version";

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
pub fn written<T: Serialize + DeserializeOwned + PartialEq>(record: &T) -> Result<String, ReportError> {
    let mut text = serde_json::to_string_pretty(record).map_err(Kind::Write)?;
    // JSON cannot represent non-finite numbers; serde_json would silently write null, which means "not measured".
    match typed::<T>(&text) {
        Ok(read_back) if read_back == *record => {}
        _ => return Err(Kind::NotWritable(not_finite(record)).into()),
    }
    text.push('\n');
    Ok(text)
}

/// Parses `text` as a JSON object.
///
/// # Errors
/// [`ReportError::is_syntax`] or [`is_not_a_record`](ReportError::is_not_a_record).
pub fn object(text: &str) -> Result<Value, ReportError> {
    let value: Value = serde_json::from_str(text).map_err(Kind::Syntax)?;
    if value.is_object() { Ok(value) } else { Err(Kind::NotARecord("it is not an object").into()) }
}

/// The schema version under `key`: at most `reads`, the newest this build supports.
///
/// # Errors
/// [`ReportError::is_not_a_record`] if absent, [`is_schema_version`](ReportError::is_schema_version) if unsupported.
pub fn version_of(value: &Value, key: &'static str, reads: u32) -> Result<u32, ReportError> {
    let version = value.get(key).ok_or(Kind::NotARecord("it has no schema_version"))?;
    let number = version.as_u64().and_then(|number| u32::try_from(number).ok());
    if let Some(number) = number.filter(|number| (1..=reads).contains(number)) {
        return Ok(number);
    }
    let is_newer = version.as_u64().is_some_and(|version| version > u64::from(reads));
    Err(Kind::SchemaVersion { key, found: shortened(version), reads, is_newer }.into())
}

/// Reads a document.
///
/// # Errors
/// [`ReportError::is_field`], which names the field, the line and the column.
pub fn typed<T: DeserializeOwned>(text: &str) -> Result<T, ReportError> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut deserializer).map_err(wrong_field)
}

/// As [`typed`], for a document already parsed as JSON, so that no line can be named.
///
/// # Errors
/// [`ReportError::is_field`], which names the field.
pub fn typed_value<T: DeserializeOwned>(value: Value) -> Result<T, ReportError> {
    serde_path_to_error::deserialize(value).map_err(wrong_field)
}

fn wrong_field(error: serde_path_to_error::Error<serde_json::Error>) -> ReportError {
    let path = clean(&error.path().to_string()).into_owned();
    Kind::Field { path, source: error.into_inner() }.into()
}

fn shortened(value: &Value) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => format!("\"{}\"", clean(text).chars().take(20).collect::<String>()),
        Value::Null => "null".to_owned(),
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => "of a kind that is not a number".to_owned(),
    }
}
