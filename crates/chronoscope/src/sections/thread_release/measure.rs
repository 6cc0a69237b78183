use super::task::{Call, Request};
use crate::document::Record;
use crate::engine::rounds::rounds;
use crate::engine::session::Session;
use crate::engine::stages::{StageError, readable};
use crate::sections::thread_release::estimate;
use crate::sections::thread_release::plan::THREAD_RELEASE;

/// Calls clocks, and nothing, in one thread and in many released together, one process per round.
pub fn run(session: &mut Session<'_>, record: &mut Record) -> Result<(), StageError> {
    let clocks = readable(record, &record.thread_release.plan.clocks)?;
    let calls: Vec<Call> = [Call::Nothing].into_iter().chain(clocks.into_iter().map(Call::Read)).collect();
    let threads = record.thread_release.plan.threads;
    let mut found = rounds(session, THREAD_RELEASE, record.thread_release.plan.rounds, |plan, round| Request {
        calls: calls.clone(),
        threads,
        cpus: plan.cpus.clone(),
        rotation: round,
    });
    found.reasons.extend(found.seen.iter().filter_map(|samples| samples.reason_stopped.clone()));
    record.thread_release.report =
        estimate::thread_release(&found.seen, threads, session.timer_rate(), found.disturbance.clone());
    match found.outcome(session) {
        // Each process may have been stopped, and each after some releases.
        Err(StageError::Failed(reason))
            if record.thread_release.report.as_ref().is_some_and(|latch| latch.releases > 0) =>
        {
            Err(StageError::Incomplete(reason))
        }
        outcome => outcome,
    }
}
