//! Whether `CLOCK_MONOTONIC` is read without entering the kernel.

use chronoscope_harness::record::{Path, PathMethod};
use chronoscope_sources::SourceId;
use chronoscope_sources::os::OsClock;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facts::Facts;
use super::grade::Grade;
use crate::sections::clocks::plan::PATHS;

/// The clock concerned.
pub const CLOCK: SourceId = SourceId::Os(OsClock::Monotonic);

/// Whether `CLOCK_MONOTONIC` is read without entering the kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum FastPath {
    /// The vDSO reads it.
    Vdso {
        /// How that is known.
        method: PathMethod,
    },
    /// The vDSO probably reads it: inferred from timing, or the document does not say how that is known.
    ProbablyVdso {
        /// How that is known.
        method: Option<PathMethod>,
    },
    /// Every read is a system call.
    SystemCall {
        /// How that is known.
        method: Option<PathMethod>,
    },
    /// The tests were inconclusive.
    Unknown {
        /// Why.
        reason: String,
    },
    /// It was not tried.
    NotTested {
        /// Why.
        reason: String,
    },
}

impl FastPath {
    pub const fn grade(&self) -> Grade {
        match self {
            Self::Vdso { .. } => Grade::Good,
            Self::SystemCall { .. } => Grade::Warning,
            Self::ProbablyVdso { .. } | Self::Unknown { .. } | Self::NotTested { .. } => Grade::Unknown,
        }
    }
}

/// By what the clocks section found. A path without evidence is no better than a guess.
pub fn path(facts: &Facts<'_>) -> FastPath {
    let not_planned = || FastPath::NotTested { reason: facts.reason_missing(&[PATHS]) };
    let Some(clock) = facts.clocks().iter().find(|clock| clock.name == CLOCK) else { return not_planned() };
    let method = clock.path_evidence.as_ref().map(|evidence| evidence.method);
    match (clock.path.filter(|_| clock.available), method) {
        (Some(Path::Vdso), None | Some(PathMethod::Inferred)) => FastPath::ProbablyVdso { method },
        (Some(Path::Vdso), Some(method)) => FastPath::Vdso { method },
        (Some(Path::Syscall | Path::Register), _) => FastPath::SystemCall { method },
        (None, _) => match (&clock.reason_unavailable, &clock.reason_path_unknown) {
            (Some(reason), _) => FastPath::NotTested { reason: reason.clone() },
            (None, Some(reason)) => FastPath::Unknown { reason: reason.clone() },
            (None, None) => not_planned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::{blank, readable};
    use crate::sections::clocks::report::ClockReport;
    use chronoscope_harness::record::PathEvidence;

    type Change = fn(&mut ClockReport);

    #[test]
    fn a_guess_and_a_missing_proof_take_the_tick() {
        let proved = PathMethod::Proved;
        let reason = |reason: &str| reason.to_owned();
        let rows: [(Change, FastPath, Grade); 7] = [
            (|_| {}, FastPath::Vdso { method: proved }, Grade::Good),
            (
                |clock| clock.path_evidence.as_mut().unwrap().method = PathMethod::Inferred,
                FastPath::ProbablyVdso { method: Some(PathMethod::Inferred) },
                Grade::Unknown,
            ),
            (|clock| clock.path_evidence = None, FastPath::ProbablyVdso { method: None }, Grade::Unknown),
            (|clock| clock.path = Some(Path::Syscall), FastPath::SystemCall { method: Some(proved) }, Grade::Warning),
            (
                |clock| (clock.path, clock.reason_path_unknown) = (None, Some("137 of 1000 failed".to_owned())),
                FastPath::Unknown { reason: reason("137 of 1000 failed") },
                Grade::Unknown,
            ),
            (
                |clock| (clock.available, clock.reason_unavailable) = (false, Some("EINVAL".to_owned())),
                FastPath::NotTested { reason: reason("EINVAL") },
                Grade::Unknown,
            ),
            (
                |clock| clock.path = None,
                FastPath::NotTested { reason: reason("it was not part of the plan") },
                Grade::Unknown,
            ),
        ];
        for (change, wanted, grade) in rows {
            let mut clock = readable(CLOCK);
            clock.path = Some(Path::Vdso);
            clock.path_evidence = Some(PathEvidence { method: proved, detail: String::new() });
            change(&mut clock);
            let mut record = blank();
            record.content.sections.clocks.report.clocks.push(clock);
            let found = path(&Facts::from(&record));
            assert_eq!((&found, found.grade()), (&wanted, grade));
        }
    }
}
