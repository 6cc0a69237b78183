//! Tests the harness on operations whose true cost is known.

mod chain;
mod check;
pub mod command;
mod document;
mod judge;
mod known;
mod machine;
mod mixture;
mod oversubscribed;
mod pairs;
pub mod rules;
mod series;
mod show;

use chronoscope_harness::Study;
use chronoscope_harness::record::study::StudyRecord;

pub use check::{Check, Outcome};
pub use document::{Selftest, Verdict};
use machine::MachineState;
pub use show::terminal;

/// A study and its checks.
pub struct Part {
    pub study: Study,
    checks: fn(&StudyRecord) -> Vec<Check>,
    /// Whether its threads disturb each other, so that the disturbance seen by its interference probe is its own.
    is_oversubscribed: bool,
}

/// All parts. `cpus`: the number of CPUs available to the threads.
pub fn parts(cpus: u32) -> Vec<Part> {
    let part = |study, checks| Part { study, checks, is_oversubscribed: false };
    vec![
        part(known::study(), known::checks),
        part(pairs::study(), pairs::checks),
        part(mixture::study(), mixture::checks),
        part(series::study(), series::checks),
        Part { is_oversubscribed: true, ..part(oversubscribed::study(cpus), oversubscribed::checks) },
    ]
}

/// Judges the records of `parts`; the last ones may be missing. `again` holds second attempts at some parts: their claims
/// join the first ones and replace none.
pub fn judge(parts: &[Part], records: &[StudyRecord], again: &[(usize, StudyRecord)]) -> Verdict {
    let machine = machine(parts, records);
    let checks_of = |(part, record): (&Part, &StudyRecord)| {
        let mut checks = (part.checks)(record);
        if record.interrupted {
            leave_open(&mut checks);
        }
        checks
    };
    let mut checks: Vec<Check> = parts.iter().zip(records).flat_map(checks_of).collect();
    let second = again.iter().filter_map(|(part, record)| Some((parts.get(*part)?, record)));
    checks.extend(second.flat_map(checks_of).map(|check| Check { attempt: 2, ..check }));
    let interrupted = records.len() < parts.len() || records.iter().any(|record| record.interrupted);
    let passed = !interrupted && is_right(&checks);
    let faults = machine.faults();
    let repeated = again.iter().filter_map(|(part, _)| Some(parts.get(*part)?.study.name().to_owned())).collect();
    Verdict { checks, faults, machine, passed, repeated, interrupted }
}

/// Whether at least one claim passed, and every other one passed or was not tried.
fn is_right(checks: &[Check]) -> bool {
    let outcomes = || outcomes(checks).into_iter();
    outcomes().any(|outcome| outcome == Outcome::Pass)
        && outcomes().all(|outcome| matches!(outcome, Outcome::Pass | Outcome::NotTried))
}

/// What became of each claim: wrong if it was wrong in any attempt, else what its last attempt says.
pub fn outcomes(checks: &[Check]) -> Vec<Outcome> {
    let first = checks.iter().filter(|check| check.attempt == 1);
    let of_claim = |claim: &Check| {
        let attempts = || checks.iter().filter(|check| check.name == claim.name).map(|check| check.outcome);
        let last = attempts().next_back().unwrap_or(claim.outcome);
        if attempts().any(|outcome| outcome == Outcome::Fail) { Outcome::Fail } else { last }
    };
    first.map(of_claim).collect()
}

/// In a stopped study, a missing claim was not measured rather than wrong.
fn leave_open(checks: &mut [Check]) {
    let is_made = |check: &Check| check.claimed.is_some_and(|claimed| claimed.confidence > 0.0);
    for check in checks.iter_mut().filter(|check| check.outcome == Outcome::Fail && !is_made(check)) {
        check.outcome = Outcome::NotTried;
        check.reason = format!("the run was interrupted early: {}", check.reason);
    }
}

/// The parts with a claim too vague to be judged; none for a stopped run. A claim that is wrong is wrong: an interval must hold
/// on a busy machine, too.
pub fn unclear(parts: &[Part], records: &[StudyRecord]) -> Vec<usize> {
    if judge(parts, records, &[]).interrupted {
        return Vec::new();
    }
    let is_unclear = |(at, (part, record)): (usize, (&Part, &StudyRecord))| {
        (part.checks)(record).iter().any(|check| check.outcome == Outcome::TooNoisy).then_some(at)
    };
    parts.iter().zip(records).enumerate().filter_map(is_unclear).collect()
}

/// The disturbance of studies that do not disturb themselves.
fn machine(parts: &[Part], records: &[StudyRecord]) -> MachineState {
    MachineState::of(parts.iter().zip(records).filter(|(part, _)| !part.is_oversubscribed).map(|(_, record)| record))
}

#[cfg(test)]
mod tests;
