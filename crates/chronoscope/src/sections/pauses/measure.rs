use super::task::Request;
use crate::engine::rounds::rounds;
use crate::engine::session::Session;
use crate::engine::stages::StageError;
use crate::estimate;
use crate::record::{Part, Record};

/// Pauses in every way and length, in turn, one process per round.
pub fn run(session: &mut Session<'_>, record: &mut Record) -> Result<(), StageError> {
    let found = rounds(session, Part::Pause, session.plan.pause_rounds, |plan, round| Request {
        ways: plan.pause_ways.clone(),
        lengths_ns: plan.pause_lengths_ns.clone(),
        cpu: plan.measuring_cpu,
        load: plan.pause_load,
        rotation: round,
    });
    record.pause = estimate::pause(&found.seen, session.plan.pause_load, found.disturbance.clone());
    found.outcome(session)
}
