use chronoscope_clock::SourceId;

use super::{StageError, available, clock_mut, outcome};
use crate::engine::session::Session;
use crate::record::{Part, Path, PathEvidence, PathMethod, Record};
use crate::task::{Samples, Task, path};

/// A clock that costs less than this share of the real system call is taken not to make it.
const VDSO_SHARE_OF_SYSTEM_CALL: f64 = 0.5;

/// Proves each clock's path by forbidding the system call to a worker.
pub(super) fn run(session: &mut Session<'_>, record: &mut Record) -> Result<(), StageError> {
    let sources: Vec<String> = available(record, &session.plan.clocks)
        .into_iter()
        .filter(|name| matches!(SourceId::from_name(name), Some(SourceId::Os(_))))
        .collect();
    if sources.is_empty() {
        return Err(StageError::Skipped("no clock of the system can be read".to_owned()));
    }
    let task = Task::Path(path::Request { sources: sources.clone() });
    let (samples, _) = session.ask_alone(session.budget_ms(Part::Paths), task, |samples| match samples {
        Samples::Path(found) => Some(found),
        _ => None,
    })?;
    let mut reasons = Vec::new();
    for (name, failed) in sources.iter().zip(samples.failed_reads) {
        let Some(clock) = clock_mut(record, name) else { continue };
        match failed.and_then(path::proved) {
            Some(path) => {
                let saw = match path {
                    Path::Vdso => "still worked: the kernel was not entered",
                    _ => "all failed: the kernel is entered",
                };
                let detail = format!("{} reads with clock_gettime forbidden by seccomp {saw}", path::READS);
                clock.path = Some(path);
                clock.path_evidence = Some(PathEvidence { method: PathMethod::Proved, detail });
            }
            None => {
                reasons.push(format!("{name} worked in some reads and failed in others with its system call forbidden"))
            }
        }
    }
    outcome(sources.len(), reasons)
}

/// Guesses the path of clocks for which it could not be proved, from what they cost beside the real system call.
pub(super) fn infer(record: &mut Record) {
    let cost = |clock: &crate::record::ClockReport| clock.latency_ns.as_ref().map(|latency| latency.p50);
    let system_call = SourceId::MonotonicSystemCall.name();
    let Some(call_ns) = record.clocks.iter().find(|clock| clock.name == system_call).and_then(cost) else { return };
    for clock in record.clocks.iter_mut().filter(|clock| clock.available && clock.path.is_none()) {
        let Some(ns) = cost(clock) else { continue };
        let share = ns / call_ns;
        clock.path = Some(if share < VDSO_SHARE_OF_SYSTEM_CALL { Path::Vdso } else { Path::Syscall });
        let detail = format!("seccomp could not be used; a read costs {share:.2} of the real system call");
        clock.path_evidence = Some(PathEvidence { method: PathMethod::Inferred, detail });
    }
}
