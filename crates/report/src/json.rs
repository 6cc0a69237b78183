use chronoscope_record::{Record, SCHEMA_VERSION};
use serde_json::Value;

use crate::ReportError;
use crate::clean::clean;

/// Writes a record as indented JSON that ends with a line break.
///
/// # Guarantees
/// [`parse`] gives back an equal record.
///
/// # Errors
/// [`ReportError::is_not_writable`] where a number of the record is not finite.
///
/// # Examples
/// ```
/// # let record = chronoscope_report::parse(include_str!("../tests/fixtures/record.json"))?;
/// let text = chronoscope_report::json(&record)?;
/// assert!(text.starts_with("{\n  \"schema_version\": 1,"));
/// assert!(text.ends_with("}\n"));
/// # Ok::<(), chronoscope_report::ReportError>(())
/// ```
pub fn json(record: &Record) -> Result<String, ReportError> {
    let mut text = serde_json::to_string_pretty(record).map_err(ReportError::write)?;
    // JSON has no word for a number that is not finite; serde_json would quietly write null, which means "not measured".
    match serde_json::from_str::<Record>(&text) {
        Ok(read_back) if read_back == *record => {}
        _ => return Err(ReportError::not_writable()),
    }
    text.push('\n');
    Ok(text)
}

/// Reads a record from JSON.
///
/// # Errors
/// [`ReportError::is_syntax`], [`is_not_a_record`](ReportError::is_not_a_record),
/// [`is_schema_version`](ReportError::is_schema_version) or [`is_field`](ReportError::is_field); the message names the
/// field where there is one, the line and the column.
///
/// # Examples
/// ```
/// let error = chronoscope_report::parse("{\n  \"schema_version\": 1,\n  \"elapsed_ms\": -3\n}").unwrap_err();
/// assert!(error.to_string().contains("`elapsed_ms`"));
/// assert!(error.to_string().contains("line 3"));
/// ```
pub fn parse(text: &str) -> Result<Record, ReportError> {
    let value: Value = serde_json::from_str(text).map_err(ReportError::syntax)?;
    let fields = value.as_object().ok_or_else(|| ReportError::not_a_record("it is not an object"))?;
    let version = fields.get("schema_version").ok_or_else(|| ReportError::not_a_record("it has no schema_version"))?;
    if version.as_u64() != Some(u64::from(SCHEMA_VERSION)) {
        return Err(ReportError::schema_version(shortened(version)));
    }
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
