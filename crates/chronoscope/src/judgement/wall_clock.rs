//! Whether the wall clock is disciplined well enough.

use chronoscope_harness::finding::{Finding, Kind, Severity};

use super::facts::Facts;
use super::grade::Grade;
use crate::sections::sync::discipline::DisciplineState;
use crate::sections::sync::rules::{
    FREQUENCY_AT_LIMIT, LEAP_SECOND_PENDING, TIME_DAEMONS_COMPETE, WALL_CLOCK_ERROR_LARGE, WALL_CLOCK_NEEDS_STEP,
    WALL_CLOCK_STEPPED, WALL_CLOCK_UNDISCIPLINED,
};

/// What a wall clock that is disciplined may still suffer from.
const DOUBTS: [Kind; 7] = [
    WALL_CLOCK_UNDISCIPLINED,
    WALL_CLOCK_ERROR_LARGE,
    WALL_CLOCK_NEEDS_STEP,
    WALL_CLOCK_STEPPED,
    TIME_DAEMONS_COMPETE,
    LEAP_SECOND_PENDING,
    FREQUENCY_AT_LIMIT,
];

/// Good if it is disciplined, unless a finding says that this does not suffice.
pub fn wall_clock(facts: &Facts<'_>, findings: &[Finding]) -> Grade {
    let doubts = |finding: &Finding| DOUBTS.into_iter().any(|kind| finding.is(kind));
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
    use crate::sections::sync::rules::MONOTONIC_SLEWED;
    use crate::sections::sync::tests::well;

    #[test]
    fn what_a_disciplined_clock_suffers_from_counts_whatever_its_id() {
        let mut record = blank();
        record.content.sections.sync.report = Some(well());
        let suffering = DOUBTS.map(|kind| (kind, Grade::Warning));
        for (kind, grade) in suffering.into_iter().chain([(MONOTONIC_SLEWED, Grade::Good)]) {
            assert_eq!(wall_clock(&Facts::from(&record), &[Finding::new(kind, "seen")]), grade, "{kind:?}");
        }
    }
}
