//! Whether the counter is a sound measure of time.

use chronoscope_harness::record::TscClass;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::clock_causality::{ClockCausality, is_causal};
use super::facts::Facts;
use super::grade::Grade;
use super::monotonic::stepped_back;

/// How far the counter is trusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counter {
    /// Good if it is invariant, and nothing speaks against it.
    pub grade: Grade,
    /// What speaks against it; null where nothing does.
    pub doubt: Option<String>,
}

/// By its class, and the case against it.
pub fn counter(facts: &Facts<'_>, causal: &[ClockCausality]) -> Counter {
    let doubt = doubt(facts, causal);
    let grade = match (facts.machine.tsc.class, &doubt) {
        (Some(TscClass::Invariant), None) => Grade::Good,
        (None, _) => Grade::Unknown,
        (Some(_), _) => Grade::Warning,
    };
    Counter { grade, doubt }
}

/// The case against the counter as a time source, from the machine or the measurements; None if there is none.
fn doubt(facts: &Facts<'_>, causal: &[ClockCausality]) -> Option<String> {
    if let Some(doubt) = facts.machine.counter_doubt() {
        return Some(doubt);
    }
    let counters = || facts.clocks().iter().filter(|clock| clock.is_counter());
    let went_back = counters().any(|clock| clock.causal_by_design && is_causal(causal, &clock.name) == Some(false));
    let mut pairs = facts.sections.causality.report.pairs.iter();
    if went_back || pairs.any(|pair| pair.shows_skew() && pair.clock.is_counter()) {
        return Some("the CPUs' counters disagree".to_owned());
    }
    counters().any(|clock| stepped_back(clock, facts)).then(|| "the counter stepped back".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::blank;

    #[test]
    fn a_counter_needs_its_class_and_nothing_against_it() {
        let mut record = blank();
        let graded = |record: &crate::document::Record| counter(&Facts::from(record), &[]).grade;
        assert_eq!(graded(&record), Grade::Unknown);
        record.machine.tsc.class = Some(TscClass::Invariant);
        assert_eq!(graded(&record), Grade::Good);
        record.machine.kernel.messages = chronoscope_harness::record::Known::Value(vec![
            "tsc: Marking TSC unstable due to clocksource watchdog".to_owned(),
        ]);
        assert_eq!(graded(&record), Grade::Warning);
        record.machine.tsc.class = Some(TscClass::Variant);
        assert_eq!(graded(&record), Grade::Warning);
    }
}
