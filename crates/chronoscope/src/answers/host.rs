//! The state of a host, in one word, and what it rests on.

use chronoscope_harness::finding::{HostState, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The state of a host, and the findings behind it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Host {
    /// The gravest class among its findings.
    pub state: HostState,
    /// Whether all that was planned was checked. If not, a graver state is possible.
    pub complete: bool,
    /// The findings behind it and all other warnings, by kind, the gravest first.
    pub reasons: Vec<Reason>,
}

/// Findings of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reason {
    /// Their id.
    pub id: String,
    /// The state that such a finding puts a host in.
    pub class: HostState,
    /// The severity of the gravest of them.
    pub severity: Severity,
    /// How many there are.
    pub findings: u64,
    /// The evidence of the first, in words.
    pub summary: String,
    /// What to do about the first; null where nothing is advised.
    pub mend: Option<String>,
}
