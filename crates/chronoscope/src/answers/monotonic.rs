//! Whether clocks went backwards within a thread.

use crate::answers::conclusions::Monotonic;
use crate::clock_id::ClockId;
use crate::document::Record;
use crate::sections::clocks::plan::GRANULARITY;
use crate::sections::clocks::report::ClockReport;
use crate::sections::reads::plan::READS;

/// Whether no clock stepped back within a thread, except the wall clock, which may be set.
pub fn never_stepped_back(record: &Record) -> Option<bool> {
    let in_steps = record
        .clocks
        .iter()
        .filter(|clock| !clock.may_be_set())
        .filter_map(|clock| clock.granularity.as_ref().map(|seen| seen.backward_steps));
    let in_reads = record.reads.iter().filter(|reads| !reads.clock.is_settable()).map(|reads| reads.backward_steps);
    if in_steps.chain(in_reads).any(|steps| steps > 0) {
        return Some(false);
    }
    let watched = watched(record);
    (!watched.is_empty() && watched.iter().all(|(_, was_watched)| *was_watched)).then_some(true)
}

/// The first screen's conclusion.
pub fn monotonic(record: &Record) -> Monotonic {
    let watched = watched(record);
    let untested: Vec<ClockId> =
        watched.iter().filter(|(_, was_watched)| !was_watched).map(|(clock, _)| clock.name.clone()).collect();
    match record.verdict.monotonic {
        Some(false) => Monotonic::SteppedBack,
        Some(true) if untested.is_empty() => Monotonic::Steady,
        _ if untested.is_empty() || untested.len() == watched.len() => {
            Monotonic::NotTested { reason: record.reason_missing(&[READS, GRANULARITY]) }
        }
        _ => Monotonic::PartlyTested { untested },
    }
}

/// The clocks planned for observation within a thread that must not step back: all but the wall clock, which may be
/// set. Each with whether it was observed.
fn watched(record: &Record) -> Vec<(&ClockReport, bool)> {
    let in_steps = record.plan.budget_ms_of(GRANULARITY).is_some();
    let in_reads = record.plan.budget_ms_of(READS).is_some();
    let was_planned =
        |id: &ClockId| in_steps && record.plan.clocks.contains(id) || in_reads && record.reads.plan.clocks.contains(id);
    let was_watched = |clock: &ClockReport| {
        clock.granularity.is_some() || record.reads.iter().any(|reads| reads.clock == clock.name && reads.count > 0)
    };
    record
        .clocks
        .iter()
        .filter(|clock| clock.available && !clock.may_be_set() && was_planned(&clock.name))
        .map(|clock| (clock, was_watched(clock)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::conclusions::Grade;
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
            record.clocks.push(clock);
        }
        record.verdict.monotonic = never_stepped_back(&record);
        record
    }

    #[test]
    fn it_takes_every_clock_of_the_plan() {
        let steady = || Some(vec![20; 40]);
        let untested = vec!["CLOCK_BOOTTIME".into()];
        let reason = "it was not part of the plan".to_owned();
        let rows = [
            ([steady(), steady()], Some(true), Monotonic::Steady, Grade::Good),
            ([steady(), Some(vec![20, -7])], Some(false), Monotonic::SteppedBack, Grade::Critical),
            ([None, Some(vec![20, -7])], Some(false), Monotonic::SteppedBack, Grade::Critical),
            ([steady(), None], None, Monotonic::PartlyTested { untested }, Grade::Unknown),
            ([None, None], None, Monotonic::NotTested { reason }, Grade::Unknown),
        ];
        for (changes, told, wanted, grade) in rows {
            let record = record(changes);
            let found = monotonic(&record);
            assert_eq!((record.verdict.monotonic, &found, found.grade()), (told, &wanted, grade));
        }
    }

    #[test]
    fn the_wall_clock_may_step_back() {
        let mut record = record([Some(vec![20; 40]), Some(vec![20; 40])]);
        let mut wall = readable("CLOCK_REALTIME");
        let steps = Steps { reads: 2, changes: vec![20, -7], ..Steps::default() };
        wall.granularity = Some(granularity(&steps, Rate::NANOSECONDS).unwrap().observed);
        record.clocks.push(wall);
        assert_eq!(never_stepped_back(&record), Some(true));
    }
}
