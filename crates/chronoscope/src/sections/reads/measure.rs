use super::task::ReadsTask;
use crate::engine::session::Session;
use crate::engine::stages::{Found, outcome};
use crate::sections::reads::plan::{READS, ReadsPlan};
use crate::sections::reads::report::Reads;
use chronoscope_harness::estimators::reads::reads;

/// Takes consecutive reads of some clocks.
pub fn run(session: &mut Session<'_>, plan: &ReadsPlan) -> Found<Vec<Reads>> {
    let clocks = session.readable(&plan.clocks)?;
    let budget_ms = session.budget_ms(READS) / clocks.len() as u64;
    let (mut found, mut reasons) = (Vec::new(), Vec::new());
    for (i, clock) in clocks.iter().enumerate() {
        session.goes_on(READS, i as f64 / clocks.len() as f64);
        let (reads_each, empty_intervals) = session.plan.depth.reads();
        let request = ReadsTask { source: clock.clone(), reads: reads_each, empty_intervals };
        let answer = session.ask_alone(budget_ms, &request);
        match answer {
            Ok((samples, disturbance)) => match reads(clock.clone(), &samples, session.rate_of(clock), disturbance) {
                Some(reads) => found.push(reads),
                None => reasons.push(format!("{clock}: too short for a single difference")),
            },
            Err(failure) => reasons.push(format!("{clock}: {failure}")),
        }
    }
    Ok((found, outcome(clocks.len(), reasons)))
}
