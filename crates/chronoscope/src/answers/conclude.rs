//! From estimates to the verdict: which clocks can be trusted, and what they can time.

use chronoscope_sources::os::OsClock;
use chronoscope_sources::{Family, SourceId};

use crate::answers::conclusions::Conclusions;
use crate::answers::report::ClockVerdict;
use crate::answers::{causality, fast_path, intervals, monotonic};
use crate::clock_id::ClockId;
use crate::clock_id::ptp_clock::PtpClock;
use crate::document::Record;
use crate::sections::clocks::report::ClockReport;

/// Fills in `record.verdict` from the rest of the record, and each clock's causality.
pub fn conclude(record: &mut Record) {
    let causality: Vec<_> = record.clocks.iter().map(|clock| causality::of_clock(clock, record)).collect();
    for (clock, (causal, reason)) in record.clocks.iter_mut().zip(causality) {
        (clock.causal, clock.reason_causal_unknown) = (causal, reason);
    }
    let judged = record.clocks.iter().filter_map(|clock| {
        let (recommended, why) = advice(clock, record);
        Some(ClockVerdict { recommended, why, ..ClockVerdict::of(clock.name.clone(), clock.intervals.as_ref()?) })
    });
    record.verdict.clocks = judged.collect();
    record.verdict.questions =
        record.clocks.plan.questions_ns.iter().map(|ns| intervals::question(*ns, record)).collect();
    record.verdict.os_clock_on_fast_path = fast_path::is_on_fast_path(record);
    record.verdict.monotonic = monotonic::never_stepped_back(record);
    record.verdict.causal = causality::is_causal(record);
    record.verdict.skew_not_excluded_ns = causality::skew_not_excluded_ns(record);
    draw_conclusions(record);
}

/// Fills in the first screen's conclusions.
pub fn draw_conclusions(record: &mut Record) {
    let answers: Vec<_> = record.verdict.questions.iter().map(|question| intervals::answer(question, record)).collect();
    let conclusions = Conclusions {
        intervals: intervals::intervals(record),
        monotonic: monotonic::monotonic(record),
        causality: causality::causality(record),
        skew: causality::skew(record),
        fast_path: fast_path::fast_path(record),
    };
    let trust = record.trust();
    let verdict = &mut record.verdict;
    verdict.trust = Some(trust);
    for (question, answer) in verdict.questions.iter_mut().zip(answers) {
        question.answer = answer;
    }
    verdict.conclusions = Some(conclusions);
}

fn clock(record: &Record, id: SourceId) -> Option<&ClockReport> {
    record.clocks.iter().find(|clock| clock.name == id)
}

/// Whether to time intervals with `clock`, and why.
fn advice(clock: &ClockReport, record: &Record) -> (bool, String) {
    let no = |why: &str| (false, why.to_owned());
    let id = match &clock.name {
        ClockId::Known(id) => *id,
        ClockId::Ptp(_) => return no(PtpClock::ADVICE),
        ClockId::Other(_) => return no("unknown to this build"),
    };
    if clock.causal == Some(false) && clock.causal_by_design {
        return no("it went backwards between CPUs");
    }
    let back_in_reads = record.reads.iter().any(|reads| reads.clock == clock.name && reads.backward_steps > 0);
    if back_in_reads || clock.granularity.as_ref().is_some_and(|seen| seen.backward_steps > 0) {
        return no("it went backwards within a thread");
    }
    if clock.is_coarse() && id.guarantee().is_none() {
        return no("coarse steps: for cheap timestamps only");
    }
    let facts = id.facts();
    if id == SourceId::MonotonicSystemCall && !is_available(record, SourceId::Os(OsClock::Monotonic)) {
        return (true, "the only choice: CLOCK_MONOTONIC cannot be read through the C library here".to_owned());
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
        (Family::Library, None) => (true, advice),
    }
}

/// Describes an ordered read of the counter: only the cheapest one is called cheapest.
fn ordered_read(clock: &ClockReport, record: &Record) -> &'static str {
    let cost = |clock: &ClockReport| clock.latency_ns.as_ref().map(|latency| latency.estimate);
    let costs = [SourceId::CounterOrdered, SourceId::CounterWithProcessorId]
        .into_iter()
        .filter_map(|id| record.clocks.iter().find(|clock| clock.available && clock.name == id))
        .filter_map(cost);
    let is_cheapest = cost(clock).is_some_and(|own| costs.clone().all(|other| own <= other));
    if is_cheapest { "the counter's cheapest ordered read" } else { "an ordered read of the counter" }
}

/// The case against the counter, traps included: a read that exits to the hypervisor is not cheap.
fn counter_doubt(record: &Record) -> Option<String> {
    let trap = || crate::sections::clocks::rules::trap_cost_ns(&record.machine, &record.clocks.report);
    let traps = || trap().map(|_| "every read of the counter traps".to_owned());
    record.counter_doubt().or_else(traps)
}

fn is_available(record: &Record, id: SourceId) -> bool {
    clock(record, id).is_some_and(|clock| clock.available)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::{blank, claimed};
    use chronoscope_harness::record::TscClass;

    #[test]
    fn a_doubtful_counter_is_not_recommended_and_only_one_read_is_the_cheapest() {
        let ids = [SourceId::CounterOrdered, SourceId::Os(OsClock::Monotonic)];
        let mut sound = blank();
        sound.machine.tsc.class = Some(TscClass::Variant);
        sound.clocks.report.clocks = ids.map(claimed).to_vec();
        let concluded = |mut record: Record| {
            conclude(&mut record);
            record
        };
        let found = concluded(sound.clone());
        assert_eq!((found.verdict.clocks[0].recommended, found.verdict.clocks[1].recommended), (false, true));
        sound.machine.tsc.class = None;
        assert_eq!(concluded(sound).verdict.clocks[0].why, "it is unknown whether the counter keeps its rate");
    }
}
