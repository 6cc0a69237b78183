//! Whether the wall clock is disciplined well enough.

use chronoscope_harness::finding::{Finding, Severity};

use super::facts::Facts;
use super::grade::Grade;
use crate::sections::sync::discipline::DisciplineState;

/// The ids of the wall clock's findings begin so.
const OF_WALL_CLOCK: &str = "wall_clock_";

/// Good if it is disciplined, unless a finding says that this does not suffice.
pub fn wall_clock(facts: &Facts<'_>, findings: &[Finding]) -> Grade {
    let is_doubted = || {
        findings.iter().any(|finding| finding.severity >= Severity::Warning && finding.id.starts_with(OF_WALL_CLOCK))
    };
    match facts.sections.sync.report.as_ref().map(|report| report.discipline.state) {
        Some(DisciplineState::Disciplined) if !is_doubted() => Grade::Good,
        Some(DisciplineState::Disciplined | DisciplineState::NotDisciplined) => Grade::Warning,
        Some(DisciplineState::Unknown) | None => Grade::Unknown,
    }
}
