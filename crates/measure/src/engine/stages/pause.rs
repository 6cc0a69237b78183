use super::{StageError, outcome};
use crate::engine::session::Session;
use crate::estimate;
use crate::record::{Disturbance, Part, Record};
use crate::task::pause::Request;
use crate::task::{Samples, Task};

/// Pauses in every way and length, in turn, one process per round.
pub(super) fn run(session: &mut Session<'_>, record: &mut Record) -> Result<(), StageError> {
    let forks = session.plan.pause_rounds.max(1);
    let budget_ms = (session.budget_ms(Part::Pause) / u64::from(forks)).max(1);
    let (mut rounds, mut reasons, mut disturbance) = (Vec::new(), Vec::new(), Disturbance::default());
    for fork in 0..forks {
        session.goes_on(Part::Pause, f64::from(fork) / f64::from(forks));
        let plan = &session.plan;
        let request = Request {
            ways: plan.pause_ways.clone(),
            lengths_ns: plan.pause_lengths_ns.clone(),
            cpu: plan.measuring_cpu,
            load: plan.pause_load,
            // Another way first in each round, and another length: their numbers have no factor in common with 7.
            rotation: fork as usize * 7,
        };
        let answer = session.ask(None, budget_ms, Task::Pause(request), |samples| match samples {
            Samples::Pause(found) => Some(found),
            _ => None,
        });
        match answer {
            Ok((samples, suffered)) => {
                disturbance.merge(&suffered);
                rounds.push(samples);
            }
            Err(failure) => reasons.push(failure.to_string()),
        }
        if session.observer.cancelled() {
            break;
        }
    }
    record.pause = estimate::pause(&rounds, session.plan.pause_load, disturbance);
    if session.observer.cancelled() {
        return Err(StageError::Incomplete("the run was stopped".to_owned()));
    }
    outcome(forks as usize, reasons)
}
