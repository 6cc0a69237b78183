use chronoscope_record::study::{STUDY_SCHEMA_VERSION, StudyRecord};
use chronoscope_record::{PACE_SCHEMA_VERSION, PaceRun, Record, SCHEMA_VERSION};
use serde::Serialize;
use serde::de::DeserializeOwned;
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
    written(record)
}

/// Writes the record of a study as indented JSON that ends with a line break.
///
/// # Guarantees
/// [`parse`](crate::study::parse) gives back an equal record.
///
/// # Errors
/// [`ReportError::is_not_writable`] where a number of the record is not finite.
///
/// # Examples
/// ```
/// use chronoscope_report::study;
///
/// # let record = study::parse(include_str!("../tests/fixtures/study.json"))?;
/// let text = study::json(&record)?;
/// assert!(text.starts_with("{\n  \"study_schema_version\": 1,"));
/// assert_eq!(study::parse(&text)?, record);
/// # Ok::<(), chronoscope_report::ReportError>(())
/// ```
pub fn study_json(record: &StudyRecord) -> Result<String, ReportError> {
    written(record)
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
    let value = object(text)?;
    if value.get(SCHEMA_KEY).is_none() && value.get(STUDY_SCHEMA_KEY).is_some() {
        return Err(ReportError::not_a_record("it is the record of a study, not of a check"));
    }
    versioned(&value, SCHEMA_KEY, SCHEMA_VERSION, "it has no schema_version")?;
    typed(text)
}

/// Reads the record of a study from JSON.
///
/// # Errors
/// As for [`parse`](crate::parse).
///
/// # Examples
/// ```
/// use chronoscope_report::study::parse;
///
/// let error = parse("{\"study_schema_version\": 2}").unwrap_err();
/// assert!(error.is_schema_version());
/// assert!(error.to_string().contains("this build reads 1"));
/// let error = parse("{\n  \"study_schema_version\": 1,\n  \"study\": 3\n}").unwrap_err();
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

/// Writes a run of a pacer as indented JSON that ends with a line break.
///
/// # Guarantees
/// [`document`] gives back an equal run.
///
/// # Errors
/// [`ReportError::is_not_writable`] where a number of the run is not finite.
///
/// # Examples
/// ```
/// use chronoscope_report::{Document, document, pace_json};
///
/// let text = include_str!("../tests/fixtures/pace.json");
/// let Document::Pace(run) = document(text)? else { panic!("it is a pace") };
/// assert!(pace_json(&run)?.starts_with("{\n  \"pace_schema_version\": 1,"));
/// # Ok::<(), chronoscope_report::ReportError>(())
/// ```
pub fn pace_json(run: &PaceRun) -> Result<String, ReportError> {
    written(run)
}

/// A record of any kind.
///
/// # Examples
/// ```
/// use chronoscope_report::{Document, document};
///
/// let check = document(include_str!("../tests/fixtures/record.json"))?;
/// assert!(matches!(check, Document::Check(_)));
/// # Ok::<(), chronoscope_report::ReportError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Document {
    /// Of a check, or a part of one.
    Check(Box<Record>),
    /// Of a study.
    Study(Box<StudyRecord>),
    /// Of a pacer.
    Pace(Box<PaceRun>),
}

/// Reads a record of any kind. Which one it is, its key says: `schema_version`, `study_schema_version` or
/// `pace_schema_version`.
///
/// # Errors
/// As for [`parse`].
///
/// # Examples
/// ```
/// use chronoscope_report::{Document, document};
///
/// let study = document(include_str!("../tests/fixtures/study.json"))?;
/// assert!(matches!(study, Document::Study(_)));
/// let error = document("{}").unwrap_err();
/// assert!(error.to_string().contains("none of the fields schema_version (a check)"));
/// # Ok::<(), chronoscope_report::ReportError>(())
/// ```
pub fn document(text: &str) -> Result<Document, ReportError> {
    let value = object(text)?;
    if value.get(STUDY_SCHEMA_KEY).is_some() {
        versioned(&value, STUDY_SCHEMA_KEY, STUDY_SCHEMA_VERSION, "")?;
        return Ok(Document::Study(typed(text)?));
    }
    if value.get(PACE_SCHEMA_KEY).is_some() {
        versioned(&value, PACE_SCHEMA_KEY, PACE_SCHEMA_VERSION, "")?;
        return Ok(Document::Pace(typed(text)?));
    }
    versioned(&value, SCHEMA_KEY, SCHEMA_VERSION, NO_KIND)?;
    Ok(Document::Check(typed(text)?))
}

const SCHEMA_KEY: &str = "schema_version";
const STUDY_SCHEMA_KEY: &str = "study_schema_version";
const PACE_SCHEMA_KEY: &str = "pace_schema_version";
const NO_KIND: &str = "it has none of the fields schema_version (a check), study_schema_version (a study, scaling or an \
                       experiment) and pace_schema_version (a pace), which say what it is a record of";

fn written<T: Serialize + DeserializeOwned + PartialEq>(record: &T) -> Result<String, ReportError> {
    let mut text = serde_json::to_string_pretty(record).map_err(ReportError::write)?;
    // JSON has no word for a number that is not finite; serde_json would quietly write null, which means "not measured".
    match serde_json::from_str::<T>(&text) {
        Ok(read_back) if read_back == *record => {}
        _ => return Err(ReportError::not_writable()),
    }
    text.push('\n');
    Ok(text)
}

fn object(text: &str) -> Result<Value, ReportError> {
    let value: Value = serde_json::from_str(text).map_err(ReportError::syntax)?;
    if value.is_object() { Ok(value) } else { Err(ReportError::not_a_record("it is not an object")) }
}

/// That the document has the version that this build reads.
fn versioned(value: &Value, key: &'static str, reads: u32, missing: &'static str) -> Result<(), ReportError> {
    let version = value.get(key).ok_or_else(|| ReportError::not_a_record(missing))?;
    if version.as_u64() == Some(u64::from(reads)) {
        return Ok(());
    }
    let is_newer = version.as_u64().is_some_and(|version| version > u64::from(reads));
    Err(ReportError::schema_version(key, shortened(version), reads, is_newer))
}

fn typed<T: DeserializeOwned>(text: &str) -> Result<T, ReportError> {
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
