//! The kinds of findings.

use std::collections::BTreeSet;

use chronoscope_harness::finding::{Finding, HostState, Kind, Severity};
use chronoscope_harness::rule::Rule;
use chronoscope_harness::{study_against, study_conclusions, study_rules};

use crate::document::Record;
use crate::part::PartRow;
use crate::{engine, judgement, machine, registry, standalone};

/// Every kind that the rules of a check yield, possibly repeated: the order of findings of equal severity.
pub fn of_checks() -> impl Iterator<Item = &'static Kind> {
    let of_judgement = judgement::rules::rules().flat_map(|rule| rule.yields);
    of_judgement.chain(registry::kinds()).chain(kinds_in(machine::rules::RULES)).chain(kinds_in(engine::rules::RULES))
}

/// The kind with this id; None if from another build.
pub fn of_check(id: &str) -> Option<&'static Kind> {
    of_checks().find(|kind| kind.id == id)
}

/// Every kind of finding that this build knows, each once.
pub fn all() -> impl Iterator<Item = &'static Kind> {
    let mut seen = BTreeSet::new();
    of_checks()
        .chain(kinds_in(study_rules::RULES))
        .chain(kinds_in(study_conclusions::RULES))
        .chain(study_against::KINDS)
        .chain(standalone::kinds().flat_map(|(_, kinds)| kinds))
        .filter(move |kind| seen.insert(kind.id))
}

/// The kinds of finding that were looked for in a document of this shape.
pub fn looked_for(record: &Record) -> Vec<&'static Kind> {
    let mut kinds = Vec::new();
    if record.content.is_check() {
        kinds.extend(of_checks());
    }
    if record.content.study.is_some() {
        kinds.extend(kinds_in(study_rules::RULES).chain(kinds_in(study_conclusions::RULES)));
    }
    if record.content.against.is_some() {
        kinds.extend(study_against::KINDS);
    }
    kinds.extend(standalone::kinds().filter(|(is_in, _)| is_in(record)).flat_map(|(_, kinds)| kinds));
    kinds
}

/// The state that `finding` puts a host in. Noise counts even as a notice, because it affects every measurement; other
/// kinds count only as warnings or worse. A kind that this build does not know counts by its severity.
pub fn class_of(finding: &Finding) -> HostState {
    let class = all().find(|kind| finding.is(**kind)).map(|kind| kind.class);
    match (class, finding.severity) {
        (Some(HostState::Noisy), _) => HostState::Noisy,
        (_, Severity::Notice) => HostState::Ok,
        (Some(class), _) => class,
        (None, Severity::Warning) => HostState::Degraded,
        (None, Severity::Critical) => HostState::Broken,
    }
}

/// The parts of each section whose measurements may give findings of the kind `id`.
pub fn parts_yielding(id: &str) -> Vec<&'static [PartRow]> {
    let judged = judgement::rules::of_sections().flat_map(|rule| rule.yields).find(|kind| kind.id == id);
    let of_judged = judged.and_then(|kind| kind.shown_in.first()).map(|section| registry::parts_of(section));
    of_judged.into_iter().chain(registry::parts_yielding(id)).collect()
}

/// The kinds that some rules yield.
pub fn kinds_in<R>(rules: &'static [Rule<R>]) -> impl Iterator<Item = &'static Kind> {
    rules.iter().flat_map(|rule| rule.yields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_harness::finding::{Kind, Meaning, NO_ACTION};

    const X: Meaning = Meaning { about: "x", evidence: "x", mend: NO_ACTION };

    #[test]
    fn a_notice_leaves_a_host_ok_unless_it_tells_of_noise() {
        let class = |kind: Kind| class_of(&Finding::new(kind, "seen"));
        assert_eq!(class(Kind::notice("noisy_machine", X)), HostState::Noisy);
        assert_eq!(class(Kind::notice("part_unavailable", X)), HostState::Ok);
        assert_eq!(class(Kind::warning("part_unavailable", X)), HostState::Unknown);
        assert_eq!(class(Kind::warning("wall_clock_undisciplined", X)), HostState::Degraded);
        assert_eq!(class(Kind::critical("non_causal_read", X)), HostState::Broken);
        assert_eq!(class(Kind::notice("of_a_later_build", X)), HostState::Ok);
        assert_eq!(class(Kind::warning("of_a_later_build", X)), HostState::Degraded);
        assert_eq!(class(Kind::critical("of_a_later_build", X)), HostState::Broken);
    }
}
