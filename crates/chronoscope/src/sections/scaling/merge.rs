//! Merges several passes, which are studies of the same name and cases at different backoffs and thread counts.

use chronoscope_harness::rule::conclude;
use chronoscope_harness::study_conclusions::conclusions;
use chronoscope_harness::study_rules::RULES;

use chronoscope_harness::record::study::{Control, InterferenceProbe, StudyRecord, StudyReport};

/// The passes as one record; None if there are none.
///
/// Common data come from the first pass that has them: machine, clock, length of a token, empty loop. Each pass's own
/// data are appended: cells, comparisons, processes (renumbered), failures, findings. Significance within a family is
/// that within its pass. Of the controls, the coarsest resolution is kept.
pub fn merged(passes: Vec<StudyRecord>) -> Option<StudyRecord> {
    let mut whole = passes.into_iter().reduce(joined)?;
    whole.content.study.conclusions = conclusions(&whole);
    Some(whole)
}

fn joined(mut record: StudyRecord, other: StudyRecord) -> StudyRecord {
    record.elapsed_ms += other.elapsed_ms;
    record.interrupted |= other.interrupted;
    join(&mut record.content.study, other.content.study);
    // Of all passes: what is true of one need not be of the run.
    record.findings = conclude(RULES, &record);
    record
}

fn join(whole: &mut StudyReport, mut next: StudyReport) {
    let offset = whole.processes.len() as u32;
    next.processes.iter_mut().for_each(|process| process.process += offset);
    next.cells.iter_mut().flat_map(|cell| &mut cell.processes).for_each(|process| process.process += offset);
    whole.measured_ms += next.measured_ms;
    let (plan, more) = (&mut whole.plan, next.plan);
    plan.budget_ms += more.budget_ms;
    plan.processes = plan.processes.max(more.processes);
    plan.rounds = plan.rounds.max(more.rounds);
    adopt(&mut plan.cases, more.cases);
    adopt(&mut plan.backoff_tokens, more.backoff_tokens);
    adopt(&mut plan.threads, more.threads);
    adopt(&mut plan.comparisons, more.comparisons);
    plan.backoff_tokens.sort_unstable();
    plan.threads.sort_unstable();
    whole.clock = whole.clock.take().or(next.clock);
    whole.empty_loop_ns = whole.empty_loop_ns.or(next.empty_loop_ns);
    whole.tokens = whole.tokens.take().or(next.tokens);
    whole.interference_probe = both(whole.interference_probe, next.interference_probe, canaries);
    whole.control = both(whole.control, next.control, controls);
    whole.cells.extend(next.cells);
    whole.comparisons.extend(next.comparisons);
    whole.processes.extend(next.processes);
    adopt(&mut whole.failures, next.failures);
}

/// Adds items that are new.
fn adopt<T: PartialEq>(known: &mut Vec<T>, more: Vec<T>) {
    for value in more {
        if !known.contains(&value) {
            known.push(value);
        }
    }
}

fn both<T>(a: Option<T>, b: Option<T>, join: impl Fn(T, T) -> T) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(join(a, b)),
        (a, b) => a.or(b),
    }
}

fn canaries(a: InterferenceProbe, b: InterferenceProbe) -> InterferenceProbe {
    InterferenceProbe {
        iterations: a.iterations + b.iterations,
        iterations_quiet: a.iterations_quiet + b.iterations_quiet,
        iterations_shared: a.iterations_shared + b.iterations_shared,
        iterations_slow: a.iterations_slow + b.iterations_slow,
        iterations_preempted: a.iterations_preempted + b.iterations_preempted,
        quiet_turn_ns: a.quiet_turn_ns.min(b.quiet_turn_ns),
        quiet_link_ns: a.quiet_link_ns.min(b.quiet_link_ns),
    }
}

fn controls(a: Control, b: Control) -> Control {
    // Both figures come from one comparison.
    let coarser = if b.resolvable_pct > a.resolvable_pct { b } else { a };
    Control {
        comparisons: a.comparisons + b.comparisons,
        alarms: a.alarms + b.alarms,
        verdicts_wrong: a.verdicts_wrong + b.verdicts_wrong,
        resolvable_pct: coarser.resolvable_pct,
        resolvable_ns: coarser.resolvable_ns,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_coarser_resolution_is_that_of_one_pass() {
        let of = |resolvable_pct, resolvable_ns| Control {
            comparisons: 4,
            alarms: 0,
            verdicts_wrong: 0,
            resolvable_pct,
            resolvable_ns,
        };
        let whole = controls(of(63.0, 1.2), of(3.0, 778.0));
        assert_eq!((whole.comparisons, whole.resolvable_pct, whole.resolvable_ns), (8, 63.0, 1.2));
    }

    fn record(cells: &str, control: &str) -> StudyRecord {
        let text = include_str!("../../../tests/fixtures/study.json");
        let mut value: serde_json::Value = serde_json::from_str(text).unwrap();
        value["content"]["study"]["cells"].as_array_mut().unwrap().truncate(1);
        value["content"]["study"]["cells"][0]["case"] = cells.into();
        if control.is_empty() {
            value["content"]["study"]["control"] = serde_json::Value::Null;
        }
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn passes_stand_beside_each_other_and_processes_are_numbered_on() {
        let (first, second) = (record("a", "with"), record("b", ""));
        let processes = first.study().processes.len();
        let whole = merged(vec![first.clone(), second]).unwrap();
        assert_eq!(whole.study().cells.iter().map(|cell| cell.case.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        let numbers: Vec<u32> = whole.study().processes.iter().map(|process| process.process).collect();
        assert_eq!(numbers, (0..2 * processes as u32).collect::<Vec<_>>());
        assert!(whole.study().cells[1].processes.iter().all(|process| process.process >= processes as u32));
        assert_eq!(whole.study().control, first.study().control);
        let told: std::collections::BTreeSet<_> =
            whole.findings.iter().map(|finding| (&finding.id, &finding.subject, &finding.evidence.summary)).collect();
        assert_eq!(told.len(), whole.findings.len(), "nothing is said twice");
        assert_eq!(whole.elapsed_ms, 2 * first.elapsed_ms);
        assert!(merged(Vec::new()).is_none());
    }
}
