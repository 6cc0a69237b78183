//! What changed since the last check of the same machine: plain data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answers::compare::report::{Difference, FigureCompared, FindingName};

/// What changed since an earlier check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Since {
    /// When the earlier check began: RFC 3339, UTC.
    pub started_at: String,
    /// Time per read of the system's monotonic clock, else of the first clock that both checks measured; null if there is none.
    pub clock: Option<FigureCompared>,
    /// Figures of both.
    pub figures: u64,
    /// What differs and is no figure: processor, kernel, clocksource, version, depth.
    pub differences: Vec<Difference>,
    /// Findings that only this check has, or that were less severe, of those that the earlier one looked for.
    pub findings_appeared: Vec<FindingName>,
    /// Findings that only the earlier check has, or that are less severe now, of those that this one looked for.
    pub findings_vanished: Vec<FindingName>,
    pub sentence: String,
}
