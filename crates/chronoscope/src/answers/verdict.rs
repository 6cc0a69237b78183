//! From estimates to the verdict: which clocks can be trusted, and what they can time.

use chronoscope_clock::os::OsClock;
use chronoscope_clock::{Family, SourceId};

use crate::answers::report::{Question, Tolerance};
use crate::clock_id::ClockId;
use crate::document::{Outcome, Record};
use crate::sections::causality::report::Litmus;
use crate::sections::clocks::library_clock::report::LibraryClockState;
use crate::sections::clocks::report::{ClockReport, Path};

/// Fills in `record.verdict` from the rest of the record, and what each clock's causality comes to.
pub fn conclude(record: &mut Record) {
    let causality: Vec<_> = record.clocks.iter().map(|clock| causality_of(clock, record)).collect();
    for (clock, (causal, reason)) in record.clocks.iter_mut().zip(causality) {
        (clock.causal, clock.reason_causal_unknown) = (causal, reason);
    }
    let standings: Vec<(bool, String)> = record
        .verdict
        .clocks
        .iter()
        .map(|verdict| match record.clocks.iter().find(|clock| clock.name == verdict.name) {
            Some(clock) => standing(clock, record),
            None => (false, "not measured".to_owned()),
        })
        .collect();
    for (clock, (recommended, why)) in record.verdict.clocks.iter_mut().zip(standings) {
        (clock.recommended, clock.why) = (recommended, why);
    }
    let questions = record.clocks.plan.questions_ns.iter().map(|ns| answer(*ns, record)).collect();
    let skew = record.causality.pairs.iter().map(|pair| pair.skew_not_excluded_ns()).fold(None, larger);
    let on_fast_path = clock(record, SourceId::Os(OsClock::Monotonic))
        .filter(|clock| clock.available)
        .and_then(|clock| clock.path)
        .map(|path| path == Path::Vdso);
    let (monotonic, causal) = (never_stepped_back(record), causal(record));
    let verdict = &mut record.verdict;
    verdict.os_clock_on_fast_path = on_fast_path;
    verdict.monotonic = monotonic;
    verdict.causal = causal;
    verdict.skew_not_excluded_ns = skew;
    verdict.questions = questions;
}

fn clock(record: &Record, id: SourceId) -> Option<&ClockReport> {
    record.clocks.iter().find(|clock| clock.name == id)
}

fn larger(a: Option<f64>, b: f64) -> Option<f64> {
    Some(a.map_or(b, |a| a.max(b)))
}

/// Whether `clock` went backwards between CPUs, or why that is not known.
///
/// One step back is enough to say that it does. That it does not takes every pair of the plan, and on each of them enough
/// new values: a value that is seen again adds hardly anything.
fn causality_of(clock: &ClockReport, record: &Record) -> (Option<bool>, Option<String>) {
    let unknown = |reason: String| (None, Some(reason));
    let rows: Vec<&Litmus> = record.causality.litmus.iter().filter(|row| row.name == clock.name).collect();
    let in_messages = record.causality.pairs.iter().filter(|pair| pair.clock == clock.name).map(|pair| pair.violations);
    if rows.iter().map(|row| row.violations).chain(in_messages).any(|violations| violations > 0) {
        return (Some(false), None);
    }
    if !clock.available {
        return (None, clock.reason_causal_unknown.clone());
    }
    if rows.is_empty() {
        let reason = || clock.reason_causal_unknown.clone().or_else(|| record.causality.reason_unavailable.clone());
        return unknown(reason().unwrap_or_else(|| reason_missing(record)));
    }
    let planned = record.causality.plan.litmus_pairs.iter();
    let was_run = |pair: &&(u32, u32)| rows.iter().any(|row| (row.writer, row.reader) == **pair);
    if let Some((writer, reader)) = planned.clone().find(|pair| !was_run(pair)) {
        return unknown(format!("not observed from CPU {writer} to CPU {reader}: {}", reason_missing(record)));
    }
    match rows.iter().find(|row| !row.is_telling()) {
        Some(row) if row.observations == 0 => {
            unknown(format!("nothing was observed from CPU {} to CPU {}", row.writer, row.reader))
        }
        Some(row) => unknown(format!(
            "new values seen from CPU {} to CPU {}: {}, too few to tell; it takes {}",
            row.writer,
            row.reader,
            row.fresh,
            Litmus::FEWEST_NEW_VALUES
        )),
        None => (Some(true), None),
    }
}

/// Why the litmus lacks something.
fn reason_missing(record: &Record) -> String {
    match record.parts.iter().find(|report| report.part == crate::sections::causality::plan::LITMUS) {
        None => "the litmus was not part of the plan".to_owned(),
        Some(report) if report.outcome == Outcome::Done => "the litmus left it out".to_owned(),
        Some(report) => report.reason.clone().unwrap_or_else(|| "the litmus gave no reason".to_owned()),
    }
}

/// Whether causal reads were causal: no, if one that must be was not; yes, if all that the verdict speaks of were seen to be.
fn causal(record: &Record) -> Option<bool> {
    if record.clocks.iter().any(|clock| clock.must_be_causal() && clock.causal == Some(false)) {
        return Some(false);
    }
    let relied_on = record.relied_on_across_cpus();
    (!relied_on.is_empty() && relied_on.iter().all(|clock| clock.causal == Some(true))).then_some(true)
}

/// Whether no clock but the wall clock, which may be set, stepped back on one thread.
fn never_stepped_back(record: &Record) -> Option<bool> {
    let in_steps = record
        .clocks
        .iter()
        .filter(|clock| !clock.may_be_set())
        .filter_map(|clock| clock.granularity.as_ref().map(|seen| seen.backward_steps));
    let in_reads = record.reads.iter().filter(|reads| !reads.clock.is_settable()).map(|reads| reads.backward_steps);
    if in_steps.chain(in_reads).any(|steps| steps > 0) {
        return Some(false);
    }
    let watched = record.watched_on_one_thread();
    (!watched.is_empty() && watched.iter().all(|(_, was_watched)| *was_watched)).then_some(true)
}

/// Whether to time intervals with `clock`, and why.
fn standing(clock: &ClockReport, record: &Record) -> (bool, String) {
    let no = |why: &str| (false, why.to_owned());
    let Some(id) = clock.name.known() else { return no("unknown to this build") };
    if clock.causal == Some(false) && clock.must_be_causal() {
        return no("it went backwards between CPUs");
    }
    let back_in_reads = record.reads.iter().any(|reads| reads.clock == clock.name && reads.backward_steps > 0);
    if back_in_reads || clock.granularity.as_ref().is_some_and(|seen| seen.backward_steps > 0) {
        return no("it stepped back on one thread");
    }
    if clock.is_coarse() && id.guarantee().is_none() {
        return no("its steps are coarse: for timestamps that need no more, at the least cost");
    }
    let facts = id.facts();
    if id == SourceId::MonotonicSystemCall && !is_available(record, SourceId::Os(OsClock::Monotonic)) {
        return (true, "all that is left: CLOCK_MONOTONIC cannot be read through the C library here".to_owned());
    }
    if !facts.times_intervals {
        return no(facts.advice);
    }
    let causal = if clock.causal == Some(true) { "causal" } else { "causal by design (not tested)" };
    let advice = facts.advice.replace("{causal}", causal);
    match (facts.family, counter_doubt(record)) {
        (Family::System, _) => (true, advice),
        (Family::Counter | Family::Library, Some(doubt)) => (false, doubt),
        (Family::Counter, None) => (true, format!("{}; {advice}", ordered_read(clock, record))),
        (Family::Library, None) => {
            let state = record.clocks.library_clock.as_ref().map(|library| library.state);
            let degraded = if state == Some(LibraryClockState::Degraded) { ", degraded here" } else { "" };
            (true, format!("{advice}{degraded}"))
        }
    }
}

/// Of the counter's ordered reads, the cheapest is called so.
fn ordered_read(clock: &ClockReport, record: &Record) -> &'static str {
    let cost = |clock: &ClockReport| clock.latency_ns.as_ref().map(|latency| latency.estimate);
    let costs = [SourceId::CounterOrdered, SourceId::CounterWithProcessorId]
        .into_iter()
        .filter_map(|id| record.clocks.iter().find(|clock| clock.available && clock.name == id))
        .filter_map(cost);
    let is_cheapest = cost(clock).is_some_and(|own| costs.clone().all(|other| own <= other));
    if is_cheapest { "the counter's cheapest ordered read" } else { "an ordered read of the counter" }
}

/// What speaks against the counter, traps included: a read that leaves the guest is no cheap one.
fn counter_doubt(record: &Record) -> Option<String> {
    let traps = || {
        crate::sections::clocks::rules::trap_cost_ns(record)
            .map(|_| "every read of the counter is intercepted".to_owned())
    };
    record.counter_doubt().or_else(traps)
}

fn is_available(record: &Record, id: SourceId) -> bool {
    clock(record, id).is_some_and(|clock| clock.available)
}

fn answer(interval_ns: f64, record: &Record) -> Question {
    let within = |tolerance: Tolerance| -> Vec<ClockId> {
        record
            .verdict
            .clocks
            .iter()
            .filter(|clock| clock.recommended)
            .filter(|clock| clock.shortest(tolerance).known_from_ns().is_some_and(|from| interval_ns >= from))
            .map(|clock| clock.name.clone())
            .collect()
    };
    let within_1pct = within(Tolerance::OnePercent);
    let mut within_10pct = within(Tolerance::TenPercent);
    within_10pct.retain(|name| !within_1pct.contains(name));
    Question { interval_ns, within_1pct, within_10pct }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::report::{ClockVerdict, DirectInterval};
    use crate::rules::tests::{blank, readable};
    use crate::sections::causality::report::PairOffset;
    use chronoscope_harness::record::{Disturbance, TscClass};

    const MONOTONIC: SourceId = SourceId::Os(OsClock::Monotonic);
    const COARSE: SourceId = SourceId::Os(OsClock::MonotonicCoarse);
    const ORDERED: SourceId = SourceId::CounterOrdered;
    const ENOUGH: u64 = Litmus::FEWEST_NEW_VALUES;

    fn row(clock: SourceId, (writer, reader): (u32, u32), fresh: u64, violations: u64) -> Litmus {
        Litmus {
            name: clock.into(),
            writer,
            reader,
            observations: fresh * 6,
            fresh,
            violations,
            worst_ns: 0.0,
            rate_upper_95: 0.0,
            disturbance: Disturbance::default(),
        }
    }

    /// A record with trustworthy clocks, of which these litmus rows were seen.
    fn record(clocks: &[SourceId], rows: Vec<Litmus>) -> Record {
        let mut record = blank();
        record.machine.tsc.class = Some(TscClass::Invariant);
        record.clocks.report.clocks = clocks.iter().map(|id| readable(*id)).collect();
        let claimed = |id: &SourceId| ClockVerdict::claimed(*id, DirectInterval::default());
        record.verdict.clocks = clocks.iter().map(claimed).collect();
        record.causality.litmus = rows;
        record
    }

    fn concluded(mut record: Record) -> Record {
        conclude(&mut record);
        record
    }

    fn causal_of(record: &Record, id: SourceId) -> (Option<bool>, Option<&str>) {
        let clock = record.clocks.iter().find(|clock| clock.name == id).unwrap();
        (clock.causal, clock.reason_causal_unknown.as_deref())
    }

    #[test]
    fn causal_takes_every_recommended_clock() {
        let pair = (0, 1);
        let both = record(&[ORDERED, MONOTONIC], vec![row(ORDERED, pair, ENOUGH, 0), row(MONOTONIC, pair, ENOUGH, 0)]);
        assert_eq!(concluded(both).verdict.causal, Some(true));
        let one_unseen = record(&[ORDERED, MONOTONIC], vec![row(ORDERED, pair, ENOUGH, 0), row(MONOTONIC, pair, 0, 0)]);
        let one_unseen = concluded(one_unseen);
        assert_eq!(one_unseen.verdict.causal, None);
        assert_eq!(causal_of(&one_unseen, MONOTONIC), (None, Some("nothing was observed from CPU 0 to CPU 1")));
        assert_eq!(causal_of(&one_unseen, ORDERED), (Some(true), None));
        let one_missing = concluded(record(&[ORDERED, MONOTONIC], vec![row(ORDERED, pair, ENOUGH, 0)]));
        assert_eq!(one_missing.verdict.causal, None);
    }

    #[test]
    fn few_new_values_show_no_causality_and_one_step_back_is_enough() {
        let pair = (0, 1);
        let rows = vec![row(MONOTONIC, pair, ENOUGH, 0), row(COARSE, pair, 58, 0)];
        let found = concluded(record(&[MONOTONIC, COARSE], rows));
        let (causal, reason) = causal_of(&found, COARSE);
        assert!(causal.is_none() && reason.unwrap().contains("to CPU 1: 58, too few"), "{reason:?}");
        assert_eq!(found.verdict.causal, Some(true), "it is not recommended");
        let broken = concluded(record(&[MONOTONIC], vec![row(MONOTONIC, pair, 58, 1)]));
        assert_eq!((broken.verdict.causal, causal_of(&broken, MONOTONIC).0), (Some(false), Some(false)));
    }

    #[test]
    fn a_planned_pair_that_was_not_run_leaves_it_open() {
        let mut half = record(&[MONOTONIC], vec![row(MONOTONIC, (0, 1), ENOUGH, 0)]);
        half.causality.plan.litmus_pairs = vec![(0, 1), (1, 0)];
        let half = concluded(half);
        assert_eq!(half.verdict.causal, None);
        assert!(causal_of(&half, MONOTONIC).1.unwrap().starts_with("not observed from CPU 1 to CPU 0"));
    }

    #[test]
    fn a_message_before_its_sending_outweighs_a_clean_litmus() {
        let mut skewed = record(&[MONOTONIC], vec![row(MONOTONIC, (0, 1), ENOUGH, 0)]);
        skewed.causality.pairs.push(PairOffset {
            clock: MONOTONIC.into(),
            a: 0,
            b: 1,
            rounds: 10,
            offset_ns: 500.0,
            half_width_ns: 10.0,
            violations: 3,
            disturbance: Disturbance::default(),
        });
        let skewed = concluded(skewed);
        assert_eq!((skewed.verdict.causal, causal_of(&skewed, MONOTONIC).0), (Some(false), Some(false)));
        assert!(!skewed.verdict.clocks[0].recommended);
    }

    #[test]
    fn monotonic_takes_every_clock_of_the_plan() {
        let mut record = record(&[MONOTONIC, ORDERED], Vec::new());
        let steps = |changes: Vec<i64>| {
            let reads = changes.len() as u64;
            let steps = crate::sections::clocks::granularity::task::Steps { changes, reads, unchanged: 0 };
            Some(
                crate::sections::clocks::latency::estimate::granularity(&steps, chronoscope_clock::Rate::NANOSECONDS)
                    .unwrap()
                    .observed,
            )
        };
        record.clocks[0].granularity = steps(vec![20; 40]);
        assert_eq!(concluded(record.clone()).verdict.monotonic, None, "the other was never read");
        record.clocks[1].granularity = steps(vec![20; 40]);
        assert_eq!(concluded(record.clone()).verdict.monotonic, Some(true));
        record.clocks[1].granularity = steps(vec![20, -7]);
        assert_eq!(concluded(record).verdict.monotonic, Some(false));
    }

    #[test]
    fn a_doubtful_counter_is_not_recommended_and_only_one_read_is_the_cheapest() {
        let mut sound = record(&[ORDERED, MONOTONIC], Vec::new());
        sound.machine.tsc.class = Some(TscClass::Variant);
        let found = concluded(sound.clone());
        assert_eq!((found.verdict.clocks[0].recommended, found.verdict.clocks[1].recommended), (false, true));
        sound.machine.tsc.class = None;
        assert_eq!(concluded(sound).verdict.clocks[0].why, "whether the counter keeps its rate is not known");
    }

    #[test]
    fn a_question_is_answered_by_claims_where_there_are_no_trials() {
        let mut asked = record(&[MONOTONIC], Vec::new());
        let claim = DirectInterval { within_1pct: Some(2_000.0), within_10pct: Some(200.0) };
        asked.verdict.clocks = vec![ClockVerdict::claimed(MONOTONIC, claim)];
        asked.clocks.plan.questions_ns = vec![100.0, 500.0, 5_000.0];
        let found = concluded(asked).verdict.questions.clone();
        let told: Vec<(usize, usize)> =
            found.iter().map(|question| (question.within_1pct.len(), question.within_10pct.len())).collect();
        assert_eq!(told, [(0, 0), (0, 1), (1, 0)]);
    }
}
