//! Whether clocks went backwards between CPUs, and the largest possible skew.

use crate::answers::conclusions::{CausalityConclusion, Skew, UnknownClock};
use crate::clock_id::ClockId;
use crate::document::{Outcome, Record};
use crate::part::Part;
use crate::sections::causality::plan::{LITMUS, OFFSETS};
use crate::sections::causality::report::Litmus;
use crate::sections::clocks::report::ClockReport;

/// Whether `clock` went backwards between CPUs, or why that is unknown.
///
/// One backward step proves that it does. The opposite takes every pair of the plan, each with enough new values: a
/// repeated value adds hardly any evidence.
pub fn of_clock(clock: &ClockReport, record: &Record) -> (Option<bool>, Option<String>) {
    let unknown = |reason: String| (None, Some(reason));
    let rows: Vec<&Litmus> = record.causality.litmus.iter().filter(|row| row.name == clock.name).collect();
    let in_messages = record.causality.pairs.iter().filter(|pair| pair.clock == clock.name).map(|pair| pair.violations);
    if rows.iter().map(|row| row.violations).chain(in_messages).any(|violations| violations > 0) {
        return (Some(false), None);
    }
    if !clock.available {
        let reason = clock.reason_causal_unknown.clone();
        return (None, reason.or_else(|| record.causality.reason_unavailable.clone()));
    }
    if rows.is_empty() {
        let reason = || clock.reason_causal_unknown.clone().or_else(|| record.causality.reason_unavailable.clone());
        return unknown(reason().unwrap_or_else(|| reason_litmus_missing(record)));
    }
    let planned = record.causality.plan.litmus_pairs.iter();
    let was_run = |pair: &&(u32, u32)| rows.iter().any(|row| (row.writer, row.reader) == **pair);
    if let Some((writer, reader)) = planned.clone().find(|pair| !was_run(pair)) {
        return unknown(format!("CPU {writer} to CPU {reader} not observed: {}", reason_litmus_missing(record)));
    }
    match rows.iter().find(|row| !row.is_telling()) {
        Some(row) if row.observations == 0 => {
            unknown(format!("no observation from CPU {} to CPU {}", row.writer, row.reader))
        }
        Some(row) => unknown(format!(
            "new values seen from CPU {} to CPU {}: {}, too few to tell; a verdict takes {}",
            row.writer,
            row.reader,
            row.fresh,
            Litmus::FEWEST_NEW_VALUES
        )),
        None => (Some(true), None),
    }
}

/// Why litmus results are missing.
fn reason_litmus_missing(record: &Record) -> String {
    match record.parts.iter().find(|report| report.part == LITMUS) {
        None => "the litmus was not part of the plan".to_owned(),
        Some(report) if report.outcome == Outcome::Done => "the litmus skipped it".to_owned(),
        Some(report) => report.reason.clone().unwrap_or_else(|| "the litmus gave no reason".to_owned()),
    }
}

/// Whether causal reads were causal: no if one that must be was not; yes if all those covered by the verdict were
/// confirmed.
pub fn is_causal(record: &Record) -> Option<bool> {
    if record.clocks.iter().any(|clock| clock.causal_by_design && clock.causal == Some(false)) {
        return Some(false);
    }
    let relied_on = relied_on(record);
    (!relied_on.is_empty() && relied_on.iter().all(|clock| clock.causal == Some(true))).then_some(true)
}

/// The clocks whose causality the verdict covers: those it recommends that must be causal, or if there are none, all
/// that were to be tested.
fn relied_on(record: &Record) -> Vec<&ClockReport> {
    let must_be = |clock: &&ClockReport| clock.available && clock.causal_by_design;
    let is_recommended =
        |id: &ClockId| record.verdict.clocks.iter().any(|verdict| verdict.recommended && verdict.name == *id);
    let recommended: Vec<&ClockReport> =
        record.clocks.iter().filter(must_be).filter(|clock| is_recommended(&clock.name)).collect();
    if !recommended.is_empty() {
        return recommended;
    }
    let was_to_be_tested = |clock: &&ClockReport| record.causality.plan.litmus_clocks.contains(&clock.name);
    record.clocks.iter().filter(must_be).filter(was_to_be_tested).collect()
}

/// The first screen's conclusion: for which clocks, and between which CPUs.
pub fn causality(record: &Record) -> CausalityConclusion {
    let was_observed = |clock: &ClockReport| {
        let rows: Vec<&Litmus> = record.causality.litmus.iter().filter(|row| row.name == clock.name).collect();
        let is_telling = !rows.is_empty() && rows.iter().all(|row| row.is_telling());
        clock.causal == Some(false) || clock.causal == Some(true) && is_telling
    };
    let tested: Vec<&ClockId> = record
        .clocks
        .iter()
        .filter(|clock| clock.causal_by_design && was_observed(clock))
        .map(|clock| &clock.name)
        .collect();
    let rows = || record.causality.litmus.iter().filter(|row| tested.contains(&&row.name));
    let unknown: Vec<UnknownClock> = relied_on(record)
        .into_iter()
        .filter(|clock| !was_observed(clock))
        .map(|clock| UnknownClock { clock: clock.name.clone(), reason: clock.reason_causal_unknown.clone() })
        .collect();
    let clocks = tested.len() as u64;
    let new_values = total(rows().map(|row| row.fresh));
    match record.verdict.causal {
        Some(false) => {
            let pairs = || record.causality.pairs.iter().filter(|pair| tested.contains(&&pair.clock));
            CausalityConclusion::WentBackwards {
                violations: total(rows().map(|row| row.violations).chain(pairs().map(|pair| pair.violations))),
                observations: total(rows().map(|row| row.observations)),
                messages: total(pairs().map(|pair| pair.rounds.saturating_mul(2))),
            }
        }
        Some(true) if unknown.is_empty() && !tested.is_empty() => {
            let pairs = each_once(rows().map(|row| (row.writer, row.reader)));
            let only_pair = if let [pair] = pairs[..] { Some(pair) } else { None };
            CausalityConclusion::Causal { clocks, new_values, pairs: pairs.len() as u64, only_pair }
        }
        _ if unknown.is_empty() || record.causality.litmus.is_empty() => {
            CausalityConclusion::NotTested { reason: reason_untested(record, LITMUS) }
        }
        _ => CausalityConclusion::Unknown { unknown, clocks, new_values },
    }
}

/// The largest skew between CPUs compatible with the observations.
pub fn skew_not_excluded_ns(record: &Record) -> Option<f64> {
    record.causality.pairs.iter().map(|pair| pair.skew_not_excluded_ns()).reduce(f64::max)
}

/// The first screen's conclusion on skew, with the number of CPU pairs.
pub fn skew(record: &Record) -> Skew {
    let Some(skew_ns) = record.verdict.skew_not_excluded_ns else {
        return Skew::NotTested { reason: reason_untested(record, OFFSETS) };
    };
    let report = &record.causality;
    let pairs = each_once(report.pairs.iter().map(|pair| (pair.a.min(pair.b), pair.a.max(pair.b)))).len() as u64;
    let pairs_possible = report.pairs_possible;
    if report.pairs.iter().any(|pair| pair.shows_skew()) {
        Skew::Apart { up_to_ns: skew_ns, pairs, pairs_possible }
    } else {
        Skew::NotExcluded { below_ns: skew_ns, pairs, pairs_possible }
    }
}

fn reason_untested(record: &Record, part: Part) -> String {
    record.causality.reason_unavailable.clone().unwrap_or_else(|| record.reason_missing(&[part]))
}

fn each_once(pairs: impl Iterator<Item = (u32, u32)>) -> Vec<(u32, u32)> {
    let mut pairs: Vec<(u32, u32)> = pairs.collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

fn total(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::conclude::conclude;
    use crate::answers::conclusions::Grade;
    use crate::rules::tests::{blank, claimed};
    use crate::sections::causality::report::PairOffset;

    use chronoscope_harness::record::{Disturbance, TscClass};
    use chronoscope_sources::SourceId;
    use chronoscope_sources::os::OsClock;

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

    /// A record with trustworthy clocks and these litmus rows.
    fn record(clocks: &[SourceId], rows: Vec<Litmus>) -> Record {
        let mut record = blank();
        record.machine.tsc.class = Some(TscClass::Invariant);
        record.clocks.report.clocks = clocks.iter().map(|id| claimed(*id)).collect();
        record.causality.plan.litmus_pairs = vec![(0, 1)];
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
        assert_eq!(causal_of(&one_unseen, MONOTONIC), (None, Some("no observation from CPU 0 to CPU 1")));
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
        assert!(causal_of(&half, MONOTONIC).1.unwrap().starts_with("CPU 1 to CPU 0 not observed"));
    }

    #[test]
    fn a_message_before_its_sending_outweighs_a_clean_litmus() {
        let mut skewed = record(&[MONOTONIC], vec![row(MONOTONIC, (0, 1), ENOUGH, 0)]);
        skewed.causality.pairs.push(pair(500.0, 3));
        let skewed = concluded(skewed);
        assert_eq!((skewed.verdict.causal, causal_of(&skewed, MONOTONIC).0), (Some(false), Some(false)));
        assert!(!skewed.verdict.clocks[0].recommended);
    }

    fn pair(offset_ns: f64, violations: u64) -> PairOffset {
        PairOffset {
            clock: MONOTONIC.into(),
            a: 0,
            b: 1,
            rounds: 10,
            offset_ns,
            half_width_ns: 10.0,
            reason_not_constant: None,
            violations,
            disturbance: Disturbance::default(),
        }
    }

    #[test]
    fn every_outcome_of_the_litmus_is_concluded() {
        let both = |fresh| vec![row(ORDERED, (0, 1), ENOUGH, 0), row(MONOTONIC, (0, 1), fresh, 0)];
        let of = |rows| record(&[ORDERED, MONOTONIC], rows);
        let back = |mut rows: Vec<Litmus>| {
            rows[0].violations = 2;
            let mut record = of(rows);
            record.causality.pairs.push(pair(0.0, 1));
            record
        };
        let there_and_back = [both(ENOUGH), vec![row(ORDERED, (1, 0), ENOUGH, 0)]].concat();
        let mut one_cpu = of(Vec::new());
        one_cpu.causality.reason_unavailable = Some("one CPU is allowed".to_owned());
        let reason = |reason: &str| reason.to_owned();
        let nothing = Some(reason("no observation from CPU 0 to CPU 1"));
        let unknown = vec![UnknownClock { clock: MONOTONIC.into(), reason: nothing }];
        let rows = [
            (
                of(both(ENOUGH)),
                CausalityConclusion::Causal { clocks: 2, new_values: 2 * ENOUGH, pairs: 1, only_pair: Some((0, 1)) },
                Grade::Good,
            ),
            (
                of(there_and_back),
                CausalityConclusion::Causal { clocks: 2, new_values: 3 * ENOUGH, pairs: 2, only_pair: None },
                Grade::Good,
            ),
            (
                back(both(ENOUGH)),
                CausalityConclusion::WentBackwards { violations: 3, observations: 12 * ENOUGH, messages: 20 },
                Grade::Critical,
            ),
            (of(both(0)), CausalityConclusion::Unknown { unknown, clocks: 1, new_values: ENOUGH }, Grade::Unknown),
            (
                of(Vec::new()),
                CausalityConclusion::NotTested { reason: reason("it was not part of the plan") },
                Grade::Unknown,
            ),
            (one_cpu, CausalityConclusion::NotTested { reason: reason("one CPU is allowed") }, Grade::Unknown),
        ];
        for (record, wanted, grade) in rows {
            let found = concluded(record).verdict.conclusions.clone().unwrap().causality;
            assert_eq!((&found, found.grade()), (&wanted, grade));
        }
    }

    #[test]
    fn every_outcome_of_the_offsets_is_concluded() {
        let reason = "it was not part of the plan".to_owned();
        let rows = [
            (vec![pair(4.0, 0)], Skew::NotExcluded { below_ns: 14.0, pairs: 1, pairs_possible: 6 }),
            (
                vec![pair(4.0, 0), PairOffset { a: 1, b: 0, ..pair(-500.0, 0) }],
                Skew::Apart { up_to_ns: 510.0, pairs: 1, pairs_possible: 6 },
            ),
            (Vec::new(), Skew::NotTested { reason }),
        ];
        for (pairs, wanted) in rows {
            let mut record = record(&[MONOTONIC], Vec::new());
            (record.causality.pairs, record.causality.pairs_possible) = (pairs, 6);
            assert_eq!(concluded(record).verdict.conclusions.clone().unwrap().skew, wanted);
        }
    }
}
