//! Findings of one document that another lacks, although it looked for them.

use chronoscope_harness::finding::Finding;

use super::report::FindingName;
use crate::document::{Outcome, PartReport, Record};
use crate::registry;
use crate::sections::runtimes::report::Runtime;

/// Findings of `this` that `other` would have too if they were true of it.
pub fn findings_missing(this: &Record, other: &Record) -> Vec<FindingName> {
    let name =
        |finding: &Finding| FindingName { id: finding.id.clone().into_owned(), subject: finding.subject.clone() };
    let known: Vec<FindingName> = other.findings.iter().map(name).collect();
    let mut missing: Vec<FindingName> = Vec::new();
    let looked_for = |finding: &&Finding| has_looked_for(other, finding) && has_tried_runtime(other, finding, this);
    for found in this.findings.iter().filter(looked_for).map(name) {
        if !known.contains(&found) && !missing.contains(&found) {
            missing.push(found);
        }
    }
    missing
}

/// Whether a section that yields such a finding was measured; any document may have one that no section yields.
fn has_looked_for(record: &Record, finding: &Finding) -> bool {
    let mut sections = registry::parts_yielding(&finding.id).peekable();
    if sections.peek().is_none() {
        let is_it = |id: &str| id == finding.id;
        return registry::kinds_of(record).iter().any(|kind| is_it(kind.id))
            || !registry::all_kinds().any(|kind| is_it(kind.id));
    }
    let was_measured = |done: &PartReport| matches!(done.outcome, Outcome::Done | Outcome::Incomplete);
    let measured = || record.parts.iter().filter(|done| was_measured(done)).map(|done| done.part);
    sections.any(|parts| measured().any(|part| parts.iter().any(|row| row.part == part)))
}

/// Whether the runtime that the finding of `this` is about, if any, was tried in `other`: a check tries as many as it has time for.
fn has_tried_runtime(other: &Record, finding: &Finding, this: &Record) -> bool {
    let Some(runtime) = this.runtimes.iter().find(|runtime| is_about(finding, runtime)) else {
        return true;
    };
    other.runtimes.iter().any(|tried| tried.kind == runtime.kind && !tried.out_of_time)
}

fn is_about(finding: &Finding, runtime: &Runtime) -> bool {
    let title = runtime.title();
    finding.subject.as_deref().is_some_and(|subject| {
        subject == title || subject.starts_with(&format!("{title} ")) || subject.ends_with(&format!(" of {title}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::document;
    use crate::rules::judge;
    use chronoscope_probes::RuntimeKind;

    fn record() -> Record {
        document(include_str!("../../../tests/fixtures/record.json")).unwrap()
    }

    fn of_runtimes() -> Record {
        document(include_str!("../../../tests/fixtures/runtimes.json")).unwrap()
    }

    #[test]
    fn a_finding_of_one_document_alone_is_named() {
        let base = record();
        let looked_for = |place: &usize| has_looked_for(&base, &base.findings[*place]);
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
        let mono = other.runtimes.report.iter_mut().find(|runtime| runtime.kind == RuntimeKind::Mono).unwrap();
        (mono.available, mono.out_of_time) = (false, false);
        mono.reason_unavailable = Some("not found".to_owned());
        other.findings.clear();
        assert!(findings_missing(&this, &other).iter().any(is_of_mono), "what was not there before is new");
        other.runtimes.report.iter_mut().for_each(|runtime| runtime.out_of_time = runtime.kind == RuntimeKind::Mono);
        let missing = findings_missing(&this, &other);
        assert!(!missing.iter().any(is_of_mono) && !missing.is_empty(), "{missing:?}");
        other.runtimes.report.retain(|runtime| runtime.kind != RuntimeKind::Mono);
        assert!(!findings_missing(&this, &other).iter().any(is_of_mono), "nobody asked for it");
    }

    #[test]
    fn what_a_section_says_is_not_new_where_it_did_not_run() {
        let this = of_runtimes();
        let mut other = of_runtimes();
        other.findings.clear();
        assert!(findings_missing(&this, &other).iter().any(|it| it.id == "wall_clock_for_intervals"));
        for outcome in [Outcome::Skipped, Outcome::Failed] {
            other.parts.iter_mut().for_each(|part| part.outcome = outcome);
            assert!(findings_missing(&this, &other).iter().all(|it| it.id == "stolen_time"), "{outcome:?}");
        }
        let mut blank = crate::rules::tests::blank();
        judge(&mut blank);
        assert!(findings_missing(&record(), &blank).iter().all(|it| !it.id.contains("runtime")));
    }
}
