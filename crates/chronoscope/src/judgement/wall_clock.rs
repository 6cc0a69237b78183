//! Whether the wall clock is disciplined well enough.

use chronoscope_harness::finding::{Finding, Severity};

use super::facts::Facts;
use super::grade::Grade;
use crate::sections::sync::discipline::DisciplineState;
use crate::sections::sync::rules::{MONOTONIC_SLEWED, RULES};

/// Good if it is disciplined, unless a warning of its section says that this does not suffice. That of a slewed monotonic clock is
/// about another clock.
pub fn wall_clock(facts: &Facts<'_>, findings: &[Finding]) -> Grade {
    let of_sync = |finding: &Finding| RULES.iter().flat_map(|rule| rule.yields).any(|kind| finding.is(*kind));
    let doubts = |finding: &Finding| of_sync(finding) && !finding.is(MONOTONIC_SLEWED);
    let is_doubted = || findings.iter().any(|finding| finding.severity >= Severity::Warning && doubts(finding));
    match facts.sections.sync.report.as_ref().map(|report| report.discipline.state) {
        Some(DisciplineState::Disciplined) if !is_doubted() => Grade::Good,
        Some(DisciplineState::Disciplined | DisciplineState::NotDisciplined) => Grade::Warning,
        Some(DisciplineState::Unknown) | None => Grade::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::blank;
    use crate::sections::sync::rules::{LEAP_SECOND_PENDING, MONOTONIC_SLEWED, PTP_CLOCK_UNUSED, TIME_DAEMONS_COMPETE};
    use crate::sections::sync::tests::well;

    #[test]
    fn what_a_disciplined_clock_suffers_from_counts_whatever_its_id() {
        let mut record = blank();
        record.content.sections.sync.report = Some(well());
        let (bad, good) = (Grade::Warning, Grade::Good);
        let doubted = [(TIME_DAEMONS_COMPETE, bad), (LEAP_SECOND_PENDING, bad)];
        for (kind, grade) in doubted.into_iter().chain([(PTP_CLOCK_UNUSED, good), (MONOTONIC_SLEWED, good)]) {
            assert_eq!(wall_clock(&Facts::from(&record), &[Finding::new(kind, "seen")]), grade, "{kind:?}");
        }
    }
}
