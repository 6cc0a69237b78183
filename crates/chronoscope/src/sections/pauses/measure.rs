use super::task::Request;
use crate::document::Record;
use crate::engine::rounds::rounds;
use crate::engine::session::Session;
use crate::engine::stages::StageError;
use crate::sections::pauses::estimate;
use crate::sections::pauses::plan::PAUSES;

/// Makes pauses of every method and length, in turn, one process per round.
pub fn run(session: &mut Session<'_>, record: &mut Record) -> Result<(), StageError> {
    let plan = &record.pauses.plan;
    let found = rounds(session, PAUSES, plan.rounds, |run, round| Request {
        ways: plan.ways.clone(),
        lengths_ns: plan.lengths_ns.clone(),
        cpu: run.measuring_cpu,
        load: plan.load,
        rotation: round,
    });
    record.pauses.report = estimate::pause(&found.seen, plan.load, found.disturbance.clone());
    found.outcome(session)
}
