use std::collections::BTreeMap;

use crate::document::{Outcome, PartReport, Record};
use crate::part::Part;
use crate::probe::runtime::Runtime;
use crate::sections::causality::plan::{LITMUS, OFFSETS};
use crate::sections::runtimes::plan::RUNTIMES;
use chronoscope_harness::finding::{Finding, HostState, Kind, Meaning, Severity};
use chronoscope_harness::rule::Rule;
use chronoscope_harness::study_rules::{INTERRUPTED, NOT_PINNED, PART_UNAVAILABLE};

pub const RULES: &[Rule<Record>] = &[
    Rule { yields: &[NO_WORKERS], find: no_workers },
    Rule { yields: &[ONE_CPU], find: one_cpu },
    Rule { yields: &[NOT_PINNED], find: not_pinned },
    Rule { yields: &[PART_UNAVAILABLE], find: parts_unavailable },
    Rule { yields: &[INTERRUPTED], find: interrupted },
];

pub const ONE_CPU: Kind = Kind::notice(
    "one_cpu",
    Meaning {
        about: "only one CPU is allowed: nothing was tested across CPUs",
        evidence: "the CPUs that the process may use (`cpus`)",
        mend: "allow at least two CPUs",
    },
)
.shown_in(&["causality"]);
pub const NO_WORKERS: Kind = Kind::warning(
    "no_workers",
    Meaning {
        about: "no worker process could be started: everything was measured in one process",
        evidence: "why no process could be started",
        mend: "run where the tool may start child processes",
    },
)
.classed(HostState::Unknown);

fn no_workers(record: &Record) -> Vec<Finding> {
    let finding = |reason: &String| {
        Finding::new(
            NO_WORKERS,
            format!("no worker process could be started, so no interval covers process-to-process variation: {reason}"),
        )
        .advice(NO_WORKERS.mend)
    };
    record.content.reason_no_workers.iter().map(finding).collect()
}

fn one_cpu(record: &Record) -> Vec<Finding> {
    let [cpu] = record.content.plan.cpus.as_slice() else { return Vec::new() };
    if record.machine.cpu.online == Some(1) {
        let saw = format!("the machine has a single CPU, {cpu}: nothing to disagree with");
        return vec![Finding::new(ONE_CPU, saw).value("cpus", 1.0)];
    }
    vec![
        Finding::new(ONE_CPU, format!("only CPU {cpu} is allowed: causality across CPUs was not tested"))
            .value("cpus", 1.0)
            .advice(ONE_CPU.mend),
    ]
}

fn not_pinned(record: &Record) -> Vec<Finding> {
    let mut parts = record.content.parts.iter();
    parts
        .find_map(|report| report.disturbance.reason_unpinned.as_ref())
        .map(|reason| {
            Finding::new(NOT_PINNED, format!("measuring threads could not be bound to a CPU: {reason}"))
                .advice(NOT_PINNED.mend)
        })
        .into_iter()
        .collect()
}

/// One finding per reason, since the same reason often affects several parts.
fn parts_unavailable(record: &Record) -> Vec<Finding> {
    // Cases explained by a single CPU or a stopped run have findings of their own.
    let explained =
        |part: Part| record.interrupted || (record.content.plan.cpus.len() == 1 && matches!(part, OFFSETS | LITMUS));
    let mut by_reason: BTreeMap<&str, Vec<&PartReport>> = BTreeMap::new();
    let is_unexplained = |report: &&PartReport| report.outcome != Outcome::Done && !explained(report.part);
    for report in record.content.parts.iter().filter(is_unexplained) {
        by_reason.entry(report.reason.as_deref().unwrap_or("no reason given")).or_default().push(report);
    }
    by_reason
        .into_iter()
        .map(|(reason, reports)| {
            let told: Vec<String> =
                reports.iter().map(|report| format!("{} ({})", report.part.title(), report.outcome.word())).collect();
            let mut finding =
                Finding::new(PART_UNAVAILABLE, format!("{}: {reason}", told.join(", "))).about(told.join(", "));
            if reports.iter().all(|report| is_excused(record, report)) {
                finding.severity = Severity::Notice;
            }
            finding
        })
        .collect()
}

/// Whether a part was skipped for nothing that failed: no runtime could be measured, but none is at fault.
pub fn is_excused(record: &Record, report: &PartReport) -> bool {
    let is_skipped = (report.part, report.outcome) == (RUNTIMES, Outcome::Skipped);
    is_skipped && !record.content.runtimes().iter().any(Runtime::has_failed)
}

fn interrupted(record: &Record) -> Vec<Finding> {
    if !record.interrupted {
        return Vec::new();
    }
    vec![Finding::new(INTERRUPTED, "the run was interrupted; results are partial").advice(INTERRUPTED.mend)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::{blank, conclude, done};
    use chronoscope_harness::record::Disturbance;

    /// A machine without language runtimes, or a check too short for them, is not faulty.
    #[test]
    fn runtimes_that_are_not_there_fail_no_gate() {
        let mut record = blank();
        let none = done(RUNTIMES, 1, Disturbance::default());
        record.content.parts.push(PartReport { outcome: Outcome::Skipped, reason: Some("none".to_owned()), ..none });
        let java = crate::probe::unasked(chronoscope_probes::RuntimeKind::Java);
        record.content.sections.runtimes.report.push(java);
        let severities = |record: &Record| conclude(record).iter().map(|finding| finding.severity).collect::<Vec<_>>();
        assert_eq!(severities(&record), [Severity::Notice]);
        record.content.sections.runtimes.report[0].executable = Some("/usr/bin/java".to_owned());
        assert_eq!(severities(&record), [Severity::Warning, Severity::Warning]);
        assert!(conclude(&record).iter().any(|finding| finding.is(PART_UNAVAILABLE)));
        record.content.sections.runtimes.report[0].out_of_time = true;
        assert_eq!(severities(&record), [Severity::Notice]);
        record.content.sections.runtimes.report.clear();
        record.content.parts[0].outcome = Outcome::Failed;
        assert_eq!(severities(&record), [Severity::Warning], "no folder for probes");
    }

    #[test]
    fn a_machine_of_one_cpu_is_not_told_to_allow_another() {
        let mut record = blank();
        record.content.plan.cpus = vec![0];
        record.machine.cpu.online = Some(1);
        assert!(one_cpu(&record)[0].is(ONE_CPU) && one_cpu(&record)[0].advice.is_empty());
        record.machine.cpu.online = Some(2);
        assert_eq!(one_cpu(&record)[0].advice.len(), 1);
    }

    #[test]
    fn a_run_in_one_process_on_any_cpu_says_so() {
        let mut record = blank();
        record.content.reason_no_workers = Some("no such file".to_owned());
        let reason_unpinned = Some("sched_setaffinity: EPERM".to_owned());
        record.content.parts.push(done(LITMUS, 100, Disturbance { reason_unpinned, ..Disturbance::default() }));
        let found = conclude(&record);
        assert!(found.len() == 2 && found[0].is(NO_WORKERS) && found[1].is(NOT_PINNED), "{found:?}");
        assert!(found[0].evidence.summary.ends_with("file") && found[1].evidence.summary.ends_with("EPERM"));
    }
}
