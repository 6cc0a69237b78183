//! Findings of one document that another lacks, although it looked for them.

use chronoscope_harness::finding::Finding;

use super::report::FindingName;
use crate::clock_id::ClockId;
use crate::document::Record;
use crate::judgement::rules::noise;
use crate::judgement::rules::non_causal_read::{BACK_BY_ONE_COUNT, NON_CAUSAL_READ, UNORDERED_READ_NOT_CAUSAL};
use crate::probe::runtime::Runtime;
use crate::sections::runtimes::plan::RUNTIMES;
use crate::{engine, kinds};

/// Findings of `this` that `other` would have too if they were true of it, or that it has as less severe ones.
pub fn findings_missing(this: &Record, other: &Record) -> Vec<FindingName> {
    let known: Vec<(Name, &Finding)> = other.findings.iter().map(|finding| (name(finding, other), finding)).collect();
    let in_other = |found: &Finding| {
        let name = name(found, this);
        known.iter().filter(|(known, _)| *known == name).map(|(_, finding)| finding.severity).max()
    };
    let mut missing: Vec<FindingName> = Vec::new();
    for found in &this.findings {
        let named = FindingName {
            id: found.id.clone().into_owned(),
            subject: found.subject.clone(),
            severity: found.severity,
            severity_in_other: in_other(found),
        };
        if Some(named.severity) > named.severity_in_other
            && !missing.contains(&named)
            && has_looked_for(other, found, this)
            && has_tried_runtimes(other, found, this)
            && has_observed_enough(other, found)
        {
            missing.push(named);
        }
    }
    missing
}

/// By what findings of two documents are the same: kind and subject, that of a language runtime without its version.
type Name = (String, Option<String>);

fn name(finding: &Finding, of: &Record) -> Name {
    let bare = |subject: &String| {
        let runtimes = of.content.runtimes().iter().filter(|runtime| is_about(subject, runtime));
        runtimes.fold(subject.clone(), |subject, runtime| subject.replace(&runtime.title(), runtime.kind.title()))
    };
    (finding.id.clone().into_owned(), finding.subject.as_ref().map(bare))
}

/// Whether `other` measured all that the finding of `this` may come from: of the parts that a rule of its kind looks at, every one
/// that was measured in `this`.
fn has_looked_for(other: &Record, finding: &Finding, this: &Record) -> bool {
    let (of_this, of_other) = (kinds::measured(this), kinds::measured(other));
    let is_it = |id: &str| id == finding.id;
    let of_run =
        noise::RULES.iter().flat_map(|of_parts| of_parts.rule.yields).chain(kinds::kinds_in(engine::rules::RULES));
    if of_run.into_iter().any(|kind| is_it(kind.id)) {
        return of_this.iter().all(|part| of_other.contains(part));
    }
    let rules = kinds::parts_yielding(&finding.id);
    if !rules.is_empty() {
        return rules.iter().any(|parts| {
            let mut parts = of_this.iter().filter(|part| parts.contains(part)).peekable();
            parts.peek().is_some() && parts.all(|part| of_other.contains(part))
        });
    }
    kinds::looked_for(other).iter().any(|kind| is_it(kind.id)) || !kinds::all().any(|kind| is_it(kind.id))
}

/// Whether the language runtimes that the finding of `this` is about were tried in `other`: a check tries as many as it has time for.
fn has_tried_runtimes(other: &Record, finding: &Finding, this: &Record) -> bool {
    let is_of_all = finding.subject.is_none() && kinds::parts_yielding(&finding.id).concat().contains(&RUNTIMES);
    let is_about = |runtime: &&Runtime| match &finding.subject {
        Some(subject) => is_about(subject, runtime),
        None => is_of_all && runtime.available,
    };
    this.content.runtimes().iter().filter(is_about).all(|runtime| has_tried(other, runtime))
}

/// Whether `other` saw enough values of the clock that stepped back to tell whether it still does.
fn has_observed_enough(other: &Record, finding: &Finding) -> bool {
    let of_litmus = [NON_CAUSAL_READ, BACK_BY_ONE_COUNT, UNORDERED_READ_NOT_CAUSAL].map(|kind| kind.id);
    let is_known = |clock: &str| other.content.causal(&ClockId::from(clock)).is_some();
    !of_litmus.contains(&&*finding.id) || finding.subject.as_deref().is_some_and(is_known)
}

/// Whether this runtime, or one of its kind in another version, was tried.
fn has_tried(other: &Record, runtime: &Runtime) -> bool {
    let of_kind = || other.content.runtimes().iter().filter(|tried| tried.kind == runtime.kind);
    match of_kind().find(|tried| tried.title() == runtime.title()) {
        Some(same) => !same.out_of_time,
        None => of_kind().next().is_some() && of_kind().all(|tried| !tried.out_of_time),
    }
}

/// Whether a subject names the runtime: alone, in a list, as `… of it`, or before what it does.
fn is_about(subject: &str, runtime: &Runtime) -> bool {
    let title = runtime.title();
    subject == title
        || subject.starts_with(&format!("{title} "))
        || subject.ends_with(&format!(" of {title}"))
        || subject.starts_with(&format!("{title}, "))
        || subject.contains(&format!(", {title}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Outcome;
    use crate::json::document;
    use crate::part::Part;
    use crate::rules::judged;
    use chronoscope_harness::finding::Severity;
    use chronoscope_probes::RuntimeKind;

    fn record() -> Record {
        document(include_str!("../../../tests/fixtures/record.json")).unwrap()
    }

    fn of_runtimes() -> Record {
        document(include_str!("../../../tests/fixtures/runtimes.json")).unwrap()
    }

    fn runtime(record: &mut Record, kind: RuntimeKind) -> &mut Runtime {
        record.content.sections.runtimes.report.iter_mut().find(|runtime| runtime.kind == kind).unwrap()
    }

    #[test]
    fn a_finding_of_one_document_alone_is_named() {
        let base = record();
        let looked_for = |place: &usize| has_looked_for(&base, &base.findings[*place], &base);
        let places: Vec<usize> = (0..base.findings.len()).filter(looked_for).collect();
        assert!(places.len() > 2);
        for place in places {
            let mut this = record();
            let lost = this.findings.remove(place);
            assert!(findings_missing(&this, &base).is_empty());
            let gone = findings_missing(&base, &this);
            assert_eq!(
                gone.iter().map(|it| (it.id.as_str(), &it.subject)).collect::<Vec<_>>(),
                [(&*lost.id, &lost.subject)]
            );
        }
    }

    #[test]
    fn what_another_document_had_no_time_for_is_not_new() {
        let this = of_runtimes();
        let is_of_mono = |name: &FindingName| name.subject.as_deref().is_some_and(|it| it.contains("Mono"));
        let mut other = of_runtimes();
        let mono = runtime(&mut other, RuntimeKind::Mono);
        (mono.available, mono.out_of_time) = (false, false);
        mono.reason_unavailable = Some("not found".to_owned());
        other.findings.clear();
        assert!(findings_missing(&this, &other).iter().any(is_of_mono), "what was not there before is new");
        runtime(&mut other, RuntimeKind::Mono).out_of_time = true;
        let missing = findings_missing(&this, &other);
        assert!(!missing.iter().any(is_of_mono) && !missing.is_empty(), "{missing:?}");
        other.content.sections.runtimes.report.retain(|runtime| runtime.kind != RuntimeKind::Mono);
        assert!(!findings_missing(&this, &other).iter().any(is_of_mono), "nobody asked for it");
    }

    #[test]
    fn what_a_section_says_is_not_new_where_it_did_not_run() {
        let this = of_runtimes();
        let mut other = of_runtimes();
        other.findings.clear();
        assert!(findings_missing(&this, &other).iter().any(|it| it.id == "wall_clock_for_intervals"));
        for outcome in [Outcome::Skipped, Outcome::Failed] {
            other.content.parts.iter_mut().for_each(|part| part.outcome = outcome);
            assert!(findings_missing(&this, &other).iter().all(|it| it.id == "stolen_time"), "{outcome:?}");
        }
        let blank = judged(crate::rules::tests::blank());
        assert!(findings_missing(&record(), &blank).iter().all(|it| !it.id.contains("runtime")));
    }

    fn with(severity: Severity, mut record: Record) -> Record {
        record.findings.truncate(1);
        record.findings[0].severity = severity;
        record
    }

    #[test]
    fn a_notice_that_became_a_warning_is_new_as_such_and_one_that_was_a_warning_is_gone() {
        let (before, now) = (with(Severity::Notice, record()), with(Severity::Warning, record()));
        let appeared = findings_missing(&now, &before);
        assert_eq!(appeared.iter().map(|it| it.severity).collect::<Vec<_>>(), [Severity::Warning]);
        assert_eq!(appeared[0].severity_in_other, Some(Severity::Notice));
        assert!(findings_missing(&before, &now).is_empty());
        assert!(findings_missing(&before, &before).is_empty());
    }

    #[test]
    fn what_one_part_says_is_not_gone_where_that_part_failed() {
        let mut base = record();
        let clock = Some("CLOCK_MONOTONIC".to_owned());
        let backward = Finding { id: "non_causal_read".into(), subject: clock, ..base.findings[0].clone() };
        base.findings = vec![backward];
        let mut this = record();
        this.findings.clear();
        assert_eq!(findings_missing(&base, &this).len(), 1);
        let litmus = this.content.parts.iter_mut().find(|part| part.part == Part::Litmus).unwrap();
        litmus.outcome = Outcome::Failed;
        assert!(findings_missing(&base, &this).is_empty());
        this.content.parts.retain(|part| part.part != Part::Litmus);
        assert!(findings_missing(&base, &this).is_empty());
    }

    #[test]
    fn a_step_back_is_not_gone_where_too_few_values_were_seen() {
        let mut base = record();
        let clock = Some("CLOCK_MONOTONIC".to_owned());
        base.findings = vec![Finding { id: "non_causal_read".into(), subject: clock, ..base.findings[0].clone() }];
        let mut this = record();
        this.findings.clear();
        let rows = &mut this.content.sections.causality.report.litmus;
        rows.iter_mut().filter(|row| row.name.name() == "CLOCK_MONOTONIC").for_each(|row| row.fresh = 7);
        assert!(findings_missing(&base, &judged(this)).is_empty());
    }

    #[test]
    fn what_a_whole_run_says_is_not_gone_in_one_of_other_parts() {
        let (check, runtimes) = (record(), of_runtimes());
        let of_run = ["noisy_machine", "part_unavailable", "stolen_time"];
        assert!(check.findings.iter().any(|finding| of_run.contains(&&*finding.id)));
        for missing in [findings_missing(&check, &runtimes), findings_missing(&runtimes, &check)] {
            assert!(!missing.iter().any(|it| of_run.contains(&it.id.as_str())), "{missing:?}");
        }
    }

    #[test]
    fn another_version_of_a_runtime_with_the_same_findings_has_nothing_new() {
        let (base, mut this) = (of_runtimes(), of_runtimes());
        let mono = runtime(&mut this, RuntimeKind::Mono);
        mono.version = Some("6.12.0.200".to_owned());
        let this = judged(this);
        assert!(this.findings.iter().any(|it| it.subject.as_deref().is_some_and(|it| it.contains("Mono 6.12.0.200"))));
        let of_mono = |names: Vec<FindingName>| {
            names.iter().any(|it| it.subject.as_deref().is_some_and(|it| it.contains("Mono")))
        };
        assert!(!of_mono(findings_missing(&this, &base)) && !of_mono(findings_missing(&base, &this)));
    }

    #[test]
    fn what_is_said_of_several_runtimes_needs_all_of_them() {
        let this = of_runtimes();
        let mut other = of_runtimes();
        other.findings.clear();
        let has = |other: &Record, id: &str| findings_missing(&this, other).iter().any(|it| it.id == id);
        assert!(has(&other, "wall_clock_for_intervals") && has(&other, "runtime_not_parallel"));
        let java = runtime(&mut other, RuntimeKind::Java);
        java.out_of_time = true;
        assert!(!has(&other, "wall_clock_for_intervals") && has(&other, "runtime_not_parallel"));
        let mut both = this.findings.iter().find(|it| it.id == "runtime_not_parallel").unwrap().clone();
        both.subject = Some(format!("{}, Java 17.0.15", both.subject.unwrap()));
        assert!(!has_tried_runtimes(&other, &both, &this));
    }

    #[test]
    fn one_of_two_versions_that_there_was_no_time_for_was_not_tried() {
        let mut this = of_runtimes();
        let mut second = runtime(&mut this, RuntimeKind::Python).clone();
        second.version = Some("3.12.1 (main)".to_owned());
        this.content.sections.runtimes.report.push(second);
        let mut other = this.clone();
        let last = other.content.sections.runtimes.report.last_mut().unwrap();
        (last.available, last.out_of_time) = (false, true);
        let tried = this.content.runtimes();
        assert!(has_tried(&other, &tried[4]) && !has_tried(&other, tried.last().unwrap()));
        other.content.sections.runtimes.report.last_mut().unwrap().version = None;
        assert!(!has_tried(&other, tried.last().unwrap()), "which version it is nobody asked");
    }
}
