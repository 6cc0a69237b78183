//! Whether clocks went backwards within a thread.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facts::Facts;
use super::grade::Grade;
use crate::clock_id::ClockId;
use crate::sections::clocks::plan::GRANULARITY;
use crate::sections::clocks::report::ClockReport;
use crate::sections::reads::plan::READS;

/// Whether clocks went backwards within a thread; the wall clock may, since it can be set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Monotonic {
    /// None did.
    Steady,
    /// One did.
    SteppedBack,
    /// None of those observed did.
    PartlyTested {
        /// Those that were not observed.
        untested: Vec<ClockId>,
    },
    /// None was observed.
    NotTested {
        /// Why.
        reason: String,
    },
}

impl Monotonic {
    pub const fn grade(&self) -> Grade {
        match self {
            Self::Steady => Grade::Good,
            Self::SteppedBack => Grade::Critical,
            Self::PartlyTested { .. } | Self::NotTested { .. } => Grade::Unknown,
        }
    }
}

/// Over all clocks but the wall clock, which may be set.
pub fn monotonic(facts: &Facts<'_>) -> Monotonic {
    let mut reads = facts.sections.reads.report.iter();
    let in_reads = reads.any(|reads| !reads.clock.is_settable() && reads.backward_steps > 0);
    if in_reads || facts.clocks().iter().any(|clock| !clock.may_be_set() && stepped_back(clock, facts)) {
        return Monotonic::SteppedBack;
    }
    let watched = watched(facts);
    let untested: Vec<ClockId> =
        watched.iter().filter(|(_, was_watched)| !was_watched).map(|(clock, _)| clock.name.clone()).collect();
    match untested.len() {
        all if all == watched.len() => Monotonic::NotTested { reason: facts.reason_missing(&[READS, GRANULARITY]) },
        0 => Monotonic::Steady,
        _ => Monotonic::PartlyTested { untested },
    }
}

/// Whether `clock` went backwards within a thread.
pub fn stepped_back(clock: &ClockReport, facts: &Facts<'_>) -> bool {
    clock.granularity.as_ref().is_some_and(|seen| seen.backward_steps > 0)
        || facts.sections.reads.report.iter().any(|reads| reads.clock == clock.name && reads.backward_steps > 0)
}

/// The clocks planned for observation within a thread that must not step back. Each with whether it was observed.
fn watched<'a>(facts: &'a Facts<'_>) -> Vec<(&'a ClockReport, bool)> {
    let in_steps = facts.plan.budget_ms_of(GRANULARITY).is_some();
    let in_reads = facts.plan.budget_ms_of(READS).is_some();
    let was_planned = |id: &ClockId| {
        in_steps && facts.plan.clocks.contains(id) || in_reads && facts.sections.reads.plan.clocks.contains(id)
    };
    let was_watched = |clock: &ClockReport| {
        clock.granularity.is_some()
            || facts.sections.reads.report.iter().any(|reads| reads.clock == clock.name && reads.count > 0)
    };
    facts
        .clocks()
        .iter()
        .filter(|clock| clock.available && !clock.may_be_set() && was_planned(&clock.name))
        .map(|clock| (clock, was_watched(clock)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Record;
    use crate::rules::tests::{blank, readable};
    use chronoscope_harness::estimators::steps::{Steps, granularity};
    use chronoscope_sources::Rate;

    /// Two clocks with these changes from read to read; None where not observed.
    fn record(changes: [Option<Vec<i64>>; 2]) -> Record {
        let mut record = blank();
        for (name, changes) in ["CLOCK_MONOTONIC", "CLOCK_BOOTTIME"].into_iter().zip(changes) {
            let mut clock = readable(name);
            let steps = changes.map(|changes| Steps { reads: changes.len() as u64, changes, ..Steps::default() });
            clock.granularity = steps.map(|steps| granularity(&steps, Rate::NANOSECONDS).unwrap().observed);
            record.content.sections.clocks.report.clocks.push(clock);
        }
        record
    }

    #[test]
    fn it_takes_every_clock_of_the_plan() {
        let steady = || Some(vec![20; 40]);
        let untested = vec!["CLOCK_BOOTTIME".into()];
        let reason = "it was not part of the plan".to_owned();
        let rows = [
            ([steady(), steady()], Monotonic::Steady, Grade::Good),
            ([steady(), Some(vec![20, -7])], Monotonic::SteppedBack, Grade::Critical),
            ([None, Some(vec![20, -7])], Monotonic::SteppedBack, Grade::Critical),
            ([steady(), None], Monotonic::PartlyTested { untested }, Grade::Unknown),
            ([None, None], Monotonic::NotTested { reason }, Grade::Unknown),
        ];
        for (changes, wanted, grade) in rows {
            let found = monotonic(&Facts::from(&record(changes)));
            assert_eq!((&found, found.grade()), (&wanted, grade));
        }
    }

    #[test]
    fn the_wall_clock_may_step_back() {
        let mut record = record([Some(vec![20; 40]), Some(vec![20; 40])]);
        let mut wall = readable("CLOCK_REALTIME");
        let steps = Steps { reads: 2, changes: vec![20, -7], ..Steps::default() };
        wall.granularity = Some(granularity(&steps, Rate::NANOSECONDS).unwrap().observed);
        record.content.sections.clocks.report.clocks.push(wall);
        assert_eq!(monotonic(&Facts::from(&record)), Monotonic::Steady);
    }
}
