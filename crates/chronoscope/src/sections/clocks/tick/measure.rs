use super::task::Request;
use crate::document::Record;
use crate::engine::session::Session;
use crate::engine::stages::{StageError, clock_mut, outcome, readable};
use crate::sections::clocks::plan::TICK;
use chronoscope_harness::estimators::tick::{readings, tick};

/// Reads every clock at irregular times.
pub fn run(session: &mut Session<'_>, record: &mut Record) -> Result<(), StageError> {
    let sources = readable(record, &record.plan.clocks)?;
    let budget_ms = session.budget_ms(TICK);
    let (samples, _) = session.ask_alone(budget_ms, &Request(sources.clone()))?;
    for (name, taken) in sources.iter().zip(&samples) {
        let found = tick(&readings(&taken.changes), session.rate_of(name));
        if let Some(clock) = clock_mut(record, name) {
            clock.tick = Some(found);
        }
    }
    outcome(sources.len(), Vec::new())
}
