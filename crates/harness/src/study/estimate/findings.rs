use crate::finding::{Finding, FindingId};
use crate::record::study::{Cell, StudyRecord};
use crate::words::ns;

/// Of fewer processes whose series were long enough nothing is said about all of them.
const FEWEST_JUDGED: u32 = 3;
/// Threads of a cell ran together for less than this share of the time.
const LEAST_OVERLAP: f64 = 0.5;
/// Batches of one process depend on each other from this autocorrelation on.
const AUTOCORRELATED: f64 = 0.5;
/// A second mode with a larger share is named.
const SECOND_MODE_SHARE: f64 = 0.1;
/// A claim that exceeds what was done by more than this factor is one that no machine reaches.
const INFLATED: f64 = 1.1;
/// Tokens are linear if no point lies farther from the line than this, in percent.
const TOKENS_DEVIATE_PCT: f64 = 10.0;
/// Fewer quiet visits than this share, and the core was hardly ever the program's own.
const LEAST_QUIET_SHARE: f64 = 0.5;
/// False alarms beyond this share of the control's comparisons.
const MOST_ALARMS: f64 = 0.05;

/// Everything that follows from `record`, gravest first.
pub(in crate::study) fn conclude(record: &StudyRecord) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    found.extend(failures(record));
    found.extend(record.interrupted.then(|| {
        Finding::new(FindingId::Interrupted, "the run was stopped before its end; what was measured until then counts")
    }));
    found.extend(quiet(record));
    found.extend(control(record));
    found.extend(tokens(record));
    found.extend(not_pinned(record));
    for rule in [below, steady, overlap, crowded, modes, omission, autocorrelated] {
        found.extend(gathered(record, rule));
    }
    found.sort_by(|a, b| b.severity.cmp(&a.severity).then(a.id.cmp(&b.id)).then(a.subject.cmp(&b.subject)));
    found
}

/// What one cell gives rise to: the kind, in words, and a number.
type Rule = fn(&Cell) -> Option<(FindingId, String, &'static str, f64)>;

/// One finding per case for all of its cells that a rule finds something in; the first of them speaks.
fn gathered(record: &StudyRecord, rule: Rule) -> Vec<Finding> {
    let mut found = Vec::new();
    for case in &record.plan.cases {
        let cells: Vec<&Cell> = record.cells.iter().filter(|cell| cell.case == *case).collect();
        let seen: Vec<_> = cells.iter().filter_map(|cell| rule(cell).map(|seen| (*cell, seen))).collect();
        if let Some((cell, (id, words, name, value))) = seen.first() {
            let at = place(cell);
            let more = if seen.len() > 1 {
                format!("; {} of {} cells like it", seen.len(), cells.len())
            } else {
                String::new()
            };
            let finding =
                Finding::new(*id, format!("{case} ({at}): {words}{more}")).about(case.clone()).value(name, *value);
            found.push(advise(finding, *id));
        }
    }
    found
}

/// Which of a case's cells it is.
fn place(cell: &Cell) -> String {
    let some = |number: u64, one: &str| if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") };
    let parameters = cell.parameters.iter().map(|(name, value)| format!("{name} {value}"));
    let numbers = [some(cell.backoff_tokens, "token"), some(cell.threads.into(), "thread")];
    parameters.chain(numbers).collect::<Vec<_>>().join(", ")
}

fn advise(finding: Finding, id: FindingId) -> Finding {
    match id {
        FindingId::BelowResolution => finding.advice(
            "time more work per operation, or compare it with another operation under backoff: no single number would be true",
        ),
        FindingId::NoSteadyState => finding.advice(
            "measure a fixed number of operations from a fixed state (Mode::Batch), and report time as a function of the \
             operation's index: a mean over a time depends on how long that is",
        ),
        FindingId::ThreadsDidNotOverlap => {
            finding.advice("use longer visits (--duration), or fewer threads: little of each visit counts")
        }
        FindingId::Oversubscribed => {
            finding.advice("compare with no more threads than CPUs: beyond, threads wait for a CPU, and not for each other")
        }
        FindingId::OmissionInflates => finding.advice("report external_per_s: the claim leaves out the time between the stamps"),
        FindingId::Bimodal => finding.advice("look at the modes: one number stands for neither"),
        _ => finding,
    }
}

fn below(cell: &Cell) -> Option<(FindingId, String, &'static str, f64)> {
    let below = cell.below_ns?;
    let words = format!("less than {below:.2} ns: it cannot be told from a loop with nothing in it");
    Some((FindingId::BelowResolution, words, "below_ns", below))
}

fn steady(cell: &Cell) -> Option<(FindingId, String, &'static str, f64)> {
    let steady = cell.steadiness?;
    let never = steady.no_steady_state + steady.trend;
    let judged = never + steady.flat + steady.warm_up + steady.slow_down;
    let words = format!("{never} of {judged} processes reach no steady state");
    (judged >= FEWEST_JUDGED && never * 2 > judged).then_some((
        FindingId::NoSteadyState,
        words,
        "forks_never_steady",
        f64::from(never),
    ))
}

fn overlap(cell: &Cell) -> Option<(FindingId, String, &'static str, f64)> {
    let share = cell.overlap_share.filter(|share| *share < LEAST_OVERLAP && !cell.oversubscribed)?;
    let words = format!("in a typical visit all threads ran at once for {:.0} % of the time only", share * 100.0);
    Some((FindingId::ThreadsDidNotOverlap, words, "overlap_share", share))
}

fn crowded(cell: &Cell) -> Option<(FindingId, String, &'static str, f64)> {
    let words = "more threads than CPUs: they take turns, and an operation's time holds the wait for a CPU".to_owned();
    cell.oversubscribed.then_some((FindingId::Oversubscribed, words, "threads", f64::from(cell.threads)))
}

fn modes(cell: &Cell) -> Option<(FindingId, String, &'static str, f64)> {
    let (first, second) = (cell.modes.first()?, cell.modes.get(1).filter(|mode| mode.share >= SECOND_MODE_SHARE)?);
    if cell.oversubscribed {
        return None;
    }
    let words = format!(
        "batches gather around {} and {} ({:.0} % of them)",
        ns(first.at_ns),
        ns(second.at_ns),
        second.share * 100.0
    );
    Some((FindingId::Bimodal, words, "second_mode_ns", second.at_ns))
}

fn omission(cell: &Cell) -> Option<(FindingId, String, &'static str, f64)> {
    let inflation = cell.part?.inflation;
    let words = format!(
        "stamps around a part claim {:.2} times ({:.2} to {:.2}) the rate that was reached",
        inflation.estimate, inflation.low, inflation.high
    );
    (inflation.low > INFLATED).then_some((FindingId::OmissionInflates, words, "inflation", inflation.estimate))
}

fn autocorrelated(cell: &Cell) -> Option<(FindingId, String, &'static str, f64)> {
    let lag_1 = cell.autocorrelation.filter(|lag_1| *lag_1 > AUTOCORRELATED)?;
    let words =
        format!("batches resemble their neighbours (lag 1: {lag_1:.2}); the interval is over processes and unharmed");
    Some((FindingId::Autocorrelated, words, "autocorrelation", lag_1))
}

fn failures(record: &StudyRecord) -> Vec<Finding> {
    let cases = record.failures.iter().map(|failure| {
        let said = format!("{} ({}): {}", failure.case, failure.at, failure.reason);
        Finding::new(FindingId::CaseFailed, said).about(failure.case.clone())
    });
    let forks = record.forks.iter().filter_map(|fork| {
        let reason = fork.reason_incomplete.as_ref()?;
        Some(
            Finding::new(FindingId::PartUnavailable, format!("process {}: {reason}", fork.fork))
                .about(format!("process {}", fork.fork)),
        )
    });
    cases.chain(forks).collect()
}

fn quiet(record: &StudyRecord) -> Option<Finding> {
    let canary = record.canary.filter(|canary| canary.visits > 0)?;
    let share = canary.visits_quiet as f64 / canary.visits as f64;
    (share < LEAST_QUIET_SHARE).then(|| {
        Finding::new(
            FindingId::NoisyMachine,
            format!(
                "{} of {} visits were quiet: in {} a neighbour took a part of the core, in {} it ran slow, in {} a thread \
                 was taken off its CPU",
                canary.visits_quiet, canary.visits, canary.visits_shared, canary.visits_slow, canary.visits_preempted
            ),
        )
        .value("quiet_share", share)
        .advice("stop what else runs here, or run again at another time: --duration gives quiet moments more of a chance")
    })
}

fn control(record: &StudyRecord) -> Option<Finding> {
    let control = record.control.filter(|control| control.comparisons > 0)?;
    let share = f64::from(control.alarms) / f64::from(control.comparisons);
    (control.alarms > 1 && share > MOST_ALARMS).then(|| {
        Finding::new(
            FindingId::FalseAlarms,
            format!(
                "{} of {} comparisons of an operation with itself say that it differs",
                control.alarms, control.comparisons
            ),
        )
        .value("false_alarm_share", share)
        .advice("believe no difference that is not several times as large as these, and run again on a quieter machine")
    })
}

fn tokens(record: &StudyRecord) -> Option<Finding> {
    let deviation = record.tokens.as_ref()?.largest_deviation_pct;
    (deviation > TOKENS_DEVIATE_PCT).then(|| {
        Finding::new(
            FindingId::TokensNotLinear,
            format!("a number of tokens lies {deviation:.0} % off the straight line"),
        )
        .value("deviation_pct", deviation)
        .advice("read backoff in tokens, not in nanoseconds, and run again")
    })
}

fn not_pinned(record: &StudyRecord) -> Option<Finding> {
    let reason = record.forks.iter().find_map(|fork| fork.disturbance.reason_unpinned.clone())?;
    Some(Finding::new(FindingId::NotPinned, format!("threads could not be bound to CPUs: {reason}")))
}
