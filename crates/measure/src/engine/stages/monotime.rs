use chronoscope_clock::{Guarantee, SourceId};

use super::{StageError, outcome};
use crate::engine::session::Session;
use crate::estimate;
use crate::record::{Disturbance, Part, Record};
use crate::task::monotime::{Lane, Request};
use crate::task::{Samples, Task};

/// The adaptive clock that is looked at: as fine as is cheap for one thread, as coarse as two never notice.
const ADAPTIVE: Lane = Lane::Adaptive { finest_ns: 100, coarsest_ns: 2_000 };

/// Lets threads read the causal clock, its bare source and the fenced clock, one process per round.
pub(super) fn run(session: &mut Session<'_>, record: &mut Record) -> Result<(), StageError> {
    needs_the_counter(record)?;
    let granular = session.plan.monotime_granularities_ns.iter().map(|ns| Lane::Granular { granularity_ns: *ns });
    let lanes: Vec<Lane> = [Lane::Unordered, Lane::Ordered].into_iter().chain(granular).chain([ADAPTIVE]).collect();
    let forks = session.plan.monotime_rounds.max(1);
    let budget_ms = (session.budget_ms(Part::Monotime) / u64::from(forks)).max(1);
    let (mut rounds, mut reasons, mut disturbance) = (Vec::new(), Vec::new(), Disturbance::default());
    for fork in 0..forks {
        session.goes_on(Part::Monotime, f64::from(fork) / f64::from(forks));
        let task = Task::Monotime(Request {
            lanes: lanes.clone(),
            threads: session.plan.monotime_threads.clone(),
            cpus: session.plan.cpus.clone(),
            rotation: fork as usize,
        });
        let answer = session.ask(None, budget_ms, task, |samples| match samples {
            Samples::Monotime(found) => Some(found),
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
    let cpus = u32::try_from(session.plan.cpus.len()).unwrap_or(u32::MAX);
    record.monotime = estimate::monotime(&rounds, session.timer_rate(), cpus, disturbance);
    if session.observer.cancelled() {
        return Err(StageError::Incomplete("the run was stopped".to_owned()));
    }
    outcome(forks as usize, reasons)
}

/// Without the counter all of these clocks read the system's, and the comparison would be of one clock with itself.
fn needs_the_counter(record: &Record) -> Result<(), StageError> {
    let bare = SourceId::Clock(Guarantee::Unordered).name();
    match record.clocks.iter().find(|clock| clock.name == bare) {
        Some(clock) if clock.available => Ok(()),
        clock => {
            let reason = clock.and_then(|clock| clock.reason_unavailable.as_deref());
            Err(StageError::Skipped(format!(
                "the library's clock cannot count: {}",
                reason.unwrap_or("no reason is known")
            )))
        }
    }
}
