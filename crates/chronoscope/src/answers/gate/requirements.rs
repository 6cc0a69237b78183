//! Rules that require a property: each follows the conclusions of the first screen.

use super::report::{Judged, RuleOutcome};
use super::requirement::Requirement;
use crate::answers::conclusions::{CausalityConclusion, FastPath, Monotonic};
use crate::answers::verdict_words;
use crate::document::Record;
use crate::judgement::rules::causality::NON_CAUSAL_READ;
use crate::judgement::rules::machine::TSC_NOT_INVARIANT;
use crate::sections::clocks::rules::PATH_INFERRED;
use crate::sections::sync::discipline::DisciplineState;
use crate::sections::sync::plan::SYNC;
use crate::sections::sync::rules::WALL_CLOCK_UNDISCIPLINED;
use crate::shared_findings::NEGATIVE_ELAPSED;
use chronoscope_harness::record::{Clocksource, TscClass};

/// The judgement of a requirement.
pub fn judge(record: &Record, what: &Requirement) -> Judged {
    match what {
        Requirement::Vdso => vdso(record),
        Requirement::Causal => causal(record),
        Requirement::Monotonic => monotonic(record),
        Requirement::InvariantTsc => invariant_tsc(record),
        Requirement::Ntp => ntp(record),
        Requirement::Clocksource(name) => clocksource(record, name),
    }
}

/// For a document that has no conclusions.
fn no_check(record: &Record) -> Judged {
    Judged::unknown(format!("`{}` wrote this document, which has no check of the clocks", record.command))
}

fn vdso(record: &Record) -> Judged {
    let Some(conclusions) = &record.verdict.conclusions else { return no_check(record) };
    let found = &conclusions.fast_path;
    let judged = |outcome| Judged::seen(outcome, verdict_words::fast_path(found));
    match found {
        FastPath::Vdso { .. } => judged(RuleOutcome::Passed),
        FastPath::ProbablyVdso { .. } => judged(RuleOutcome::Unresolved).advice(PATH_INFERRED.mend),
        FastPath::SystemCall { .. } => judged(RuleOutcome::Failed).advice(record.way_off_the_slow_path()),
        FastPath::Unknown { .. } | FastPath::NotTested { .. } => judged(RuleOutcome::Unknown),
    }
}

fn causal(record: &Record) -> Judged {
    let Some(conclusions) = &record.verdict.conclusions else { return no_check(record) };
    let found = &conclusions.causality;
    let judged = |outcome| Judged::seen(outcome, verdict_words::causality(found));
    match found {
        CausalityConclusion::Causal { .. } => judged(RuleOutcome::Passed),
        CausalityConclusion::WentBackwards { .. } => judged(RuleOutcome::Failed).advice(NON_CAUSAL_READ.mend),
        CausalityConclusion::Unknown { .. } => {
            judged(RuleOutcome::Unknown).advice("more observations may tell: chronoscope causality, or --thorough")
        }
        CausalityConclusion::NotTested { .. } => judged(RuleOutcome::Unknown),
    }
}

fn monotonic(record: &Record) -> Judged {
    let Some(conclusions) = &record.verdict.conclusions else { return no_check(record) };
    let found = &conclusions.monotonic;
    let judged = |outcome| Judged::seen(outcome, verdict_words::monotonic(found));
    match found {
        Monotonic::Steady => judged(RuleOutcome::Passed),
        Monotonic::SteppedBack => judged(RuleOutcome::Failed).advice(NEGATIVE_ELAPSED.mend),
        Monotonic::PartlyTested { .. } | Monotonic::NotTested { .. } => judged(RuleOutcome::Unknown),
    }
}

fn invariant_tsc(record: &Record) -> Judged {
    let tsc = &record.machine.tsc;
    match tsc.class {
        None => Judged::unknown("whether the counter keeps its rate is unknown here"),
        Some(TscClass::Invariant) => Judged::seen(RuleOutcome::Passed, "the TSC is invariant"),
        Some(class) => {
            let words = format!("the TSC is {}: {}", class.word(), tsc.class_evidence);
            Judged::seen(RuleOutcome::Failed, words).advice(TSC_NOT_INVARIANT.mend)
        }
    }
}

fn ntp(record: &Record) -> Judged {
    let Some(sync) = record.sync.report.as_ref() else {
        return Judged::unknown(format!("the wall clock was not examined: {}", record.reason_missing(&[SYNC])));
    };
    let found = &sync.discipline;
    let evidence = found.evidence.join("; ");
    match found.state {
        DisciplineState::Disciplined => Judged::seen(RuleOutcome::Passed, format!("disciplined: {evidence}")),
        DisciplineState::NotDisciplined => {
            Judged::seen(RuleOutcome::Failed, format!("nothing disciplines the wall clock: {evidence}"))
                .advice(WALL_CLOCK_UNDISCIPLINED.mend)
        }
        DisciplineState::Unknown => {
            Judged::unknown(format!("it is unknown what disciplines the wall clock: {evidence}"))
        }
    }
}

fn clocksource(record: &Record, name: &str) -> Judged {
    let source = &record.machine.clocksource;
    let Some(current) = &source.current else {
        let reason = source.reason_unavailable.as_deref().unwrap_or("the record gives no reason");
        return Judged::unknown(format!("the clocksource is unknown: {reason}"));
    };
    if current == name {
        return Judged::seen(RuleOutcome::Passed, format!("the kernel uses {current}"));
    }
    let judged = Judged::seen(RuleOutcome::Failed, format!("the kernel uses {current}"));
    match (source.offers(name), record.clocksource_doubt(name)) {
        (false, _) => judged.advice(format!("the kernel offers only {}", source.available.join(", "))),
        (true, Some(doubt)) => judged.advice(format!("the kernel offers {name}, but do not switch to it: {doubt}")),
        (true, None) => judged.advice(format!("switch with {}", Clocksource::switch_command(name))),
    }
}
