use std::error::Error;
use std::fmt;

use super::document::SCHEMA_VERSION;

/// Why a record could not be read or written.
///
/// # Examples
/// ```
/// use chronoscope_harness::record::parse_study;
///
/// let error = parse_study("{ \"schema_version\": 99 }").unwrap_err();
/// assert!(error.is_schema_version());
/// assert!(error.to_string().contains("99"));
/// ```
#[derive(Debug)]
pub struct ReportError {
    kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    Syntax(serde_json::Error),
    NotARecord(&'static str),
    SchemaVersion {
        found: String,
        is_newer: bool,
    },
    Field {
        path: String,
        source: serde_json::Error,
    },
    Write(serde_json::Error),
    /// With the fields that are not finite.
    NotWritable(Vec<String>),
}

impl From<Kind> for ReportError {
    fn from(kind: Kind) -> Self {
        Self { kind }
    }
}

impl ReportError {
    /// Whether the text is not JSON at all.
    ///
    /// # Examples
    /// ```
    /// assert!(chronoscope_harness::record::parse_study("{").unwrap_err().is_syntax());
    /// ```
    pub fn is_syntax(&self) -> bool {
        matches!(self.kind, Kind::Syntax(_))
    }

    /// Whether the text is JSON, but not a record.
    ///
    /// # Examples
    /// ```
    /// assert!(chronoscope_harness::record::parse_study("[]").unwrap_err().is_not_a_record());
    /// ```
    pub fn is_not_a_record(&self) -> bool {
        matches!(self.kind, Kind::NotARecord(_))
    }

    /// Whether the record has a `schema_version` that this build does not read.
    ///
    /// # Examples
    /// ```
    /// assert!(chronoscope_harness::record::parse_study("{\"schema_version\": 1}").unwrap_err().is_schema_version());
    /// ```
    pub fn is_schema_version(&self) -> bool {
        matches!(self.kind, Kind::SchemaVersion { .. })
    }

    /// Whether a field of the record is missing or holds an invalid value.
    ///
    /// # Examples
    /// ```
    /// let error = chronoscope_harness::record::parse_study("{\"schema_version\": 2, \"command\": 7, \"content\": {\"study\": {}}}").unwrap_err();
    /// assert!(error.is_field());
    /// assert!(error.to_string().starts_with("the record's field `command`"));
    /// ```
    pub fn is_field(&self) -> bool {
        matches!(self.kind, Kind::Field { .. })
    }

    /// Whether a record could not be written because it holds a number that JSON cannot represent.
    ///
    /// # Examples
    /// ```
    /// # let mut record = chronoscope_harness::record::parse_study(include_str!("../../tests/fixtures/study.json"))?;
    /// record.content.study.plan.margin_pct = f64::NAN;
    /// assert!(chronoscope_harness::record::written(&record).unwrap_err().is_not_writable());
    /// # Ok::<(), chronoscope_harness::record::ReportError>(())
    /// ```
    pub fn is_not_writable(&self) -> bool {
        matches!(self.kind, Kind::Write(_) | Kind::NotWritable(_))
    }
}

impl fmt::Display for ReportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Syntax(source) => write!(f, "not JSON: {source}"),
            Kind::NotARecord(what) => write!(f, "not a chronoscope record: {what}"),
            Kind::SchemaVersion { found, is_newer } => {
                let newer = if *is_newer { ": a newer chronoscope wrote it and can show it" } else { "" };
                write!(f, "the record has schema_version {found}; this build reads {SCHEMA_VERSION}{newer}")
            }
            Kind::Field { path, source } if path.is_empty() => write!(f, "the record is wrong: {source}"),
            Kind::Field { path, source } => write!(f, "the record's field `{path}` is wrong: {source}"),
            Kind::Write(source) => write!(f, "the record cannot be written as JSON: {source}"),
            Kind::NotWritable(paths) => {
                let more = paths.len().saturating_sub(1);
                let more = if more > 0 { format!(", and {more} more") } else { String::new() };
                write!(f, "the record cannot be written as JSON: `{}` is not a finite number{more}", paths[0])
            }
        }
    }
}

impl Error for ReportError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.kind {
            Kind::Syntax(source) | Kind::Field { source, .. } | Kind::Write(source) => Some(source),
            Kind::NotARecord(_) | Kind::SchemaVersion { .. } | Kind::NotWritable(_) => None,
        }
    }
}
