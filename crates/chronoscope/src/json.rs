use crate::record::{PACE_SCHEMA_VERSION, PaceRun, Record, SCHEMA_VERSION};
use chronoscope_harness::record::study::{STUDY_SCHEMA_VERSION, StudyRecord};
use chronoscope_harness::record::{ReportError, object, typed, versioned, written};

/// Writes a record as indented JSON that ends with a line break.
///
/// # Guarantees
/// [`parse`] gives back an equal record.
///
/// # Errors
/// [`ReportError::is_not_writable`] where a number of the record is not finite.
pub fn json(record: &Record) -> Result<String, ReportError> {
    written(record)
}

/// Reads a record from JSON.
///
/// # Errors
/// [`ReportError::is_syntax`], [`is_not_a_record`](ReportError::is_not_a_record),
/// [`is_schema_version`](ReportError::is_schema_version) or [`is_field`](ReportError::is_field); the message names the
/// field where there is one, the line and the column.
#[cfg(test)]
pub fn parse(text: &str) -> Result<Record, ReportError> {
    let value = object(text)?;
    if value.get(SCHEMA_KEY).is_none() && value.get(STUDY_SCHEMA_KEY).is_some() {
        return Err(ReportError::not_a_record("it is the record of a study, not of a check"));
    }
    versioned(&value, SCHEMA_KEY, SCHEMA_VERSION, "it has no schema_version")?;
    typed(text)
}

/// Writes a run of a pacer as indented JSON that ends with a line break.
///
/// # Guarantees
/// [`document`] gives back an equal run.
///
/// # Errors
/// [`ReportError::is_not_writable`] where a number of the run is not finite.
pub fn pace_json(run: &PaceRun) -> Result<String, ReportError> {
    written(run)
}

/// A record of any kind.
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
