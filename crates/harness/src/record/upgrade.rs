use serde_json::{Map, Value, json};

use super::json::version_of;
use super::{ReportError, STUDY_SCHEMA_KEY};

/// The fields of a study that version 1 kept beside those of the envelope.
const OF_STUDY: [&str; 10] =
    ["plan", "clock", "empty_loop_ns", "tokens", "canary", "cells", "comparisons", "control", "failures", "forks"];

/// A document of a study of version 1 in the shape of today.
///
/// # Errors
/// [`ReportError::is_schema_version`] where it is of neither version.
pub fn study_of_version_1(value: Value) -> Result<Value, ReportError> {
    version_of(&value, STUDY_SCHEMA_KEY, 1)?;
    let Value::Object(mut old) = value else { return Err(ReportError::not_a_record("it is not an object")) };
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
