use super::task::TickTask;
use crate::engine::session::Session;
use crate::engine::stages::{Found, outcome};
use crate::sections::clocks::plan::TICK;
use crate::sections::clocks::report::ClocksReport;
use chronoscope_harness::estimators::tick::{readings, tick};

/// Reads every clock at irregular times.
pub fn run(session: &mut Session<'_>, mut report: ClocksReport) -> Found<ClocksReport> {
    let sources = session.readable(&session.plan.clocks)?;
    let budget_ms = session.budget_ms(TICK);
    let (samples, _) = session.ask_alone(budget_ms, &TickTask(sources.clone()))?;
    for (name, taken) in sources.iter().zip(&samples) {
        let found = tick(&readings(&taken.changes), session.rate_of(name));
        if let Some(clock) = report.clock_mut(name) {
            clock.tick = Some(found);
            clock.step = clock.step_by_evidence();
        }
    }
    Ok((report, outcome(sources.len(), Vec::new())))
}
