//! Which clocks to time intervals with.

use chronoscope_harness::estimators::intervals::{ShortestInterval, TimedIntervals, Tolerance};
use chronoscope_sources::os::OsClock;
use chronoscope_sources::{Family, SourceId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::clock_causality::{ClockCausality, is_causal};
use super::counter::Counter;
use super::facts::Facts;
use super::grade::Grade;
use super::monotonic::stepped_back;
use crate::clock_id::ClockId;
use crate::clock_id::ptp_clock::PtpClock;
use crate::sections::clocks::report::ClockReport;
use crate::sections::clocks::rules::trap_cost_ns;

/// Whether to time intervals with a clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClockAdvice {
    pub name: ClockId,
    /// Whether it is recommended for timing intervals.
    pub recommended: bool,
    /// Why not, or what it is suited for.
    pub why: String,
    /// How well trials confirm which intervals it times.
    pub grade: Grade,
}

/// On each clock whose intervals were measured.
pub fn advice(facts: &Facts<'_>, causal: &[ClockCausality], counter: &Counter) -> Vec<ClockAdvice> {
    let on = |clock: &ClockReport| {
        let grade = of_intervals(clock.intervals.as_ref()?);
        let (recommended, why) = on_clock(clock, facts, causal, counter);
        Some(ClockAdvice { name: clock.name.clone(), recommended, why, grade })
    };
    facts.clocks().iter().filter_map(on).collect()
}

/// How well trials confirm which intervals a clock times.
pub fn of_intervals(timed: &TimedIntervals) -> Grade {
    use ShortestInterval::{Confirmed, Unknown};

    match Tolerance::ALL.map(|tolerance| timed.shortest(tolerance)) {
        [Confirmed(_), Confirmed(_)] => Grade::Good,
        [Unknown, Unknown] => Grade::Unknown,
        _ => Grade::Warning,
    }
}

/// Whether to time intervals with `clock`, and why.
fn on_clock(clock: &ClockReport, facts: &Facts<'_>, causal: &[ClockCausality], counter: &Counter) -> (bool, String) {
    let no = |why: &str| (false, why.to_owned());
    let id = match &clock.name {
        ClockId::Known(id) => *id,
        ClockId::Ptp(_) => return no(PtpClock::ADVICE),
        ClockId::Other(_) => return no("unknown to this build"),
    };
    let is_causal = is_causal(causal, &clock.name);
    if is_causal == Some(false) && clock.causal_by_design {
        return no("it went backwards between CPUs");
    }
    if stepped_back(clock, facts) {
        return no("it went backwards within a thread");
    }
    if clock.is_coarse() && id.guarantee().is_none() {
        return no("coarse steps: for cheap timestamps only");
    }
    let id_facts = id.facts();
    if id == SourceId::MonotonicSystemCall && available(facts, SourceId::Os(OsClock::Monotonic)).is_none() {
        return (true, "the only choice: CLOCK_MONOTONIC cannot be read through the C library here".to_owned());
    }
    if !id_facts.times_intervals {
        return no(id_facts.advice);
    }
    let causal = if is_causal == Some(true) { "causal" } else { "causal by design (not tested)" };
    let advice = id_facts.advice.replace("{causal}", causal);
    // A read that exits to the hypervisor is not cheap.
    let traps = || {
        trap_cost_ns(facts.machine, &facts.sections.clocks.report).map(|_| "every read of the counter traps".to_owned())
    };
    match (id_facts.family, counter.doubt.clone().or_else(traps)) {
        (Family::System, _) => (true, advice),
        (Family::Counter | Family::Library, Some(doubt)) => (false, doubt),
        (Family::Counter, None) => (true, format!("{}; {advice}", ordered_read(clock, facts))),
        (Family::Library, None) => (true, advice),
    }
}

/// Describes an ordered read of the counter: only the cheapest one is called cheapest.
fn ordered_read(clock: &ClockReport, facts: &Facts<'_>) -> &'static str {
    let cost = |clock: &ClockReport| clock.latency_ns.as_ref().map(|latency| latency.per_read.estimate);
    let costs = [SourceId::CounterOrdered, SourceId::CounterWithProcessorId]
        .into_iter()
        .filter_map(|id| available(facts, id))
        .filter_map(cost);
    let is_cheapest = cost(clock).is_some_and(|own| costs.clone().all(|other| own <= other));
    if is_cheapest { "the counter's cheapest ordered read" } else { "an ordered read of the counter" }
}

/// The clock `id`, where it can be read.
pub fn available<'a>(facts: &'a Facts<'_>, id: SourceId) -> Option<&'a ClockReport> {
    facts.clocks().iter().find(|clock| clock.available && clock.name == id)
}

/// The system clock to recommend for intervals: `CLOCK_MONOTONIC`, where it can be read, is fine enough and was not
/// observed to go backwards.
pub fn steady_os_clock(facts: &Facts<'_>, causal: &[ClockCausality]) -> Option<SourceId> {
    let id = SourceId::Os(OsClock::Monotonic);
    let clock = available(facts, id)?;
    let is_steady = is_causal(causal, &clock.name) != Some(false) && !stepped_back(clock, facts) && !clock.is_coarse();
    is_steady.then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Record;
    use crate::judgement::conclude;
    use crate::rules::tests::{blank, claimed};
    use chronoscope_harness::record::TscClass;

    #[test]
    fn a_doubtful_counter_is_not_recommended_and_only_one_read_is_the_cheapest() {
        let ids = [SourceId::CounterOrdered, SourceId::Os(OsClock::Monotonic)];
        let mut sound = blank();
        sound.machine.tsc.class = Some(TscClass::Variant);
        sound.content.sections.clocks.report.clocks = ids.map(claimed).to_vec();
        let concluded = |record: &Record| conclude(&Facts::from(record), &[]).clocks;
        let found = concluded(&sound);
        assert_eq!((found[0].recommended, found[1].recommended), (false, true));
        sound.machine.tsc.class = None;
        assert_eq!(concluded(&sound)[0].why, "it is unknown whether the counter keeps its rate");
    }
}
