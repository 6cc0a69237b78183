use super::{StageError, outcome, readable};
use crate::engine::session::Session;
use crate::estimate;
use crate::record::{Disturbance, Part, Record};
use crate::task::latch::{Call, Request};
use crate::task::{Samples, Task};

/// Calls clocks, and nothing, in one thread and in many released together, one process per round.
pub(super) fn run(session: &mut Session<'_>, record: &mut Record) -> Result<(), StageError> {
    let clocks = readable(record, &session.plan.latch_clocks)?;
    let calls: Vec<Call> = [Call::Nothing].into_iter().chain(clocks.into_iter().map(Call::Read)).collect();
    let threads = session.plan.latch_threads.unwrap_or(1);
    let forks = session.plan.latch_rounds.max(1);
    let budget_ms = (session.budget_ms(Part::Latch) / u64::from(forks)).max(1);
    let (mut rounds, mut reasons, mut disturbance) = (Vec::new(), Vec::new(), Disturbance::default());
    for fork in 0..forks {
        session.goes_on(Part::Latch, f64::from(fork) / f64::from(forks));
        let request =
            Request { calls: calls.clone(), threads, cpus: session.plan.cpus.clone(), rotation: fork as usize };
        let answer = session.ask(None, budget_ms, Task::Latch(request), |samples| match samples {
            Samples::Latch(found) => Some(found),
            _ => None,
        });
        match answer {
            Ok((samples, suffered)) => {
                disturbance.merge(&suffered);
                reasons.extend(samples.reason_stopped.clone());
                rounds.push(samples);
            }
            Err(failure) => reasons.push(failure.to_string()),
        }
        if session.observer.cancelled() {
            break;
        }
    }
    record.latch = estimate::latch(&rounds, threads, session.timer_rate(), disturbance);
    if session.observer.cancelled() {
        return Err(StageError::Incomplete("the run was stopped".to_owned()));
    }
    match outcome(forks as usize, reasons) {
        // Each process may have been stopped, and each after some releases.
        Err(StageError::Failed(reason)) if record.latch.as_ref().is_some_and(|latch| latch.releases > 0) => {
            Err(StageError::Incomplete(reason))
        }
        outcome => outcome,
    }
}
