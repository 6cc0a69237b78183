use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::ReportError;
use super::clean::clean;
use super::study::{STUDY_SCHEMA_VERSION, StudyRecord};

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
/// assert!(text.starts_with("{\n  \"study_schema_version\": 1,"));
/// assert_eq!(parse_study(&text)?, record);
/// # Ok::<(), chronoscope_harness::record::ReportError>(())
/// ```
pub fn study_json(record: &StudyRecord) -> Result<String, ReportError> {
    written(record)
}

/// Reads the record of a study from JSON.
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
/// let error = parse_study("{\"study_schema_version\": 2}").unwrap_err();
/// assert!(error.is_schema_version());
/// assert!(error.to_string().contains("this build reads 1"));
/// let error = parse_study("{\n  \"study_schema_version\": 1,\n  \"study\": 3\n}").unwrap_err();
/// assert!(error.to_string().contains("`study`") && error.to_string().contains("line 3"));
/// ```
pub fn parse_study(text: &str) -> Result<StudyRecord, ReportError> {
    let value = object(text)?;
    if value.get(STUDY_SCHEMA_KEY).is_none() && value.get(SCHEMA_KEY).is_some() {
        return Err(ReportError::not_a_record("it is the record of a check, not of a study"));
    }
    versioned(&value, STUDY_SCHEMA_KEY, STUDY_SCHEMA_VERSION, "it has no study_schema_version")?;
    typed(text)
}

const SCHEMA_KEY: &str = "schema_version";
const STUDY_SCHEMA_KEY: &str = "study_schema_version";

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

/// That the document has the version that this build reads.
pub fn versioned(value: &Value, key: &'static str, reads: u32, missing: &'static str) -> Result<(), ReportError> {
    let version = value.get(key).ok_or_else(|| ReportError::not_a_record(missing))?;
    if version.as_u64() == Some(u64::from(reads)) {
        return Ok(());
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

fn shortened(value: &Value) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => format!("\"{}\"", clean(text).chars().take(20).collect::<String>()),
        Value::Null => "null".to_owned(),
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => "of a kind that is not a number".to_owned(),
    }
}
