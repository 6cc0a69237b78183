//! Which clock to use for what, and which not to.

use chronoscope_harness::estimators::intervals::{ShortestInterval, Tolerance};
use chronoscope_sources::os::OsClock;
use chronoscope_sources::{Guarantee, SourceId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::clock_causality::{ClockCausality, is_causal};
use super::clocks::{ClockAdvice, available, steady_os_clock};
use super::counter::Counter;
use super::facts::Facts;
use super::monotonic::stepped_back;
use crate::clock_id::ClockId;
use crate::sections::clocks::report::ClockReport;

/// Another clock is worth a line if it times intervals shorter by more than this.
const SHORTER_BY: f64 = 0.9;

/// Which clock to use for what; null where none is fit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Uses {
    /// Durations and timeouts.
    pub durations: Option<ClockId>,
    /// Intervals shorter than that clock can time, within one thread; null if no clock is clearly finer.
    pub short_intervals: Option<ClockId>,
    pub time_of_day: Option<ClockId>,
    /// Timestamps in a hot path, by the library chronoscope-clock; null if it is not cheaper.
    pub rust_hot_path: Option<ClockId>,
    /// Which clock not to use for what.
    pub avoid: Vec<Avoid>,
}

/// A clock that is wrong for a purpose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Avoid {
    pub clock: ClockId,
    /// What for.
    pub purpose: WrongFor,
}

/// What a clock is wrong for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WrongFor {
    /// Anything: it went backwards, which it must not.
    Everything,
    /// Comparing times of several threads.
    BetweenThreads,
    /// Durations: it can be set.
    Durations,
}

/// By what was seen of each clock.
pub fn uses(facts: &Facts<'_>, causal: &[ClockCausality], advice: &[ClockAdvice], counter: &Counter) -> Uses {
    let usual = usual(facts, causal, advice);
    let named = |clock: Option<&ClockReport>| clock.map(|clock| clock.name.clone());
    let wall = available(facts, SourceId::Os(OsClock::Realtime)).filter(|clock| !clock.is_coarse());
    Uses {
        durations: named(usual),
        short_intervals: usual.and_then(|usual| shorter(facts, usual, advice)),
        time_of_day: named(wall),
        rust_hot_path: named(hot_path(facts, usual, causal, counter)),
        avoid: avoid(facts, causal),
    }
}

/// The clock for durations: that of the system, else the first recommended.
fn usual<'a>(facts: &'a Facts<'_>, causal: &[ClockCausality], advice: &[ClockAdvice]) -> Option<&'a ClockReport> {
    match steady_os_clock(facts, causal) {
        Some(id) => available(facts, id),
        None => recommended(facts, advice).find(|clock| clock.available),
    }
}

fn recommended<'a>(facts: &'a Facts<'_>, advice: &[ClockAdvice]) -> impl Iterator<Item = &'a ClockReport> {
    let recommended = advice.iter().filter(|clock| clock.recommended);
    recommended.filter_map(move |clock| facts.sections.clocks.report.clock(&clock.name))
}

/// The recommended clock that times the shortest interval within 10 %, if that is clearly shorter than what the usual
/// one times. Both must be confirmed. Of equals, the one that times the shortest within 1 %, then the cheapest.
fn shorter(facts: &Facts<'_>, usual: &ClockReport, advice: &[ClockAdvice]) -> Option<ClockId> {
    let confirmed = |clock: &ClockReport, tolerance: Tolerance| match clock.intervals.as_ref()?.shortest(tolerance) {
        ShortestInterval::Confirmed(from) => Some(from),
        _ => None,
    };
    let of_usual =
        confirmed(recommended(facts, advice).find(|clock| clock.name == usual.name)?, Tolerance::TenPercent)?;
    let of_usual_1pct = confirmed(usual, Tolerance::OnePercent).unwrap_or(f64::INFINITY);
    let finer = recommended(facts, advice).filter(|clock| clock.available).filter_map(|clock| {
        let from = confirmed(clock, Tolerance::TenPercent).filter(|from| *from < of_usual * SHORTER_BY)?;
        let within_1pct = confirmed(clock, Tolerance::OnePercent).unwrap_or(f64::INFINITY);
        // Finer within 10 % and coarser within 1 % is not finer.
        if within_1pct.is_finite() && within_1pct > of_usual_1pct {
            return None;
        }
        let latency = clock.latency_ns.as_ref().map_or(f64::INFINITY, |latency| latency.per_read.estimate);
        Some((clock, [from, within_1pct, latency]))
    });
    let by_all = |a: &[f64; 3], b: &[f64; 3]| {
        a[0].total_cmp(&b[0]).then_with(|| a[1].total_cmp(&b[1])).then_with(|| a[2].total_cmp(&b[2]))
    };
    finer.min_by(|(_, a), (_, b)| by_all(a, b)).map(|(clock, _)| clock.name.clone())
}

/// The library's cheap causal timestamp, where it is cheaper than the usual clock and nothing speaks against the counter
/// under it.
fn hot_path<'a>(
    facts: &'a Facts<'_>,
    usual: Option<&ClockReport>,
    causal: &[ClockCausality],
    counter: &Counter,
) -> Option<&'a ClockReport> {
    let latency = |clock: &ClockReport| clock.latency_ns.as_ref().map(|latency| latency.per_read.estimate);
    let clock = available(facts, SourceId::Clock(Guarantee::Granular))?;
    let is_cheaper = latency(clock)? < usual.and_then(latency)?;
    (is_cheaper && is_causal(causal, &clock.name) == Some(true) && counter.doubt.is_none()).then_some(clock)
}

/// What not to use: clocks that broke their promise, those that went backwards between CPUs as they may, and the wall clock for
/// durations.
fn avoid(facts: &Facts<'_>, causal: &[ClockCausality]) -> Vec<Avoid> {
    // It went backwards within a thread, or between CPUs although it must not.
    let is_broken = |clock: &ClockReport| {
        let between = clock.causal_by_design && is_causal(causal, &clock.name) == Some(false);
        stepped_back(clock, facts) || between
    };
    let wrong_for = |purpose: WrongFor| move |clock: &ClockReport| Avoid { clock: clock.name.clone(), purpose };
    let steady = || facts.clocks().iter().filter(|clock| clock.available && !clock.may_be_set());
    let broken = steady().filter(|clock| is_broken(clock));
    let unordered = steady().filter(|clock| !clock.causal_by_design && !is_broken(clock));
    let steps_back = |clock: &ClockReport| {
        facts.sections.causality.report.litmus.iter().any(|row| row.name == clock.name && row.steps_back())
    };
    let unordered = unordered.filter(|clock| steps_back(clock));
    let wall = available(facts, SourceId::Os(OsClock::Realtime));
    broken
        .map(wrong_for(WrongFor::Everything))
        .chain(unordered.map(wrong_for(WrongFor::BetweenThreads)))
        .chain(wall.map(wrong_for(WrongFor::Durations)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Record;
    use crate::judgement::conclude;
    use crate::judgement::grade::Grade;
    use crate::rules::tests::{blank, latency, litmus, readable};
    use crate::sections::causality::report::Litmus;
    use chronoscope_harness::estimators::intervals::{DirectInterval, IntervalTrial, TimedIntervals};

    const MONOTONIC: &str = "CLOCK_MONOTONIC";

    /// A clock whose trials confirm these lengths.
    fn confirmed(name: &str, within_10pct: f64, within_1pct: f64) -> ClockReport {
        let lengths = DirectInterval { within_1pct: Some(within_1pct), within_10pct: Some(within_10pct) };
        let trial = |tolerance: Tolerance| IntervalTrial {
            tolerance_pct: tolerance.percent(),
            truth_ns: within_1pct,
            readings_made: 100,
            readings: 100,
            error_pct_p50: 0.0,
            error_pct_abs_p95: 0.1,
            share_within: 1.0,
            holds: true,
        };
        let trials = Tolerance::ALL.map(trial).to_vec();
        ClockReport { intervals: Some(TimedIntervals { trials, ..TimedIntervals::claimed(lengths) }), ..readable(name) }
    }

    /// The first clock's litmus between two CPUs, with so many steps back.
    fn tested(name: impl Into<ClockId>, violations: u64) -> Litmus {
        litmus(name, 10_000, violations)
    }

    fn found(record: &Record) -> Uses {
        conclude(&Facts::from(record), &[]).uses
    }

    /// The finer clock, where all are recommended.
    fn finer(record: &Record) -> Option<ClockId> {
        let facts = Facts::from(record);
        let recommended = |clock: &ClockReport| ClockAdvice {
            name: clock.name.clone(),
            recommended: true,
            why: String::new(),
            grade: Grade::Good,
        };
        let advice: Vec<ClockAdvice> = facts.clocks().iter().map(recommended).collect();
        uses(&facts, &[], &advice, &Counter { grade: Grade::Good, doubt: None }).short_intervals
    }

    #[test]
    fn a_clock_that_went_backwards_is_for_nothing() {
        let mut record = blank();
        record.content.sections.clocks.report.clocks.push(readable(MONOTONIC));
        assert_eq!(found(&record).durations, Some(MONOTONIC.into()));
        record.content.sections.causality.report.litmus = vec![tested(MONOTONIC, 1)];
        let found = found(&record);
        assert_eq!((found.durations, found.avoid[0].purpose), (None, WrongFor::Everything));
    }

    #[test]
    fn a_finer_clock_is_named_where_it_is_clearly_finer() {
        let mut record = blank();
        let mut with = |from_ns: f64| {
            let raw = confirmed("CLOCK_MONOTONIC_RAW", from_ns, 2_000.0);
            record.content.sections.clocks.report.clocks = vec![raw, confirmed(MONOTONIC, 200.0, 2_000.0)];
            finer(&record)
        };
        assert_eq!(with(150.0), Some("CLOCK_MONOTONIC_RAW".into()));
        assert_eq!(with(190.0), None);
        // Finer to 10 % and coarser to 1 %.
        let raw = confirmed("CLOCK_MONOTONIC_RAW", 150.0, 2_100.0);
        record.content.sections.clocks.report.clocks = vec![raw, confirmed(MONOTONIC, 200.0, 2_000.0)];
        assert_eq!(finer(&record), None);
    }

    #[test]
    fn of_clocks_that_are_as_fine_the_one_that_is_better_within_1_percent_is_named() {
        for (within_1pct, wanted) in [([2_000.0, 1_500.0], 1), ([1_500.0, 2_000.0], 0), ([1_500.0, 1_500.0], 1)] {
            let mut record = blank();
            let names = ["CLOCK_BOOTTIME", "CLOCK_MONOTONIC_RAW"];
            let fine = names.into_iter().zip(within_1pct).map(|(name, from)| confirmed(name, 150.0, from));
            record.content.sections.clocks.report.clocks = fine.chain([confirmed(MONOTONIC, 200.0, 2_000.0)]).collect();
            record.content.sections.clocks.report.clocks[0].latency_ns = Some(latency(14.0));
            record.content.sections.clocks.report.clocks[1].latency_ns = Some(latency(12.0));
            assert_eq!(finer(&record), Some(names[wanted].into()), "{within_1pct:?}");
        }
    }

    #[test]
    fn every_clock_that_went_backwards_between_threads_is_to_be_avoided() {
        let mut record = blank();
        let clock = |name| ClockReport { causal_by_design: name == MONOTONIC, ..readable(name) };
        record.content.sections.clocks.report.clocks = ["rdtsc", "Unordered", MONOTONIC].map(clock).to_vec();
        record.content.sections.causality.report.litmus = vec![tested("rdtsc", 4), tested("Unordered", 4)];
        let named: Vec<String> = found(&record).avoid.iter().map(|each| each.clock.to_string()).collect();
        assert_eq!(named, ["rdtsc", "Unordered"]);
    }

    #[test]
    fn the_hot_path_has_a_causal_clock_that_is_cheaper() {
        let granular = SourceId::Clock(Guarantee::Granular);
        let mut record = blank();
        record.machine.tsc.class = Some(chronoscope_harness::record::TscClass::Invariant);
        record.content.sections.clocks.report.clocks.push(readable(MONOTONIC));
        record.content.sections.clocks.report.clocks.push(readable(granular));
        let named = |record: &Record| found(record).rust_hot_path;
        assert_eq!(named(&record), None, "nothing was measured");
        record.content.sections.clocks.report.clocks[0].latency_ns = Some(latency(20.0));
        record.content.sections.clocks.report.clocks[1].latency_ns = Some(latency(9.0));
        assert_eq!(named(&record), None, "it was not tested between CPUs");
        record.content.sections.causality.plan.litmus_pairs = vec![(0, 1)];
        record.content.sections.causality.report.litmus = vec![tested(granular, 0)];
        assert_eq!(named(&record), Some(granular.into()));
        record.content.sections.clocks.report.clocks[1].latency_ns = Some(latency(21.0));
        assert_eq!(named(&record), None);
    }

    #[test]
    fn the_wall_clock_is_for_no_duration() {
        let mut record = blank();
        record.content.sections.clocks.report.clocks.push(readable("CLOCK_REALTIME"));
        let found = found(&record);
        let wrong = Avoid { clock: "CLOCK_REALTIME".into(), purpose: WrongFor::Durations };
        assert_eq!((found.time_of_day, found.avoid), (Some("CLOCK_REALTIME".into()), vec![wrong]));
    }
}
