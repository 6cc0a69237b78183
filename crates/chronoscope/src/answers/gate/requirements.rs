//! Rules that require a property: there is no finding of a kind, or the document concludes so.

use super::forbidden::{absent, failed};
use super::report::{Judged, RuleOutcome};
use super::rule::Rule;
use crate::document::Record;
use crate::judgement::Judgement;
use crate::judgement::grade::Grade;
use crate::judgement::path::FastPath;
use crate::judgement::rules::machine::TSC_NOT_INVARIANT;
use crate::judgement::rules::non_causal_read::NON_CAUSAL_READ;
use crate::judgement::rules::os_clock_on_slow_path::OS_CLOCK_ON_SLOW_PATH;
use crate::sections::clocks::rules::PATH_INFERRED;
use crate::sections::sync::rules::WALL_CLOCK_UNDISCIPLINED;
use crate::shared_findings::NEGATIVE_ELAPSED;
use chronoscope_harness::finding::Kind;

/// A property that a machine must have, by name, the kind of finding that denies it, and what judges it.
type Property = (&'static str, Kind, fn(&Record, Kind) -> Judged);

static PROPERTIES: [Property; 5] = [
    ("vdso", OS_CLOCK_ON_SLOW_PATH, |record, kind| {
        let unclear = |all: &Judgement, words| match all.path {
            FastPath::ProbablyVdso { .. } => Judged::seen(RuleOutcome::Unresolved, words).advice(PATH_INFERRED.mend),
            _ => Judged::unknown(words),
        };
        concluded(record, kind, |all| (all.path.grade(), all.path.words()), unclear)
    }),
    ("causal", NON_CAUSAL_READ, |record, kind| {
        let advice = "more observations may tell: chronoscope causality, or --thorough";
        let unclear = |_: &Judgement, words| Judged::unknown(words).advice(advice);
        concluded(record, kind, |all| (all.causality.grade(), all.causality.words()), unclear)
    }),
    ("monotonic", NEGATIVE_ELAPSED, |record, kind| {
        let unclear = |_: &Judgement, words| Judged::unknown(words);
        concluded(record, kind, |all| (all.monotonic.grade(), all.monotonic.words()), unclear)
    }),
    ("invariant_tsc", TSC_NOT_INVARIANT, |record, kind| absent(record, kind, "the TSC is invariant")),
    ("ntp", WALL_CLOCK_UNDISCIPLINED, |record, kind| absent(record, kind, "something disciplines the wall clock")),
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
    match PROPERTIES.iter().find(|(name, ..)| *name == word) {
        Some((name, kind, judge)) => Ok(Rule::new(format!("require {name}"), |record| judge(record, *kind))),
        None => {
            let names = PROPERTIES.map(|(name, ..)| name).join(", ");
            Err(format!("unknown requirement `{text}`; choose {names} or clocksource=NAME"))
        }
    }
}

/// By a conclusion of the document, if it has any; `unclear` says what an unknown one means.
fn concluded(
    record: &Record,
    kind: Kind,
    judge: fn(&Judgement) -> (Grade, String),
    unclear: impl FnOnce(&Judgement, String) -> Judged,
) -> Judged {
    let Some(judgement) = &record.content.judgement else {
        return Judged::unknown(format!("`{}` wrote this document, which has no check of the clocks", record.command));
    };
    match judge(judgement) {
        (Grade::Good, words) => Judged::seen(RuleOutcome::Passed, words),
        (Grade::Warning | Grade::Critical, words) => failed(record, kind, words),
        (Grade::Unknown, words) => unclear(judgement, words),
    }
}

/// By what the kernel uses, with the document's advice on this clocksource.
fn clocksource(record: &Record, name: &str) -> Judged {
    let source = &record.machine.clocksource;
    let Some(current) = &source.current else {
        let reason = source.reason_unavailable.as_deref().unwrap_or("the record gives no reason");
        return Judged::unknown(format!("the clocksource is unknown: {reason}"));
    };
    let is_it = current == name;
    let outcome = if is_it { RuleOutcome::Passed } else { RuleOutcome::Failed };
    let judged = Judged::seen(outcome, format!("the kernel uses {current}"));
    let mut known = record.content.judgement.iter().flat_map(|judgement| &judgement.clocksources);
    match known.find(|known| known.name == name) {
        Some(known) => judged.advice(&known.advice),
        None if is_it || source.offers(name) => judged,
        None => judged.advice(format!("the kernel offers only {}", source.available.join(", "))),
    }
}
