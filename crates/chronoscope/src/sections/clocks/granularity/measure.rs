use super::task::GranularityTask;
use crate::engine::session::Session;
use crate::engine::stages::{Found, outcome};
use crate::sections::clocks::plan::GRANULARITY;
use crate::sections::clocks::report::ClocksReport;
use chronoscope_harness::estimators::steps::granularity;

/// Reads every clock until it changes.
pub fn run(session: &mut Session<'_>, mut report: ClocksReport) -> Found<ClocksReport> {
    let sources = session.readable(&session.plan.clocks)?;
    let budget_ms = session.budget_ms(GRANULARITY);
    let (samples, _) = session.ask_alone(budget_ms, &GranularityTask(sources.clone()))?;
    let mut reasons = Vec::new();
    for (name, steps) in sources.iter().zip(&samples) {
        match granularity(steps, session.rate_of(name)) {
            Some(found) => {
                let Some(clock) = report.clock_mut(name) else { continue };
                (clock.granularity_ns, clock.granularity_is_latency) = found.told().unzip();
                clock.granularity = Some(found.observed);
                clock.step = clock.step_by_evidence();
            }
            None => reasons.push(format!("{name} did not advance in {} reads", steps.reads)),
        }
    }
    Ok((report, outcome(sources.len(), reasons)))
}
