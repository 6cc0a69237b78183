//! Whether `CLOCK_MONOTONIC` is read without entering the kernel.

use chronoscope_sources::SourceId;
use chronoscope_sources::os::OsClock;

use crate::answers::conclusions::FastPath;
use crate::document::Record;
use crate::sections::clocks::plan::PATHS;
use crate::sections::clocks::report::ClockReport;
use chronoscope_harness::record::{Path, PathMethod};

/// The clock concerned.
pub const CLOCK: SourceId = SourceId::Os(OsClock::Monotonic);

/// Whether the vDSO reads it; None if unknown.
pub fn is_on_fast_path(record: &Record) -> Option<bool> {
    let path = clock(record).filter(|clock| clock.available)?.path?;
    Some(path == Path::Vdso)
}

/// The first screen's conclusion.
pub fn fast_path(record: &Record) -> FastPath {
    let clock = clock(record);
    let method = clock.and_then(|clock| clock.path_evidence.as_ref()).map(|evidence| evidence.method);
    let reason = |of: fn(&ClockReport) -> &Option<String>| clock.and_then(|clock| of(clock).clone());
    match (record.verdict.os_clock_on_fast_path, method) {
        // A verdict without evidence is no better than a guess.
        (Some(true), None | Some(PathMethod::Inferred)) => FastPath::ProbablyVdso { method },
        (Some(true), Some(method)) => FastPath::Vdso { method },
        (Some(false), _) => FastPath::SystemCall { method },
        (None, _) => match (reason(|clock| &clock.reason_unavailable), reason(|clock| &clock.reason_path_unknown)) {
            (Some(reason), _) => FastPath::NotTested { reason },
            (None, Some(reason)) => FastPath::Unknown { reason },
            (None, None) => FastPath::NotTested { reason: record.reason_missing(&[PATHS]) },
        },
    }
}

fn clock(record: &Record) -> Option<&ClockReport> {
    record.clocks.iter().find(|clock| clock.name == CLOCK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::conclusions::Grade;
    use crate::rules::tests::{blank, readable};
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
                |clock| {
                    clock.path = None;
                    clock.reason_path_unknown = Some("137 of 1000 reads failed".to_owned());
                },
                FastPath::Unknown { reason: reason("137 of 1000 reads failed") },
                Grade::Unknown,
            ),
            (
                |clock| {
                    clock.available = false;
                    clock.reason_unavailable = Some("EINVAL".to_owned());
                },
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
            record.clocks.push(clock);
            record.verdict.os_clock_on_fast_path = is_on_fast_path(&record);
            let found = fast_path(&record);
            assert_eq!((&found, found.grade()), (&wanted, grade));
        }
    }
}
