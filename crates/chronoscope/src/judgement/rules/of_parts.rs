use chronoscope_harness::finding::{Finding, Kind};
use chronoscope_harness::rule::Rule;

use crate::document::Record;
use crate::part::Part;

/// A rule, and what it needs: only then does it tell something that it found nothing.
pub struct RuleOfParts {
    /// The parts of a run that it looks at; all must be done.
    pub parts: &'static [Part],
    pub rule: Rule<Record>,
    /// Why a document of these parts cannot tell that there is nothing to find; None if it can.
    pub lack: fn(&Record) -> Option<&'static str>,
}

impl RuleOfParts {
    pub const fn new(parts: &'static [Part], yields: &'static [Kind], find: fn(&Record) -> Vec<Finding>) -> Self {
        Self { parts, rule: Rule { yields, find }, lack: |_| None }
    }

    pub const fn lacking(self, lack: fn(&Record) -> Option<&'static str>) -> Self {
        Self { lack, ..self }
    }
}
