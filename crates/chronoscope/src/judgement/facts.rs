use chronoscope_harness::record::Machine;

use crate::part::{Part, PartReport, reason_missing};
use crate::plan::Plan;
use crate::registry::Sections;
use crate::sections::clocks::report::ClockReport;

/// What conclusions follow from: the machine, and what was planned and measured.
#[derive(Clone, Copy)]
pub struct Facts<'a> {
    pub machine: &'a Machine,
    pub plan: &'a Plan,
    pub parts: &'a [PartReport],
    pub sections: &'a Sections,
}

impl<'a> Facts<'a> {
    /// The clocks as measured.
    pub fn clocks(&self) -> &'a [ClockReport] {
        &self.sections.clocks.report.clocks
    }

    /// Why the results of `parts` are missing.
    pub fn reason_missing(&self, parts: &[Part]) -> String {
        reason_missing(self.parts, parts)
    }
}
