//! The rules of a section.

use chronoscope_harness::finding::{Finding, Kind};
use chronoscope_harness::record::Machine;

/// What the rules of a section see: the machine, their plan and their report.
pub struct RuleInput<'a, P, R> {
    pub machine: &'a Machine,
    /// The section's plan.
    pub plan: &'a P,
    /// The section's measurements.
    pub report: &'a R,
}

/// A pure function from what a section knows to its findings of one kind, or a few related kinds.
pub struct SectionRule<P, R> {
    /// The kinds it can yield; no others.
    pub yields: &'static [Kind],
    /// The function.
    pub find: fn(&RuleInput<'_, P, R>) -> Vec<Finding>,
    /// Why what a measured section knows cannot tell that there is nothing to find; None if it can.
    pub lack: fn(&RuleInput<'_, P, R>) -> Option<&'static str>,
}

impl<P, R> SectionRule<P, R> {
    pub const fn new(yields: &'static [Kind], find: fn(&RuleInput<'_, P, R>) -> Vec<Finding>) -> Self {
        Self { yields, find, lack: |_| None }
    }

    pub const fn lacking(self, lack: fn(&RuleInput<'_, P, R>) -> Option<&'static str>) -> Self {
        Self { lack, ..self }
    }

    pub fn found(&self, seen: &RuleInput<'_, P, R>) -> Vec<Finding> {
        let found = (self.find)(seen);
        debug_assert!(found.iter().all(|finding| self.yields.iter().any(|kind| finding.is(*kind))), "{found:?}");
        found
    }
}
