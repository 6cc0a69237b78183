//! Documents as JSON: written in the shape of today, read in that and in the shapes of version 1.

use chronoscope_examples::Experiment;
use chronoscope_harness::record::{
    ReportError, SCHEMA_KEY, SCHEMA_VERSION, STUDY_SCHEMA_KEY, object, study_of_version_1, typed, typed_value,
    version_of, written,
};
use chronoscope_harness::rule::conclude;

use crate::document::Record;
use crate::sections::{pace, scaling};
use crate::upgrade;
use crate::view::View;

/// The fields that say which shape a document of version 1 has, besides [`SCHEMA_KEY`].
const PACE_SCHEMA_KEY: &str = "pace_schema_version";
const SELFTEST_SCHEMA_KEY: &str = "selftest_schema_version";

/// Writes a document as indented JSON that ends with a line break.
///
/// # Guarantees
/// [`document`] gives back an equal one.
///
/// # Errors
/// [`ReportError::is_not_writable`] where a number is not finite.
pub fn json(record: &Record) -> Result<String, ReportError> {
    written(record)
}

/// Reads a document of any kind.
///
/// # Errors
/// [`ReportError::is_syntax`], [`is_not_a_record`](ReportError::is_not_a_record),
/// [`is_schema_version`](ReportError::is_schema_version) or [`is_field`](ReportError::is_field); the message names the
/// field where there is one, the line and the column.
pub fn document(text: &str) -> Result<Record, ReportError> {
    let value = object(text)?;
    if value.get(STUDY_SCHEMA_KEY).is_some() {
        return typed_value(study_of_version_1(value)?).map(concluded);
    }
    if value.get(PACE_SCHEMA_KEY).is_some() {
        version_of(&value, PACE_SCHEMA_KEY, 1)?;
        return typed_value(upgrade::pace(value)).map(concluded);
    }
    if value.get(SELFTEST_SCHEMA_KEY).is_some() {
        version_of(&value, SELFTEST_SCHEMA_KEY, 1)?;
        return typed_value(upgrade::selftest(value));
    }
    match version_of(&value, SCHEMA_KEY, SCHEMA_VERSION)? {
        1 => typed_value(upgrade::check(value)).map(|mut record: Record| {
            record.command = View::of(&record).name().to_owned();
            record
        }),
        _ => typed(text),
    }
}

/// With what the command that wrote it concludes, which version 1 left to be drawn from the numbers again.
fn concluded(mut record: Record) -> Record {
    if let Some(pace) = &record.pace {
        record.0.findings = conclude(pace::rules::RULES, pace);
    }
    let Some(study) = record.as_study() else { return record };
    match record.command.strip_prefix("experiment ") {
        Some(name) => record.experiment = Experiment::from_name(name).map(|which| which.conclude(&study)),
        None if record.command == "scaling" => record.scaling = Some(scaling::conclude(&study)),
        None => {}
    }
    record
}
