//! Rules that require a property: each follows a fact of the machine, or the conclusion of the document.

use super::report::{Judged, RuleOutcome};
use super::rule::Rule;
use crate::document::Record;
use crate::judgement::Judgement;
use crate::judgement::causality::AcrossCores;
use crate::judgement::clocksource as sources;
use crate::judgement::grade::Grade;
use crate::judgement::path::FastPath;
use crate::judgement::rules::causality::NON_CAUSAL_READ;
use crate::judgement::rules::machine::TSC_NOT_INVARIANT;
use crate::judgement::rules::remedies::way_off_the_slow_path;
use crate::screen::verdict;
use crate::sections::clocks::rules::PATH_INFERRED;
use crate::sections::sync::discipline::DisciplineState;
use crate::sections::sync::plan::SYNC;
use crate::sections::sync::rules::WALL_CLOCK_UNDISCIPLINED;
use crate::shared_findings::NEGATIVE_ELAPSED;
use chronoscope_harness::record::{Clocksource, TscClass};

/// A property that a machine must have, by name, and what judges it.
type Property = (&'static str, fn(&Record) -> Judged);

static PROPERTIES: [Property; 5] = [
    ("vdso", |record| concluded(record, vdso)),
    ("causal", |record| concluded(record, causal)),
    ("monotonic", |record| concluded(record, monotonic)),
    ("invariant_tsc", invariant_tsc),
    ("ntp", ntp),
];

/// The rule that requires a property, or `clocksource=NAME`.
///
/// # Errors
/// What is wrong, and what is accepted.
pub fn rule(text: &str) -> Result<Rule, String> {
    let text = text.trim();
    if let Some(name) = text.strip_prefix("clocksource=").map(str::trim) {
        let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
        if name.is_empty() || !name.chars().all(is_of_name) {
            return Err(format!("`{name}` is no clocksource; name one, such as clocksource=tsc"));
        }
        let name = name.to_owned();
        return Ok(Rule::new(format!("require clocksource={name}"), move |record| clocksource(record, &name)));
    }
    let word = text.replace('-', "_");
    match PROPERTIES.iter().find(|(name, _)| *name == word) {
        Some((name, judge)) => Ok(Rule::new(format!("require {name}"), *judge)),
        None => {
            let names = PROPERTIES.map(|(name, _)| name).join(", ");
            Err(format!("unknown requirement `{text}`; choose {names} or clocksource=NAME"))
        }
    }
}

/// By the conclusions of the document, if it has any.
fn concluded(record: &Record, judge: fn(&Judgement, &Record) -> Judged) -> Judged {
    match &record.content.judgement {
        Some(judgement) => judge(judgement, record),
        None => Judged::unknown(format!("`{}` wrote this document, which has no check of the clocks", record.command)),
    }
}

/// By the grade of a conclusion in `words`; `mend` is for a bad one.
fn graded(grade: Grade, words: String, mend: impl Into<String>) -> Judged {
    match grade {
        Grade::Good => Judged::seen(RuleOutcome::Passed, words),
        Grade::Unknown => Judged::unknown(words),
        Grade::Warning | Grade::Critical => Judged::seen(RuleOutcome::Failed, words).advice(mend),
    }
}

fn vdso(all: &Judgement, record: &Record) -> Judged {
    let (found, words) = (&all.path, verdict::fast_path(&all.path));
    match found {
        FastPath::ProbablyVdso { .. } => Judged::seen(RuleOutcome::Unresolved, words).advice(PATH_INFERRED.mend),
        _ => graded(found.grade(), words, way_off_the_slow_path(record)),
    }
}

fn causal(all: &Judgement, _: &Record) -> Judged {
    let found = &all.causality;
    let judged = graded(found.grade(), verdict::causality(found), NON_CAUSAL_READ.mend);
    match found.across_cores {
        AcrossCores::Unknown { .. } => {
            judged.advice("more observations may tell: chronoscope causality, or --thorough")
        }
        _ => judged,
    }
}

fn monotonic(all: &Judgement, _: &Record) -> Judged {
    graded(all.monotonic.grade(), verdict::monotonic(&all.monotonic), NEGATIVE_ELAPSED.mend)
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
    let Some(sync) = record.content.sync().as_ref() else {
        return Judged::unknown(format!("the wall clock was not examined: {}", record.content.reason_missing(&[SYNC])));
    };
    let evidence = sync.discipline.evidence.join("; ");
    match sync.discipline.state {
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
    match (source.offers(name), sources::doubt(record.content.counter_doubt(), name)) {
        (false, _) => judged.advice(format!("the kernel offers only {}", source.available.join(", "))),
        (true, Some(doubt)) => judged.advice(format!("the kernel offers {name}, but do not switch to it: {doubt}")),
        (true, None) => judged.advice(format!("switch with {}", Clocksource::switch_command(name))),
    }
}
