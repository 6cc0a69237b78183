#[cfg(feature = "read")]
use serde::Deserialize;
use serde::Serialize;

use super::{Machine, Tool};
use crate::finding::{Finding, Severity};

/// The schema version that this build writes and reads.
pub const SCHEMA_VERSION: u32 = 2;

/// The envelope of every document: which program ran, where and when, its findings, and its measurements.
///
/// # Units
/// Each is part of the field's name: `_ns`, `_ms`, `_hz`, `_ppm`, `_ppb`, `_pct` (percent), `_per_s`; a `share` is
/// between 0 and 1.
///
/// # Guarantees
/// `null` means "not measured or not present", never zero. Where a value is unavailable, a reason says why: in its place
/// ([`Known`](super::Known)), in a sibling field (whose name begins with `reason`), at its clock, or at its part. Within one `schema_version`, fields
/// are only ever added.
///
/// # Examples
/// ```
/// use chronoscope_harness::record::{Document, Machine, Tool};
///
/// let tool = Tool { name: "example".into(), version: "1".into() };
/// let document = Document::new("example", tool, Machine::default(), vec![18.7]);
/// assert_eq!(document.content.len(), 1);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Document<C> {
    /// The document's schema version; 2.
    pub schema_version: u32,
    /// What was run: a command of `chronoscope`, with its name where there are several (`experiment backoff`), or `study`.
    pub command: String,
    /// The program that wrote it.
    pub tool: Tool,
    /// When the run began: RFC 3339, UTC.
    pub started_at: String,
    /// Wall time of the run in milliseconds.
    pub elapsed_ms: u64,
    /// Whether the user stopped the run before its end.
    pub interrupted: bool,
    /// The machine and its environment.
    pub machine: Machine,
    /// Conclusions, most severe first.
    pub findings: Vec<Finding>,
    /// The plan and the measurements, by section.
    pub content: C,
}

impl<C> Document<C> {
    /// A document for a run that begins now.
    pub fn new(command: impl Into<String>, tool: Tool, machine: Machine, content: C) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            command: command.into(),
            tool,
            started_at: humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string(),
            elapsed_ms: 0,
            interrupted: false,
            machine,
            findings: Vec::new(),
            content,
        }
    }

    /// The same document with other content.
    pub fn map<D>(self, change: impl FnOnce(C) -> D) -> Document<D> {
        let Self { schema_version, command, tool, started_at, elapsed_ms, interrupted, machine, findings, content } =
            self;
        let content = change(content);
        Document { schema_version, command, tool, started_at, elapsed_ms, interrupted, machine, findings, content }
    }

    /// Whether there is a finding of severity warning or worse.
    pub fn has_warning(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity >= Severity::Warning)
    }
}
