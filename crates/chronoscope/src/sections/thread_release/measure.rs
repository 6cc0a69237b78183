use super::task::{Call, Request};
use crate::engine::rounds::rounds;
use crate::engine::session::Session;
use crate::engine::stages::{StageError, readable};
use crate::estimate;
use crate::record::{Part, Record};

/// Calls clocks, and nothing, in one thread and in many released together, one process per round.
pub fn run(session: &mut Session<'_>, record: &mut Record) -> Result<(), StageError> {
    let clocks = readable(record, &session.plan.latch_clocks)?;
    let calls: Vec<Call> = [Call::Nothing].into_iter().chain(clocks.into_iter().map(Call::Read)).collect();
    let threads = session.plan.latch_threads.unwrap_or(1);
    let mut found = rounds(session, Part::Latch, session.plan.latch_rounds, |plan, round| Request {
        calls: calls.clone(),
        threads,
        cpus: plan.cpus.clone(),
        rotation: round,
    });
    found.reasons.extend(found.seen.iter().filter_map(|samples| samples.reason_stopped.clone()));
    record.latch = estimate::latch(&found.seen, threads, session.timer_rate(), found.disturbance.clone());
    match found.outcome(session) {
        // Each process may have been stopped, and each after some releases.
        Err(StageError::Failed(reason)) if record.latch.as_ref().is_some_and(|latch| latch.releases > 0) => {
            Err(StageError::Incomplete(reason))
        }
        outcome => outcome,
    }
}
