use chronoscope_sources::{Guarantee, SourceId};

use super::task::{Lane, Request};
use crate::document::Record;
use crate::engine::rounds::rounds;
use crate::engine::session::Session;
use crate::engine::stages::StageError;
use crate::sections::contention::estimate;
use crate::sections::contention::plan::CONTENTION;

/// Has threads read the causal clock, its bare source and the fenced clock, one process per round.
pub fn run(session: &mut Session<'_>, record: &mut Record) -> Result<(), StageError> {
    needs_the_counter(record)?;
    let plan = &record.contention.plan;
    let granular = plan.granularities_ns.iter().map(|ns| Lane::Granular { granularity_ns: *ns });
    let lanes: Vec<Lane> = [Lane::Unordered, Lane::Ordered].into_iter().chain(granular).collect();
    let found = rounds(session, CONTENTION, plan.rounds, |run, round| Request {
        lanes: lanes.clone(),
        threads: plan.threads.clone(),
        cpus: run.cpus.clone(),
        rotation: round,
    });
    let cpus = u32::try_from(session.plan.cpus.len()).unwrap_or(u32::MAX);
    record.contention.report = estimate::contention(&found.seen, session.timer_rate(), cpus, found.disturbance.clone());
    found.outcome(session)
}

/// Without the counter all of these clocks read the system clock, so the comparison would be meaningless.
fn needs_the_counter(record: &Record) -> Result<(), StageError> {
    let bare = SourceId::Clock(Guarantee::Unordered);
    match record.clocks.iter().find(|clock| clock.name == bare) {
        Some(clock) if clock.available => Ok(()),
        clock => {
            let reason = clock.and_then(|clock| clock.reason_unavailable.as_deref());
            Err(StageError::Skipped(format!(
                "the library's clock is unavailable: {}",
                reason.unwrap_or("no reason given")
            )))
        }
    }
}
