use super::task::Request;
use crate::document::Record;
use crate::engine::session::Session;
use crate::engine::stages::{StageError, clock_mut, outcome, readable};
use crate::sections::clocks::plan::GRANULARITY;
use chronoscope_harness::estimators::steps::granularity;

/// Reads every clock until it changes.
pub fn run(session: &mut Session<'_>, record: &mut Record) -> Result<(), StageError> {
    let sources = readable(record, &record.plan.clocks)?;
    let budget_ms = session.budget_ms(GRANULARITY);
    let (samples, _) = session.ask_alone(budget_ms, &Request(sources.clone()))?;
    let mut reasons = Vec::new();
    for (name, steps) in sources.iter().zip(&samples) {
        match granularity(steps, session.rate_of(name)) {
            Some(found) => {
                let Some(clock) = clock_mut(record, name) else { continue };
                clock.granularity_ns = Some(found.step_ns);
                clock.granularity_is_latency = Some(found.is_latency);
                clock.granularity = Some(found.observed);
            }
            None => reasons.push(format!("{name} did not advance in {} reads", steps.reads)),
        }
    }
    outcome(sources.len(), reasons)
}
