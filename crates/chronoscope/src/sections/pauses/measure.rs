use super::task::PausesTask;
use crate::engine::rounds::rounds;
use crate::engine::session::Session;
use crate::engine::stages::Found;
use crate::sections::pauses::estimate;
use crate::sections::pauses::plan::{PAUSES, PausesPlan};
use chronoscope_harness::estimators::pauses::Pauses;

/// Makes pauses of every method and length, in turn, one process per round.
pub fn run(session: &mut Session<'_>, plan: &PausesPlan) -> Found<Option<Pauses>> {
    let found = rounds(session, PAUSES, plan.rounds, |run, round| PausesTask {
        ways: plan.ways.clone(),
        lengths_ns: plan.lengths_ns.clone(),
        cpu: run.measuring_cpu(),
        load: plan.load,
        rotation: round,
    });
    Ok((estimate::pause(&found.seen), found.outcome(session)))
}
