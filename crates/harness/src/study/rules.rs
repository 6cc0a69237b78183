//! A study's findings: a row per kind, with the rule that yields it.

use super::words::cell_title;
use crate::finding::{Finding, HostState, Kind, Meaning, NO_ACTION};
use crate::quantity::{PERCENT, RATIO, TIME, count, ns, percent};
use crate::record::study::{CaseFailure, Cell, InterferenceProbe, State, StudyProcess, StudyRecord};
use crate::rule::Rule;

/// Rules for a study's findings, in reading order.
pub const RULES: &[Rule<StudyRecord>] = &[
    Rule { yields: &[NOISY_MACHINE], find: |record| Vec::from_iter(quiet(record)) },
    Rule { yields: &[PART_UNAVAILABLE], find: incomplete },
    Rule { yields: &[MEASURED_ONCE], find: |record| Vec::from_iter(measured_once(record)) },
    Rule { yields: &[INTERRUPTED], find: |record| Vec::from_iter(interrupted(record)) },
    Rule { yields: &[CASE_FAILED], find: failures },
    Rule { yields: &[STATES], find: |record| of_cells(record, states) },
    Rule { yields: &[NO_STEADY_STATE], find: |record| of_cells(record, steady) },
    Rule { yields: &[DRIFTS_OVER_RUN], find: |record| Vec::from_iter(drifts(record)) },
    Rule { yields: &[THREADS_DID_NOT_OVERLAP], find: |record| of_cells(record, overlap) },
    Rule { yields: &[OMISSION_INFLATES], find: |record| of_cells(record, omission) },
    Rule { yields: &[FALSE_ALARMS], find: |record| Vec::from_iter(control(record)) },
    Rule { yields: &[NOT_PINNED], find: |record| Vec::from_iter(not_pinned(record)) },
    Rule { yields: &[BELOW_RESOLUTION], find: |record| of_cells(record, below) },
    Rule { yields: &[OVERSUBSCRIBED], find: |record| of_cells(record, oversubscribed) },
    Rule { yields: &[OWN_THREADS], find: |record| of_cells(record, own_threads) },
    Rule { yields: &[TOKENS_NOT_LINEAR], find: |record| Vec::from_iter(tokens(record)) },
];

pub const NOISY_MACHINE: Kind = Kind::warning(
    "noisy_machine",
    Meaning {
        about: "interruptions, or waits for a CPU, took a noticeable share of the time",
        evidence: "the share of time lost to gaps over 10 µs or waiting for a CPU (`share_of_time`, `share`), \
            the longest gap (`largest_ns`), and what the kernel counted meanwhile; in a study, the share \
            of undisturbed iterations (`quiet_share`)",
        mend: "stop other work on this machine, or pin your measurement to an otherwise idle CPU",
    },
)
.shown_in(&["reads"])
.classed(HostState::Noisy);
pub const PART_UNAVAILABLE: Kind = Kind::warning(
    "part_unavailable",
    Meaning {
        about: "part of the plan was not measured",
        evidence: "the parts concerned, how each ended, and why",
        mend: "allow more time with --duration, or remove the cause",
    },
)
.classed(HostState::Unknown);
pub const MEASURED_ONCE: Kind = Kind::warning(
    "measured_once",
    Meaning {
        about: "the time sufficed for one process only, so there is no interval",
        evidence: "how many cells a single process measured (`cells`)",
        mend: "for intervals use a longer --duration, or fewer cells",
    },
)
.classed(HostState::Unknown);
pub const INTERRUPTED: Kind = Kind::warning(
    "interrupted",
    Meaning {
        about: "the run was interrupted",
        evidence: "which parts are missing or incomplete",
        mend: "run to completion for a full verdict",
    },
)
.classed(HostState::Unknown);
pub const CASE_FAILED: Kind = Kind::warning(
    "case_failed",
    Meaning {
        about: "a case of a study failed",
        evidence: "the case, and why it failed",
        mend: "fix the case: its reason is that of the program, or of the machine",
    },
);
pub const NO_STEADY_STATE: Kind = Kind::warning(
    "no_steady_state",
    Meaning {
        about: "an operation's time depends on how often it has run",
        evidence: "by how much its time changes from the middle third to the last of an iteration, or of a process's iterations (`change_pct`)",
        mend: "measure a fixed number of operations from a fixed state (Mode::Batch) and report time by operation index: a mean depends on the length of the run",
    },
);
pub const DRIFTS_OVER_RUN: Kind = Kind::warning(
    "drifts_over_run",
    Meaning {
        about: "an operation's time drifted from the first process of a run to the last",
        evidence: "the drift from the first process to the last (`drift_over_run_pct`)",
        mend: "keep the CPU's frequency and temperature steady, or compare cases of this run with each other only",
    },
);
pub const OWN_THREADS: Kind = Kind::notice(
    "own_threads",
    Meaning {
        about: "an operation uses threads of its own",
        evidence: "that the operation's process runs more threads than the study started",
        mend: NO_ACTION,
    },
);
pub const THREADS_DID_NOT_OVERLAP: Kind = Kind::warning(
    "threads_did_not_overlap",
    Meaning {
        about: "threads meant to run together did not",
        evidence: "the share of a typical iteration during which all threads ran (`overlap_share`)",
        mend: "use longer iterations (--duration) or fewer threads: little of each iteration counts",
    },
);
pub const OMISSION_INFLATES: Kind = Kind::warning(
    "omission_inflates",
    Meaning {
        about: "timestamps around part of an operation claim a rate that was not reached",
        evidence: "by how much the claimed rate exceeds the one reached (`inflation`)",
        mend: "report external_per_s: the claim omits the time outside the timestamps",
    },
);
pub const FALSE_ALARMS: Kind = Kind::warning(
    "false_alarms",
    Meaning {
        about: "operations compared with themselves differed too often",
        evidence: "the share of comparisons of an operation with itself that report a difference (`false_alarm_share`)",
        mend: "trust only differences several times as large, and run again on a quieter machine",
    },
);
pub const NOT_PINNED: Kind = Kind::notice(
    "not_pinned",
    Meaning {
        about: "threads could not be bound to CPUs",
        evidence: "why threads could not be bound",
        mend: "figures may mix several CPUs; run where sched_setaffinity is allowed",
    },
);
pub const BELOW_RESOLUTION: Kind = Kind::notice(
    "below_resolution",
    Meaning {
        about: "an operation cannot be told from an empty loop",
        evidence: "an upper limit of the operation's time (`below_ns`)",
        mend: "put more work into each operation, or compare it with another one amid other work",
    },
);
pub const OVERSUBSCRIBED: Kind = Kind::notice(
    "oversubscribed",
    Meaning {
        about: "there were more threads than CPUs",
        evidence: "the number of threads (`threads`)",
        mend: "use at most as many threads as CPUs: beyond that, threads wait for a CPU rather than for each other",
    },
);
pub const STATES: Kind = Kind::warning(
    "states",
    Meaning {
        about: "processes fall into groups, each with its own time",
        evidence: "the time and the number of processes of the fastest group (`fastest_ns`, `fastest_processes`) and of the slowest",
        mend: "report every group: which one a process is in is decided when it starts, often by where its code and data lie",
    },
);
pub const TOKENS_NOT_LINEAR: Kind = Kind::notice(
    "tokens_not_linear",
    Meaning {
        about: "backoff time is not linear in its tokens",
        evidence: "the largest deviation of backoff time from a straight line (`deviation_pct`)",
        mend: "read backoff in tokens, not in nanoseconds, and run again",
    },
);

/// Below this share of time running together, a cell's threads hardly overlapped.
const LEAST_OVERLAP: f64 = 0.5;
/// Tokens are linear if no point deviates from the line by more than this, in percent.
const TOKENS_DEVIATE_PCT: f64 = 10.0;
/// Maximum names in a finding about several cells or cases.
const MOST_NAMED: usize = 3;
/// Maximum false alarms, as a share of the control's comparisons.
const MOST_ALARMS: f64 = 0.05;

/// Remarks on a cell, a word or two each.
pub fn marks(cell: &Cell) -> Vec<String> {
    let states = format!("{} states", cell.states.len());
    let marks = [
        (cell.is_without_time(), "see below"),
        (cell.oversubscribed, "oversubscribed"),
        (cell.has_states(), &states),
        (cell.is_unsteady(), "no steady state"),
        (is_apart(cell), "threads apart"),
        (cell.iterations_quiet < cell.iterations.div_ceil(2), "disturbed"),
    ];
    marks.into_iter().filter(|(holds, _)| *holds).map(|(_, words)| words.to_owned()).collect()
}

/// Whether the threads hardly ran concurrently, though each had a CPU: in a typical iteration, for less than half of the
/// time. Such a cell says little about what threads do to each other.
pub fn is_apart(cell: &Cell) -> bool {
    cell.overlap_share.is_some_and(|share| share < LEAST_OVERLAP) && !cell.oversubscribed
}

/// A finding whose advice is that of its kind.
fn advised(kind: Kind, saw: impl Into<String>) -> Finding {
    Finding::new(kind, saw).advice(kind.mend)
}

/// One finding per case, for all cells where a rule yields something; its words come from the first.
fn of_cells(record: &StudyRecord, rule: fn(&Cell) -> Option<Finding>) -> Vec<Finding> {
    let of_case = |case: &String| {
        let cells: Vec<&Cell> = record.study().cells.iter().filter(|cell| cell.case == *case).collect();
        let mut seen = cells.iter().filter_map(|cell| Some((cell_title(&record.study().plan, cell), rule(cell)?)));
        let (name, mut finding) = seen.next()?;
        finding.evidence.summary = format!("{name}: {}", finding.evidence.summary);
        match seen.count() {
            0 => {}
            more => {
                finding.evidence.summary +=
                    &format!("; {} of {} cells like it", count(more as u64 + 1), count(cells.len() as u64))
            }
        }
        Some(finding.about(case))
    };
    record.study().plan.cases.iter().filter_map(of_case).collect()
}

/// The first of several names.
fn some_of(names: impl IntoIterator<Item = String>) -> String {
    let mut names = names.into_iter();
    let first = names.by_ref().take(MOST_NAMED).collect::<Vec<_>>().join("; ");
    if names.next().is_some() { first + "; …" } else { first }
}

fn below(cell: &Cell) -> Option<Finding> {
    let below = cell.below_ns?;
    let saw = format!("{}, which cannot be told from an empty loop", TIME.below(below));
    Some(advised(BELOW_RESOLUTION, saw).value("below_ns", below))
}

fn states(cell: &Cell) -> Option<Finding> {
    let (fastest, slowest) = (cell.states.first()?, cell.states.last()?);
    // Strays are in no group.
    let all = cell.processes.iter().filter(|process| process.number(cell.leads).is_some()).count();
    let said = |state: &State| format!("{} in {}", ns(state.value), count(state.processes.into()));
    let rest: String = cell.states.iter().skip(1).map(|state| format!(", {}", said(state))).collect();
    let saw = format!("{} of {} processes{rest}", said(fastest), count(all as u64));
    let finding = advised(STATES, saw)
        .value("fastest_ns", fastest.value)
        .value("fastest_processes", fastest.processes.into())
        .value("slowest_ns", slowest.value)
        .value("slowest_processes", slowest.processes.into());
    Some(finding)
}

fn steady(cell: &Cell) -> Option<Finding> {
    let steadiness = cell.steadiness?;
    let change = steadiness.change_pct()?;
    let direction = if change.estimate > 0.0 { "rises" } else { "falls" };
    let of = if steadiness.within_process_pct == Some(change) { "a process's iterations" } else { "an iteration" };
    let by = percent(change.estimate.abs());
    let saw = format!("no steady state: the time {direction} by {by} from the middle third of {of} to the last");
    Some(advised(NO_STEADY_STATE, saw).value("change_pct", change.estimate))
}

/// One finding for all: where many cases drift, the machine does.
fn drifts(record: &StudyRecord) -> Option<Finding> {
    let drift_pct = |cell: &Cell| cell.steadiness?.drift_over_run_pct;
    let cells = || record.study().cells.iter().filter_map(|cell| Some((cell, drift_pct(cell)?)));
    let (_, most) = cells().max_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs()))?;
    let (drifted, all, by) = (cells().count(), record.study().cells.len(), PERCENT.signed().value(most));
    let names = some_of(cells().map(|(cell, _)| cell_title(&record.study().plan, cell)));
    let (drifted, all) = (count(drifted as u64), count(all as u64));
    let saw = format!("{drifted} of {all} times drifted from the first process to the last, by up to {by}: {names}");
    Some(advised(DRIFTS_OVER_RUN, saw).value("drift_over_run_pct", most))
}

fn own_threads(cell: &Cell) -> Option<Finding> {
    let saw = "it uses threads of its own, so its measuring threads are not bound to CPUs";
    cell.own_threads.then(|| Finding::new(OWN_THREADS, saw))
}

fn overlap(cell: &Cell) -> Option<Finding> {
    let share = cell.overlap_share.filter(|_| is_apart(cell))?;
    let saw = format!("in a typical iteration all threads overlapped for only {} of the time", percent(100.0 * share));
    Some(advised(THREADS_DID_NOT_OVERLAP, saw).value("overlap_share", share))
}

fn oversubscribed(cell: &Cell) -> Option<Finding> {
    let saw = "more threads than CPUs: times include waiting for a CPU";
    cell.oversubscribed.then(|| advised(OVERSUBSCRIBED, saw).value("threads", cell.threads.into()))
}

fn omission(cell: &Cell) -> Option<Finding> {
    let inflation = cell.part.filter(|part| part.is_inflated())?.inflation;
    let saw = format!("timestamps around part of it claim {} the rate reached", RATIO.amount(&inflation));
    Some(advised(OMISSION_INFLATES, saw).value("inflation", inflation.estimate))
}

fn failures(record: &StudyRecord) -> Vec<Finding> {
    let finding = |failure: &CaseFailure| {
        Finding::new(CASE_FAILED, format!("{}: {}", failure.name(), failure.reason)).about(&failure.case)
    };
    record.study().failures.iter().map(finding).collect()
}

fn incomplete(record: &StudyRecord) -> Vec<Finding> {
    let finding = |process: &StudyProcess| {
        let name = format!("process {}", process.process);
        let reason = process.reason_incomplete.as_ref()?;
        Some(Finding::new(PART_UNAVAILABLE, format!("{name}: {reason}")).about(name))
    };
    record.study().processes.iter().filter_map(finding).collect()
}

fn measured_once(record: &StudyRecord) -> Option<Finding> {
    let study = record.study();
    let processes = |cell: &Cell| cell.processes.iter().filter(|process| process.mean_ns.is_some()).count();
    let once: Vec<&Cell> = study.cells.iter().filter(|cell| processes(cell) == 1).collect();
    if record.interrupted || study.plan.processes < 2 || once.is_empty() {
        return None;
    }
    let of_one_ms = study.measured_ms as f64 / study.processes.len().max(1) as f64;
    // Of each cell a trial and the shortest iteration, and a start.
    let times = study.cells.iter().filter_map(|cell| cell.time_ns);
    let iterations_ms = 30.0 + 3e-6 * times.map(|time| time.estimate).sum::<f64>();
    let enough_s = (of_one_ms.max(iterations_ms) * f64::from(study.plan.processes) / 1e3).ceil();
    let (cells, names) = (study.cells.len(), some_of(once.iter().map(|cell| cell_title(&study.plan, cell))));
    let (some, all) = (count(once.len() as u64), count(cells as u64));
    let said = format!("{some} of {all} cells were measured by a single process: {names}");
    let advice = format!("for intervals use --duration {enough_s}s or more, or fewer cells");
    Some(Finding::new(MEASURED_ONCE, said).value("cells", once.len() as f64).advice(advice))
}

fn interrupted(record: &StudyRecord) -> Option<Finding> {
    let said = "the run was interrupted; results are partial";
    record.interrupted.then(|| Finding::new(INTERRUPTED, said))
}

fn quiet(record: &StudyRecord) -> Option<Finding> {
    let probe = record.study().interference_probe.filter(InterferenceProbe::is_noisy)?;
    let saw = format!(
        "{} of {} iterations with a CPU for each thread were undisturbed; in {} a neighbour shared the core, in {} the core ran slow, in {} a thread lost its CPU \
         (one may count twice)",
        count(probe.iterations_quiet),
        count(probe.iterations),
        count(probe.iterations_shared),
        count(probe.iterations_slow),
        count(probe.iterations_preempted)
    );
    let finding = Finding::new(NOISY_MACHINE, saw).advice("stop other work on this machine, or run again later");
    Some(finding.value("quiet_share", probe.iterations_quiet as f64 / probe.iterations as f64))
}

fn control(record: &StudyRecord) -> Option<Finding> {
    let control = record.study().control.filter(|control| control.comparisons > 0)?;
    let (alarms, comparisons) = (control.alarms, control.comparisons);
    let share = f64::from(alarms) / f64::from(comparisons);
    let (alarms_said, of) = (count(alarms.into()), count(comparisons.into()));
    let saw = format!("{alarms_said} of {of} comparisons of an operation with itself report a difference");
    (alarms > 1 && share > MOST_ALARMS).then(|| advised(FALSE_ALARMS, saw).value("false_alarm_share", share))
}

fn tokens(record: &StudyRecord) -> Option<Finding> {
    let deviation = record.study().tokens.as_ref()?.largest_deviation_pct;
    let saw = format!("backoff time deviates from a straight line by up to {}", percent(deviation));
    (deviation > TOKENS_DEVIATE_PCT).then(|| advised(TOKENS_NOT_LINEAR, saw).value("deviation_pct", deviation))
}

fn not_pinned(record: &StudyRecord) -> Option<Finding> {
    let reason = record.study().processes.iter().find_map(|process| process.disturbance.reason_unpinned.clone())?;
    Some(Finding::new(NOT_PINNED, format!("threads could not be bound to CPUs: {reason}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Estimate;
    use crate::record::study::{CellProcess, OperationPart, Steadiness, StudyReport};
    use crate::rule::conclude;

    /// What is said of a study of the case `relaxed` alone, with its first cells changed.
    fn said(cells: usize, change: fn(&mut Cell)) -> Vec<String> {
        let mut record = crate::record::parse_study(include_str!("../../tests/fixtures/study.json")).unwrap();
        let StudyReport { failures, cells: all, .. } = &mut record.content.study;
        failures.clear();
        all.retain(|cell| cell.case == "relaxed" && cell.threads == 1);
        let sound = conclude(RULES, &record);
        record.content.study.cells.iter_mut().take(cells).for_each(change);
        let found = conclude(RULES, &record).into_iter().filter(|finding| !sound.contains(finding));
        found.map(|finding| finding.evidence.summary).collect()
    }

    fn about(estimate: f64) -> Option<Estimate> {
        Some(Estimate { estimate, low: 0.9 * estimate, high: 1.1 * estimate, confidence: 0.999 })
    }

    fn drifting(pct: f64) -> Option<Steadiness> {
        Some(Steadiness { drift_over_run_pct: Some(pct), ..Steadiness::default() })
    }

    #[test]
    fn a_finding_about_cells_is_said_once_per_case() {
        let below = |cell: &mut Cell| (cell.time_ns, cell.below_ns) = (None, Some(0.41));
        let one = "relaxed, 0 tokens, 1 thread: < 0.410 ns, which cannot be told from an empty loop";
        assert_eq!(said(1, below), [one]);
        assert_eq!(said(3, below), [format!("{one}; 3 of 7 cells like it")]);
    }

    #[test]
    fn counts_are_written_as_everywhere() {
        let mut record = crate::record::parse_study(include_str!("../../tests/fixtures/study.json")).unwrap();
        let probe = InterferenceProbe {
            iterations: 1_669,
            iterations_quiet: 8,
            iterations_shared: 1_661,
            ..Default::default()
        };
        record.content.study.interference_probe = Some(probe);
        let said = quiet(&record).unwrap().evidence.summary;
        assert!(said.starts_with(&format!("8 of {} iterations", count(1_669))), "{said}");
        assert!(said.contains(&format!("in {} a neighbour", count(1_661))), "{said}");
    }

    #[test]
    fn a_time_that_depends_on_how_often_it_ran_is_said_with_its_direction() {
        let rises = said(1, |cell| {
            cell.steadiness = Some(Steadiness { within_process_pct: about(14.2), ..Steadiness::default() });
        });
        let wanted = "relaxed, 0 tokens, 1 thread: no steady state: the time rises by 14.2 % from the middle third of a \
                      process's iterations to the last";
        assert_eq!(rises, [wanted]);
    }

    #[test]
    fn drift_is_one_finding_with_the_first_that_drift() {
        let drifts = |cells| said(cells, |cell| cell.steadiness = drifting(-3.1));
        let all = "of 7 times drifted from the first process to the last, by up to -3.10 %:";
        assert_eq!(drifts(1), [format!("1 {all} relaxed, 0 tokens, 1 thread")]);
        let three = "relaxed, 0 tokens, 1 thread; relaxed, 5 tokens, 1 thread; relaxed, 10 tokens, 1 thread";
        assert_eq!(drifts(3), [format!("3 {all} {three}")]);
        assert_eq!(drifts(4), [format!("4 {all} {three}; …")]);
    }

    #[test]
    fn every_state_is_said_with_its_processes() {
        let said = said(1, |cell| {
            cell.states = vec![State { value: 137.0, processes: 14 }, State { value: 164.0, processes: 7 }];
            cell.processes = (0..22).map(|process| CellProcess::alike(process, 137.0)).collect();
        });
        assert_eq!(
            said,
            ["relaxed, 0 tokens, 1 thread: 137 ns in 14 of 22 processes, 164 ns in 7"],
            "one is in neither"
        );
    }

    #[test]
    fn a_claim_of_a_tenth_more_may_be_the_loop_around_it() {
        fn claiming(cell: &mut Cell, inflation: f64) {
            cell.part = about(inflation).map(|of| OperationPart {
                part_ns: of,
                claimed_per_s: of,
                external_per_s: of,
                inflation: of,
                timed_share: 0.5,
                preemptions_per_iteration: 0.0,
            });
        }
        assert!(said(1, |cell| claiming(cell, 1.2)).is_empty(), "1.08 at least");
        let wanted = "relaxed, 0 tokens, 1 thread: timestamps around part of it claim 2.00× ± 0.20 the rate reached";
        assert_eq!(said(1, |cell| claiming(cell, 2.0)), [wanted]);
    }
}
