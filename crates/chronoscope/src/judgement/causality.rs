//! Whether clocks went backwards between CPUs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::clock_causality::{ClockCausality, is_causal};
use super::clocks::ClockAdvice;
use super::facts::Facts;
use super::grade::Grade;
use crate::clock_id::ClockId;
use crate::part::Part;
use crate::sections::causality::plan::LITMUS;
use crate::sections::causality::report::each_once;
use crate::sections::clocks::report::ClockReport;

/// Whether clocks went backwards between CPUs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Causality {
    /// Whether those that must not did.
    pub across_cores: AcrossCores,
    pub clocks: Vec<ClockCausality>,
}

/// Whether reads that must be causal went backwards between CPUs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum AcrossCores {
    /// None did.
    Causal {
        /// Clocks that were observed.
        clocks: u64,
        /// New values observed; a repeated value adds nothing.
        new_values: u64,
        /// Ordered pairs of CPUs between which they were observed.
        pairs: u64,
        /// The pair, if there is exactly one: from the writer's CPU to the reader's.
        only_pair: Option<(u32, u32)>,
    },
    /// Some did.
    WentBackwards {
        /// How often: new values that did, and messages that arrived before they were sent.
        violations: u64,
        /// New values observed; null where those that went backwards were not counted, and in older documents.
        #[serde(default)]
        new_values: Option<u64>,
        /// Number of messages.
        messages: u64,
    },
    /// It is unknown for some recommended clocks or, where none is recommended, for some that were to be tested.
    Unknown {
        /// The clocks for which it is unknown.
        unknown: Vec<ClockId>,
        /// Others, none of which went backwards.
        clocks: u64,
        /// New values observed from them.
        new_values: u64,
    },
    /// No clock was observed.
    NotTested {
        /// Why.
        reason: String,
    },
}

impl Causality {
    /// What is known of `clock`.
    pub fn of(&self, clock: &ClockId) -> Option<&ClockCausality> {
        self.clocks.iter().find(|of| of.clock == *clock)
    }

    pub const fn grade(&self) -> Grade {
        match self.across_cores {
            AcrossCores::Causal { .. } => Grade::Good,
            AcrossCores::WentBackwards { .. } => Grade::Critical,
            AcrossCores::Unknown { .. } | AcrossCores::NotTested { .. } => Grade::Unknown,
        }
    }
}

/// The clocks that the conclusion covers: those recommended that must be causal, or if there are none, all that were to
/// be tested.
fn relied_on<'a>(facts: &'a Facts<'_>, advice: &[ClockAdvice]) -> Vec<&'a ClockReport> {
    let must_be = || facts.clocks().iter().filter(|clock| clock.available && clock.causal_by_design);
    let is_recommended =
        |clock: &&ClockReport| advice.iter().any(|advice| advice.recommended && advice.name == clock.name);
    let recommended: Vec<&ClockReport> = must_be().filter(is_recommended).collect();
    if !recommended.is_empty() {
        return recommended;
    }
    must_be().filter(|clock| facts.sections.causality.plan.litmus_clocks.contains(&clock.name)).collect()
}

/// For which clocks, and between which CPUs.
pub fn across_cores(facts: &Facts<'_>, causal: &[ClockCausality], advice: &[ClockAdvice]) -> AcrossCores {
    let report = &facts.sections.causality.report;
    let tested: Vec<(&ClockId, bool)> = facts
        .clocks()
        .iter()
        .filter(|clock| clock.causal_by_design)
        .filter_map(|clock| Some((&clock.name, is_causal(causal, &clock.name)?)))
        .collect();
    let is_tested = |clock: &ClockId| tested.iter().any(|(tested, _)| *tested == clock);
    let rows = || report.litmus.iter().filter(|row| is_tested(&row.name));
    let clocks = tested.len() as u64;
    let new_values = total(rows().map(|row| row.fresh));
    if tested.iter().any(|(_, causal)| !causal) {
        let pairs = || report.pairs.iter().filter(|pair| is_tested(&pair.clock));
        let went_back = rows().map(|row| row.went_back().unwrap_or(row.violations));
        return AcrossCores::WentBackwards {
            violations: total(went_back.chain(pairs().map(|pair| pair.violations))),
            new_values: rows().all(|row| row.went_back().is_some()).then_some(new_values),
            messages: total(pairs().map(|pair| pair.rounds.saturating_mul(2))),
        };
    }
    let relied_on = relied_on(facts, advice);
    let unknown: Vec<ClockId> =
        relied_on.iter().map(|clock| &clock.name).filter(|clock| !is_tested(clock)).cloned().collect();
    if !unknown.is_empty() && !report.litmus.is_empty() {
        AcrossCores::Unknown { unknown, clocks, new_values }
    } else if !unknown.is_empty() || relied_on.is_empty() {
        AcrossCores::NotTested { reason: reason_untested(facts, LITMUS) }
    } else {
        let pairs = each_once(rows().map(|row| (row.writer, row.reader)));
        let only_pair = if let [pair] = pairs[..] { Some(pair) } else { None };
        AcrossCores::Causal { clocks, new_values, pairs: pairs.len() as u64, only_pair }
    }
}

/// Why `part` compared no two CPUs.
pub fn reason_untested(facts: &Facts<'_>, part: Part) -> String {
    facts.sections.causality.report.reason_unavailable.clone().unwrap_or_else(|| facts.reason_missing(&[part]))
}

fn total(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Record;
    use crate::judgement::{Judgement, conclude};
    use crate::rules::tests::{blank, claimed, litmus, pair};
    use crate::sections::causality::report::Litmus;
    use chronoscope_sources::SourceId;

    use chronoscope_harness::record::TscClass;
    use chronoscope_sources::os::OsClock;

    const MONOTONIC: SourceId = SourceId::Os(OsClock::Monotonic);
    const COARSE: SourceId = SourceId::Os(OsClock::MonotonicCoarse);
    const ORDERED: SourceId = SourceId::CounterOrdered;
    const ENOUGH: u64 = Litmus::FEWEST_NEW_VALUES;

    fn row(clock: SourceId, (writer, reader): (u32, u32), fresh: u64, violations: u64) -> Litmus {
        Litmus { writer, reader, observations: fresh * 6, ..litmus(clock, fresh, violations) }
    }

    /// A record with trustworthy clocks and these litmus rows.
    fn record(clocks: &[SourceId], rows: Vec<Litmus>) -> Record {
        let mut record = blank();
        record.machine.tsc.class = Some(TscClass::Invariant);
        record.content.sections.clocks.report.clocks = clocks.iter().map(|id| claimed(*id)).collect();
        record.content.sections.causality.plan.litmus_pairs = vec![(0, 1)];
        record.content.sections.causality.report.litmus = rows;
        record
    }

    fn concluded(record: &Record) -> Judgement {
        conclude(&Facts::from(record), &[])
    }

    fn causal_of(found: &Judgement, id: SourceId) -> (Option<bool>, Option<&str>) {
        let of = found.causality.of(&id.into()).unwrap();
        (of.causal, of.reason_unknown.as_deref())
    }

    /// Whether all reads that must be causal are.
    fn causal(found: &Judgement) -> Option<bool> {
        match found.causality.grade() {
            Grade::Good => Some(true),
            Grade::Critical => Some(false),
            Grade::Unknown | Grade::Warning => None,
        }
    }

    #[test]
    fn causal_takes_every_recommended_clock() {
        let pair = (0, 1);
        let both = record(&[ORDERED, MONOTONIC], vec![row(ORDERED, pair, ENOUGH, 0), row(MONOTONIC, pair, ENOUGH, 0)]);
        assert_eq!(causal(&concluded(&both)), Some(true));
        let one_unseen = record(&[ORDERED, MONOTONIC], vec![row(ORDERED, pair, ENOUGH, 0), row(MONOTONIC, pair, 0, 0)]);
        let one_unseen = concluded(&one_unseen);
        assert_eq!(causal(&one_unseen), None);
        assert_eq!(causal_of(&one_unseen, MONOTONIC), (None, Some("no observation from CPU 0 to CPU 1")));
        assert_eq!(causal_of(&one_unseen, ORDERED), (Some(true), None));
        let one_missing = concluded(&record(&[ORDERED, MONOTONIC], vec![row(ORDERED, pair, ENOUGH, 0)]));
        assert_eq!(causal(&one_missing), None);
    }

    #[test]
    fn few_new_values_show_no_causality_and_one_step_back_is_enough() {
        let pair = (0, 1);
        let rows = vec![row(MONOTONIC, pair, ENOUGH, 0), row(COARSE, pair, 58, 0)];
        let found = concluded(&record(&[MONOTONIC, COARSE], rows));
        let (of_coarse, reason) = causal_of(&found, COARSE);
        assert!(of_coarse.is_none() && reason.unwrap().contains("to CPU 1: 58, too few"), "{reason:?}");
        assert_eq!(causal(&found), Some(true), "it is not recommended");
        let broken = concluded(&record(&[MONOTONIC], vec![row(MONOTONIC, pair, 58, 1)]));
        assert_eq!((causal(&broken), causal_of(&broken, MONOTONIC).0), (Some(false), Some(false)));
    }

    #[test]
    fn a_planned_pair_that_was_not_run_leaves_it_open() {
        let mut half = record(&[MONOTONIC], vec![row(MONOTONIC, (0, 1), ENOUGH, 0)]);
        half.content.sections.causality.plan.litmus_pairs = vec![(0, 1), (1, 0)];
        let half = concluded(&half);
        assert_eq!(causal(&half), None);
        assert!(causal_of(&half, MONOTONIC).1.unwrap().starts_with("CPU 1 to CPU 0 not observed"));
    }

    #[test]
    fn a_message_before_its_sending_outweighs_a_clean_litmus() {
        let mut skewed = record(&[MONOTONIC], vec![row(MONOTONIC, (0, 1), ENOUGH, 0)]);
        skewed.content.sections.causality.report.pairs.push(pair(500.0, 3));
        let skewed = concluded(&skewed);
        assert_eq!((causal(&skewed), causal_of(&skewed, MONOTONIC).0), (Some(false), Some(false)));
        assert!(!skewed.clocks[0].recommended);
    }

    #[test]
    fn every_outcome_of_the_litmus_is_concluded() {
        let both = |fresh| vec![row(ORDERED, (0, 1), ENOUGH, 0), row(MONOTONIC, (0, 1), fresh, 0)];
        let of = |rows| record(&[ORDERED, MONOTONIC], rows);
        let back = |mut rows: Vec<Litmus>| {
            (rows[0].violations, rows[0].violated) = (9, Some(2));
            let mut record = of(rows);
            record.content.sections.causality.report.pairs.push(pair(0.0, 1));
            record
        };
        let there_and_back = [both(ENOUGH), vec![row(ORDERED, (1, 0), ENOUGH, 0)]].concat();
        let mut one_cpu = of(Vec::new());
        one_cpu.content.sections.causality.report.reason_unavailable = Some("one CPU is allowed".to_owned());
        let reason = |reason: &str| reason.to_owned();
        let unknown = vec![MONOTONIC.into()];
        let rows = [
            (
                of(both(ENOUGH)),
                AcrossCores::Causal { clocks: 2, new_values: 2 * ENOUGH, pairs: 1, only_pair: Some((0, 1)) },
                Grade::Good,
            ),
            (
                of(there_and_back),
                AcrossCores::Causal { clocks: 2, new_values: 3 * ENOUGH, pairs: 2, only_pair: None },
                Grade::Good,
            ),
            (
                back(both(ENOUGH)),
                AcrossCores::WentBackwards { violations: 3, new_values: Some(2 * ENOUGH), messages: 20 },
                Grade::Critical,
            ),
            (of(both(0)), AcrossCores::Unknown { unknown, clocks: 1, new_values: ENOUGH }, Grade::Unknown),
            (of(Vec::new()), AcrossCores::NotTested { reason: reason("it was not part of the plan") }, Grade::Unknown),
            (one_cpu, AcrossCores::NotTested { reason: reason("one CPU is allowed") }, Grade::Unknown),
        ];
        for (record, wanted, grade) in rows {
            let found = concluded(&record).causality;
            assert_eq!((&found.across_cores, found.grade()), (&wanted, grade));
        }
    }
}
