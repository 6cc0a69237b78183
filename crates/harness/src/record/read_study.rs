use serde_json::{Map, Value, json};

use super::document::SCHEMA_VERSION;
use super::error::{Kind, ReportError};
use super::json::{SCHEMA_KEY, STUDY_SCHEMA_KEY, object, typed, version_of, written};
use super::study::StudyRecord;

/// The fields that version 1 of a study kept in the envelope.
const OF_STUDY: [&str; 10] =
    ["plan", "clock", "empty_loop_ns", "tokens", "canary", "cells", "comparisons", "control", "failures", "forks"];

/// Reads a study document from JSON, of this version or version 1.
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
pub fn parse_study(text: &str) -> Result<StudyRecord, ReportError> {
    let value = object(text)?;
    if value.get(STUDY_SCHEMA_KEY).is_some() {
        // Its lines are not those of the file. Read as text all the same, so that the compiler makes one reader for both.
        return typed(&study_of_version_1(value)?.to_string()).map_err(ReportError::without_line);
    }
    match version_of(&value, SCHEMA_KEY, SCHEMA_VERSION)? {
        SCHEMA_VERSION if value.pointer("/content/study").is_some() => typed(text),
        _ => Err(Kind::NotARecord("it is not the record of a study").into()),
    }
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

/// Converts a study document of version 1 to the current shape.
///
/// # Errors
/// [`ReportError::is_schema_version`] for any other version.
pub fn study_of_version_1(value: Value) -> Result<Value, ReportError> {
    version_of(&value, STUDY_SCHEMA_KEY, 1)?;
    let Value::Object(mut old) = value else { return Err(Kind::NotARecord("it is not an object").into()) };
    let mut take = |name: &str| old.remove(name).unwrap_or(Value::Null);
    let mut study = Map::new();
    study.insert("name".to_owned(), take("study"));
    study.insert("measured_ms".to_owned(), old.get("elapsed_ms").cloned().unwrap_or(Value::Null));
    for field in OF_STUDY {
        study.extend(old.remove(field).map(|value| (field.to_owned(), value)));
    }
    let mut content = json!({ "study": study });
    content["compared"] = old.remove("compared").unwrap_or(Value::Null);
    old.remove(STUDY_SCHEMA_KEY);
    old.insert("schema_version".to_owned(), json!(2));
    old.entry("command").or_insert_with(|| json!("study"));
    old.insert("content".to_owned(), content);
    Ok(Value::Object(old))
}
