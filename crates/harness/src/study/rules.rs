//! A study's findings: a row per kind, with the rule that yields it.

use std::time::Duration;

use super::words::cell_name;
use crate::finding::{Finding, HostState, Kind, Meaning, NO_ACTION};
use crate::quantity::{RATIO, TIME, count, ns, percent};
use crate::record::study::{
    CaseFailure, Cell, InterferenceProbe, Parameters, State, StudyProcess, StudyRecord, StudyReport,
};
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
    Rule { yields: &[DRIFTS_OVER_RUN], find: drifts },
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
        about: "interruptions took much of the time",
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
        about: "part of the plan could not be measured, or not completely",
        evidence: "the parts concerned, how each ended, and why",
        mend: "remove the cause that the finding names, or allow more time with --duration",
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
        mend: "mend the case: its reason is that of the program, or of the machine",
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
        mend: "put more work into each operation, or compare it with another operation under backoff",
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
/// A claim that exceeds the actual rate by more than this factor is impossible on any machine.
const INFLATED: f64 = 1.1;
/// Tokens are linear if no point deviates from the line by more than this, in percent.
const TOKENS_DEVIATE_PCT: f64 = 10.0;
/// Cells that are named where a finding is about several.
const MOST_NAMED: usize = 3;
/// Minimum number of drifting operations for the machine to be blamed.
const FEWEST_OF_MACHINE: usize = 3;
/// Maximum false alarms, as a share of the control's comparisons.
const MOST_ALARMS: f64 = 0.05;
/// Remarks on a cell, a word or two each.
pub fn marks(cell: &Cell) -> Vec<String> {
    let mut marks = Vec::new();
    let mut mark = |holds: bool, words: &dyn Fn() -> String| marks.extend(holds.then(words));
    mark(cell.is_without_time(), &|| "see below".to_owned());
    mark(cell.oversubscribed, &|| "oversubscribed".to_owned());
    mark(cell.has_states(), &|| format!("{} states", cell.states.len()));
    mark(cell.is_unsteady(), &|| "no steady state".to_owned());
    mark(is_apart(cell), &|| "threads apart".to_owned());
    mark(cell.iterations_quiet < cell.iterations.div_ceil(2), &|| "disturbed".to_owned());
    marks
}

/// Whether the threads hardly ran concurrently, though each had a CPU: in a typical iteration, for less than half of the
/// time. Such a cell says little about what threads do to each other.
pub fn is_apart(cell: &Cell) -> bool {
    cell.overlap_share.is_some_and(|share| share < LEAST_OVERLAP) && !cell.oversubscribed
}

/// One finding per case, for all cells where a rule yields something; its words come from the first.
fn of_cells(record: &StudyRecord, rule: fn(&Cell) -> Option<Finding>) -> Vec<Finding> {
    let of_case = |case: &String| {
        let cells: Vec<&Cell> = record.study().cells.iter().filter(|cell| cell.case == *case).collect();
        let mut seen = cells.iter().filter_map(|cell| {
            Some((record.study().plan.place(&cell.parameters, cell.backoff_tokens, cell.threads), rule(cell)?))
        });
        let (at, mut finding) = seen.next()?;
        let name = if at.is_empty() { case.clone() } else { format!("{case} ({at})") };
        finding.evidence.summary = format!("{name}: {}", finding.evidence.summary);
        match seen.count() {
            0 => {}
            more => finding.evidence.summary += &format!("; {} of {} cells like it", more + 1, cells.len()),
        }
        Some(finding.about(case))
    };
    record.study().plan.cases.iter().filter_map(of_case).collect()
}

fn below(cell: &Cell) -> Option<Finding> {
    let below = cell.below_ns?;
    let saw = format!("{}, which cannot be told from an empty loop", TIME.below(below));
    Some(Finding::new(BELOW_RESOLUTION, saw).value("below_ns", below).advice(BELOW_RESOLUTION.mend))
}

fn states(cell: &Cell) -> Option<Finding> {
    let (fastest, slowest) = (cell.states.first()?, cell.states.last()?);
    let all = cell.states.iter().map(|state| u64::from(state.processes)).sum::<u64>();
    let of = |(at, state): (usize, &State)| {
        let words = if at == 0 { format!(" of {} processes", count(all)) } else { String::new() };
        format!("{} in {}{words}", ns(state.value), count(state.processes.into()))
    };
    let saw = cell.states.iter().enumerate().map(of).collect::<Vec<_>>().join(", ");
    let finding = Finding::new(STATES, saw)
        .value("fastest_ns", fastest.value)
        .value("fastest_processes", fastest.processes.into())
        .value("slowest_ns", slowest.value)
        .value("slowest_processes", slowest.processes.into());
    Some(finding.advice(STATES.mend))
}

fn steady(cell: &Cell) -> Option<Finding> {
    let change = cell.steadiness?.change_pct()?;
    let finding = Finding::new(NO_STEADY_STATE, changes(cell)?).value("change_pct", change.estimate);
    Some(finding.advice(NO_STEADY_STATE.mend))
}

/// How the time of a cell depends on how often it has run, in words; None if it is not known to.
pub(super) fn changes(cell: &Cell) -> Option<String> {
    let steadiness = cell.steadiness?;
    let change = steadiness.change_pct()?;
    let direction = if change.estimate > 0.0 { "rises" } else { "falls" };
    let of = if steadiness.within_process_pct == Some(change) { "a process's iterations" } else { "an iteration" };
    let by = percent(change.estimate.abs());
    Some(format!("no steady state: the time {direction} by {by} from the middle third of {of} to the last"))
}

/// Where most operations drift, the machine does: one finding for all of them.
fn drifts(record: &StudyRecord) -> Vec<Finding> {
    let StudyReport { cells, plan, .. } = record.study();
    let drift_pct = |cell: &Cell| cell.steadiness?.drift_over_run_pct;
    let drifted = |case: &&String| cells.iter().any(|cell| cell.case == **case && drift_pct(cell).is_some());
    let (cases, all) = (plan.cases.iter().filter(drifted).count(), plan.cases.len());
    if cases < FEWEST_OF_MACHINE || 2 * cases <= all {
        return of_cells(record, drift);
    }
    let largest = cells.iter().filter_map(drift_pct).max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(0.0);
    let saw = format!(
        "the times of {cases} of {all} operations drifted over the run, by up to {}: the machine changed",
        percent(largest.abs())
    );
    vec![Finding::new(DRIFTS_OVER_RUN, saw).value("drift_over_run_pct", largest).advice(DRIFTS_OVER_RUN.mend)]
}

fn drift(cell: &Cell) -> Option<Finding> {
    let drift_pct = cell.steadiness?.drift_over_run_pct?;
    let direction = if drift_pct > 0.0 { "rose" } else { "fell" };
    let saw = format!("{direction} by {} from the first process to the last", percent(drift_pct.abs()));
    Some(Finding::new(DRIFTS_OVER_RUN, saw).value("drift_over_run_pct", drift_pct).advice(DRIFTS_OVER_RUN.mend))
}

fn own_threads(cell: &Cell) -> Option<Finding> {
    let saw = "it uses threads of its own, so its measuring threads are not bound to CPUs";
    cell.own_threads.then(|| Finding::new(OWN_THREADS, saw))
}

fn overlap(cell: &Cell) -> Option<Finding> {
    let share = cell.overlap_share.filter(|_| is_apart(cell))?;
    let saw = format!("in a typical iteration all threads overlapped for only {} of the time", percent(100.0 * share));
    let finding = Finding::new(THREADS_DID_NOT_OVERLAP, saw).value("overlap_share", share);
    Some(finding.advice(THREADS_DID_NOT_OVERLAP.mend))
}

fn oversubscribed(cell: &Cell) -> Option<Finding> {
    cell.oversubscribed.then(|| {
        Finding::new(OVERSUBSCRIBED, "more threads than CPUs: times include waiting for a CPU")
            .value("threads", cell.threads.into())
            .advice(OVERSUBSCRIBED.mend)
    })
}

fn omission(cell: &Cell) -> Option<Finding> {
    let inflation = cell.part.filter(|part| part.is_inflated())?.inflation;
    (inflation.low > INFLATED).then(|| {
        let saw = format!("timestamps around part of it claim {} the rate reached", RATIO.amount(&inflation));
        Finding::new(OMISSION_INFLATES, saw).value("inflation", inflation.estimate).advice(OMISSION_INFLATES.mend)
    })
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
    let processes = |cell: &Cell| cell.processes.iter().filter(|process| process.mean_ns.is_some()).count();
    let once: Vec<&Cell> = record.study().cells.iter().filter(|cell| processes(cell) == 1).collect();
    if record.interrupted || record.study().plan.processes < 2 || once.is_empty() {
        return None;
    }
    let name = |cell: &&Cell| {
        let at = record.study().plan.place(&Parameters::new(), cell.backoff_tokens, cell.threads);
        if at.is_empty() { cell_name(cell) } else { format!("{} ({at})", cell_name(cell)) }
    };
    let mut names: Vec<String> = once.iter().take(MOST_NAMED).map(name).collect();
    if once.len() > MOST_NAMED {
        names.push(format!("{} more", once.len() - MOST_NAMED));
    }
    let study = record.study();
    let of_one_ms = study.measured_ms as f64 / study.processes.len().max(1) as f64;
    // Of each cell a trial and the shortest iteration, and a start.
    let iterations_ms =
        30.0 + 3e-6 * study.cells.iter().filter_map(|cell| cell.time_ns).map(|time| time.estimate).sum::<f64>();
    let enough = Duration::from_secs_f64(of_one_ms.max(iterations_ms) * f64::from(study.plan.processes) / 1e3);
    let (cells, names) = (study.cells.len(), names.join(", "));
    let said = format!("{} of {cells} cells were measured by a single process: {names}", once.len());
    let advice = format!("for intervals use --duration {}s or more, or fewer cells", enough.as_secs_f64().ceil());
    Some(Finding::new(MEASURED_ONCE, said).value("cells", once.len() as f64).advice(advice))
}

fn interrupted(record: &StudyRecord) -> Option<Finding> {
    let said = "the run was interrupted; results are partial";
    record.interrupted.then(|| Finding::new(INTERRUPTED, said))
}

fn quiet(record: &StudyRecord) -> Option<Finding> {
    let interference_probe = record.study().interference_probe.filter(InterferenceProbe::is_noisy)?;
    let saw = format!(
        "{} of {} iterations were undisturbed: in {} a neighbour shared the core, in {} the core ran slow, in {} a \
         thread lost its CPU",
        interference_probe.iterations_quiet,
        interference_probe.iterations,
        interference_probe.iterations_shared,
        interference_probe.iterations_slow,
        interference_probe.iterations_preempted
    );
    let finding = Finding::new(NOISY_MACHINE, saw)
        .value("quiet_share", interference_probe.iterations_quiet as f64 / interference_probe.iterations as f64);
    Some(finding.advice("stop other work on this machine, or run again later"))
}

fn control(record: &StudyRecord) -> Option<Finding> {
    let control = record.study().control.filter(|control| control.comparisons > 0)?;
    let share = f64::from(control.alarms) / f64::from(control.comparisons);
    (control.alarms > 1 && share > MOST_ALARMS).then(|| {
        Finding::new(
            FALSE_ALARMS,
            format!(
                "{} of {} comparisons of an operation with itself report a difference",
                control.alarms, control.comparisons
            ),
        )
        .value("false_alarm_share", share)
        .advice(FALSE_ALARMS.mend)
    })
}

fn tokens(record: &StudyRecord) -> Option<Finding> {
    let deviation = record.study().tokens.as_ref()?.largest_deviation_pct;
    (deviation > TOKENS_DEVIATE_PCT).then(|| {
        Finding::new(
            TOKENS_NOT_LINEAR,
            format!("backoff time deviates from a straight line by up to {}", percent(deviation)),
        )
        .value("deviation_pct", deviation)
        .advice(TOKENS_NOT_LINEAR.mend)
    })
}

fn not_pinned(record: &StudyRecord) -> Option<Finding> {
    let reason = record.study().processes.iter().find_map(|process| process.disturbance.reason_unpinned.clone())?;
    Some(Finding::new(NOT_PINNED, format!("threads could not be bound to CPUs: {reason}")))
}
