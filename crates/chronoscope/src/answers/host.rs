//! The state of a host, in one word, and what it rests on.

use chronoscope_harness::finding::Severity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The state of a host's clocks, as its findings have it; the graver the later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HostState {
    /// Nothing was found.
    Ok,
    /// Nothing was found, but something that matters was not checked.
    #[default]
    Unknown,
    /// Measurements suffer from what else runs.
    Noisy,
    /// A clock is slow, coarse or undisciplined.
    Degraded,
    /// A clock lies.
    Broken,
}

impl HostState {
    /// In a word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::Unknown => "UNKNOWN",
            Self::Noisy => "NOISY",
            Self::Degraded => "DEGRADED",
            Self::Broken => "BROKEN",
        }
    }

    /// What it means.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Ok => "nothing speaks against clocks or measurements",
            Self::Unknown => "nothing was found, but something that matters was not checked",
            Self::Noisy => "measurements suffer",
            Self::Degraded => "a clock is slow, coarse or undisciplined",
            Self::Broken => "a clock lies",
        }
    }
}

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
