use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::ReportError;
use super::clean::clean;
use super::study::StudyRecord;
use super::{SCHEMA_VERSION, study_of_version_1};

/// Writes the record of a study as indented JSON that ends with a line break.
///
/// # Guarantees
/// [`parse_study`] gives back an equal record.
///
/// # Errors
/// [`ReportError::is_not_writable`] where a number of the record is not finite.
///
/// # Examples
/// ```
/// use chronoscope_harness::record::{parse_study, study_json};
///
/// # let record = parse_study(include_str!("../../tests/fixtures/study.json"))?;
/// let text = study_json(&record)?;
/// assert!(text.starts_with("{\n  \"schema_version\": 2,"));
/// assert_eq!(parse_study(&text)?, record);
/// # Ok::<(), chronoscope_harness::record::ReportError>(())
/// ```
pub fn study_json(record: &StudyRecord) -> Result<String, ReportError> {
    written(record)
}

/// Reads the document of a study from JSON, of this version or of version 1.
///
/// # Errors
/// [`ReportError::is_syntax`], [`is_not_a_record`](ReportError::is_not_a_record),
/// [`is_schema_version`](ReportError::is_schema_version) or [`is_field`](ReportError::is_field); the message names the
/// field where there is one, the line and the column.
///
/// # Examples
/// ```
/// use chronoscope_harness::record::parse_study;
///
/// let error = parse_study("{\"schema_version\": 99}").unwrap_err();
/// assert!(error.is_schema_version());
/// assert!(error.to_string().contains("this build reads 2"));
/// ```
pub fn parse_study(text: &str) -> Result<StudyRecord, ReportError> {
    let value = object(text)?;
    if value.get(STUDY_SCHEMA_KEY).is_some() {
        return typed_value(study_of_version_1(value)?);
    }
    match version_of(&value, SCHEMA_KEY, SCHEMA_VERSION)? {
        SCHEMA_VERSION if value.pointer("/content/study").is_some() => typed(text),
        _ => Err(ReportError::not_a_record("it is not the record of a study")),
    }
}

/// The field that says which shape a document has.
pub const SCHEMA_KEY: &str = "schema_version";
/// The same in documents of studies of version 1.
pub const STUDY_SCHEMA_KEY: &str = "study_schema_version";

/// Writes a document as indented JSON that ends with a line break.
///
/// # Errors
/// [`ReportError::is_not_writable`] where a number is not finite: JSON has no word for it.
pub fn written<T: Serialize + DeserializeOwned + PartialEq>(record: &T) -> Result<String, ReportError> {
    let mut text = serde_json::to_string_pretty(record).map_err(ReportError::write)?;
    // JSON has no word for a number that is not finite; serde_json would quietly write null, which means "not measured".
    match serde_json::from_str::<T>(&text) {
        Ok(read_back) if read_back == *record => {}
        _ => return Err(ReportError::not_writable()),
    }
    text.push('\n');
    Ok(text)
}

/// The JSON object that `text` is.
///
/// # Errors
/// [`ReportError::is_syntax`] or [`is_not_a_record`](ReportError::is_not_a_record).
pub fn object(text: &str) -> Result<Value, ReportError> {
    let value: Value = serde_json::from_str(text).map_err(ReportError::syntax)?;
    if value.is_object() { Ok(value) } else { Err(ReportError::not_a_record("it is not an object")) }
}

/// The version of a document under `key`: at most what this build `reads`.
///
/// # Errors
/// [`ReportError::is_not_a_record`] without one, [`is_schema_version`](ReportError::is_schema_version) for another.
pub fn version_of(value: &Value, key: &'static str, reads: u32) -> Result<u32, ReportError> {
    let version = value.get(key).ok_or_else(|| ReportError::not_a_record("it has no schema_version"))?;
    let number = version.as_u64().and_then(|number| u32::try_from(number).ok());
    if let Some(number) = number.filter(|number| (1..=reads).contains(number)) {
        return Ok(number);
    }
    let is_newer = version.as_u64().is_some_and(|version| version > u64::from(reads));
    Err(ReportError::schema_version(key, shortened(version), reads, is_newer))
}

/// Reads a document.
///
/// # Errors
/// [`ReportError::is_field`], which names the field, the line and the column.
pub fn typed<T: DeserializeOwned>(text: &str) -> Result<T, ReportError> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = clean(&error.path().to_string()).into_owned();
        ReportError::field(path, error.into_inner())
    })
}

/// As [`typed`], where the document has been read as JSON already, so that no line can be named.
///
/// # Errors
/// [`ReportError::is_field`], which names the field.
pub fn typed_value<T: DeserializeOwned>(value: Value) -> Result<T, ReportError> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = clean(&error.path().to_string()).into_owned();
        ReportError::field(path, error.into_inner())
    })
}

fn shortened(value: &Value) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => format!("\"{}\"", clean(text).chars().take(20).collect::<String>()),
        Value::Null => "null".to_owned(),
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => "of a kind that is not a number".to_owned(),
    }
}
