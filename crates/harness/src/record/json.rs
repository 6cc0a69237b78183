use std::fmt::Debug;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::clean::clean;
use super::document::SCHEMA_VERSION;
use super::error::{Kind, ReportError};
use super::finite::not_finite;
use super::place::path_of;

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

/// Whether `text` is JSON: an object of the schema version that this build writes, with no more objects than memory is meant for. Nothing
/// of it is kept: a short text can describe what takes gigabytes.
pub(super) fn of_this_schema(text: &str) -> Result<(), ReportError> {
    if !text.trim_ascii_start().starts_with('{') {
        serde_json::from_str::<IgnoredAny>(text).map_err(Kind::Syntax)?;
        return Err(Kind::NotARecord("it is not an object").into());
    }
    if objects(text) > MOST_OBJECTS {
        return Err(Kind::NotARecord("it has more than 65536 objects").into());
    }
    let version = serde_json::from_str::<Head>(text).map_err(Kind::Syntax)?.schema_version;
    let version = version.ok_or(Kind::NotARecord("it has no schema_version"))?;
    match version.as_u64() {
        Some(number) if number == u64::from(SCHEMA_VERSION) => Ok(()),
        number => {
            let is_newer = number.is_some_and(|number| number > u64::from(SCHEMA_VERSION));
            Err(Kind::SchemaVersion { found: shortened(&version), is_newer }.into())
        }
    }
}

/// What says how to read the rest.
#[derive(Deserialize)]
struct Head {
    #[serde(default, deserialize_with = "some")]
    schema_version: Option<Value>,
}

/// A value that is there, be it null.
fn some<'a, D: Deserializer<'a>>(value: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(value).map(Some)
}

/// A study of 160 cells has 15 000, in 3.5 MB.
const MOST_OBJECTS: usize = 1 << 16;

/// How many objects JSON describes.
fn objects(text: &str) -> usize {
    let (mut count, mut is_text, mut is_escaped) = (0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b'{' if !is_text => count += 1,
            _ => {}
        }
    }
    count
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_counted_and_braces_in_texts_are_not() {
        assert_eq!(objects(r#"{"a":[{},{"b":"{{\"{"}],"c\\":{}}"#), 4);
    }

    #[test]
    fn a_short_text_that_describes_too_much_is_refused_before_it_is_read() {
        let text = format!(r#"{{"schema_version":2,"content":{{"clocks":[{}{{}}]}}}}"#, "{},".repeat(70_000));
        let error = of_this_schema(&text).unwrap_err();
        assert!(error.is_not_a_record() && error.to_string().contains("65536"), "{error}");
    }
}
