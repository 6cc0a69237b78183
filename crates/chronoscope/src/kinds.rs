//! The kinds of findings.

use std::collections::BTreeSet;

use chronoscope_harness::finding::{Finding, HostState, Kind, Severity};
use chronoscope_harness::rule::Rule;
use chronoscope_harness::stats::FEWEST_FOR_STATES;
use chronoscope_harness::{study_against, study_conclusions, study_rules};
use chronoscope_probes::RuntimeKind;

use crate::document::{Outcome, PartReport, Record};
use crate::judgement::rules::of_parts::RuleOfParts;
use crate::judgement::rules::{noise, rules};
use crate::part::Part;
use crate::sections::causality::plan::{LITMUS, OFFSETS};
use crate::sections::runtimes::plan::RUNTIMES;
use crate::{engine, machine, registry, standalone};

/// Every kind that the rules of a check yield, possibly repeated: the order of findings of equal severity.
pub fn of_checks() -> impl Iterator<Item = &'static Kind> {
    let kinds_of = |of_parts: &'static RuleOfParts| of_parts.rule.yields;
    let of_machine = kinds_in(machine::rules::RULES).chain(noise::RULES.iter().flat_map(kinds_of));
    rules().flat_map(kinds_of).chain(registry::kinds()).chain(of_machine).chain(kinds_in(engine::rules::RULES))
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
    if let Some(study) = &record.content.study {
        // Few processes tell no states.
        let is_told = |kind: &&Kind| kind.id != study_rules::STATES.id || study.processes.len() >= FEWEST_FOR_STATES;
        kinds.extend(kinds_in(study_rules::RULES).chain(kinds_in(study_conclusions::RULES)).filter(is_told));
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

/// For each rule that yields the kind `id`, the parts that it looks at: for a section's rule, all of that section.
pub fn parts_yielding(id: &str) -> Vec<Vec<Part>> {
    let of_sections = registry::parts_yielding(id).into_iter().map(|rows| rows.iter().map(|row| row.part).collect());
    let all = rules_across(id).map(|rule| rule.parts.to_vec()).chain(of_sections);
    all.filter(|parts: &Vec<Part>| !parts.is_empty()).collect()
}

/// The rules across sections that yield the kind `id`.
fn rules_across(id: &str) -> impl Iterator<Item = &'static RuleOfParts> {
    rules().chain(noise::RULES).filter(move |of_parts| of_parts.rule.yields.iter().any(|kind| kind.id == id))
}

/// Why a finding of this kind could not have been made in `record`; None if it could.
pub fn reason_not_looked_for(record: &Record, kind: Kind) -> Option<String> {
    if !looked_for(record).contains(&&kind) {
        return Some(format!("`{}` does not look for it", record.command));
    }
    if !record.content.is_check() {
        return None;
    }
    if measured(record).is_empty() {
        return Some("nothing was measured".to_owned());
    }
    let lack_across = || rules_across(kind.id).find_map(|rule| (rule.lack)(record));
    let lack = || registry::lack(kind.id, &record.machine, &record.content.sections).or_else(lack_across);
    reason_unexamined(record, &parts_yielding(kind.id).concat()).or_else(|| lack().map(str::to_owned))
}

/// The parts that measured something.
pub fn measured(record: &Record) -> Vec<Part> {
    let reports = record.content.parts.iter();
    let measured = reports.filter(|report| matches!(report.outcome, Outcome::Done | Outcome::Incomplete));
    measured.map(|report| report.part).collect()
}

/// Why some of `parts` were not examined in `record`; None if all were that there is anything to examine in.
pub fn reason_unexamined(record: &Record, parts: &[Part]) -> Option<String> {
    let reports = record.content.parts.iter().filter(|report| is_settled(record, report));
    let settled: Vec<Part> = reports.map(|report| report.part).collect();
    let missing: Vec<Part> = parts.iter().filter(|part| !settled.contains(part)).copied().collect();
    let first = missing.first()?;
    let in_full = if measured(record).contains(first) { " in full" } else { "" };
    Some(format!("{} not examined{in_full}: {}", first.title(), record.content.reason_missing(&missing)))
}

/// Whether a part was done, or skipped because the machine has nothing for it: no second CPU, or no language runtime but a C compiler.
fn is_settled(record: &Record, report: &PartReport) -> bool {
    let runtimes = record.content.runtimes();
    match (report.outcome, report.part) {
        (Outcome::Skipped, OFFSETS | LITMUS) => record.machine.cpu.online == Some(1),
        (Outcome::Skipped, RUNTIMES) => {
            !runtimes.is_empty() && runtimes.iter().all(|it| it.executable.is_none() || it.kind == RuntimeKind::C)
        }
        (outcome, _) => outcome == Outcome::Done,
    }
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
        assert_eq!(class(Kind::warning("wall_clock_stepped", X)), HostState::Degraded);
        assert_eq!(class(Kind::warning("wall_clock_undisciplined", X)), HostState::Ok);
        assert_eq!(class(Kind::critical("non_causal_read", X)), HostState::Broken);
        assert_eq!(class(Kind::notice("of_a_later_build", X)), HostState::Ok);
        assert_eq!(class(Kind::warning("of_a_later_build", X)), HostState::Degraded);
        assert_eq!(class(Kind::critical("of_a_later_build", X)), HostState::Broken);
    }
}
