//! A part's rounds, each in its own worker process.

use super::stages::{StageResult, outcome};
use super::task::Task;
use crate::engine::session::Session;
use crate::part::Part;
use crate::plan::Plan;
use chronoscope_harness::record::Disturbance;

/// The samples of a part's rounds, each from its own worker process.
pub struct Rounds<T> {
    pub seen: Vec<T>,
    pub disturbance: Disturbance,
    /// Why rounds were not done or are incomplete.
    pub reasons: Vec<String>,
    planned: u32,
}

/// Runs `rounds` processes, each with the request that `request` builds from the plan and the round's number, until the
/// run is stopped.
pub fn rounds<R: Task>(
    session: &mut Session<'_>,
    part: Part,
    rounds: u32,
    request: impl Fn(&Plan, usize) -> R,
) -> Rounds<R::Samples> {
    let planned = rounds.max(1);
    let budget_ms = (session.budget_ms(part) / u64::from(planned)).max(1);
    let mut found = Rounds { seen: Vec::new(), disturbance: Disturbance::default(), reasons: Vec::new(), planned };
    for round in 0..planned {
        session.goes_on(part, f64::from(round) / f64::from(planned));
        let request = request(&session.plan, round as usize);
        match session.ask(None, budget_ms, &request) {
            Ok((samples, suffered)) => {
                found.disturbance.merge(&suffered);
                found.seen.push(samples);
            }
            Err(failure) => found.reasons.push(failure.to_string()),
        }
        if session.observer.cancelled() {
            break;
        }
    }
    found
}

impl<T> Rounds<T> {
    /// The outcome of the part.
    pub fn outcome(self, session: &Session<'_>) -> StageResult {
        session.uninterrupted("").and(outcome(self.planned as usize, self.reasons))
    }
}
