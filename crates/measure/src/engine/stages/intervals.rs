use super::{StageError, outcome, readable};
use crate::engine::session::Session;
use crate::estimate::{self, TRIAL_MULTIPLES};
use crate::record::{ClockVerdict, DirectInterval, IntervalTrial, Part, Record};
use crate::stats::Distribution;
use crate::task::interval::{Request, Round};
use crate::task::{Samples, Task, empty};
use crate::worker::WorkerFailure;

const EMPTY_BUDGET_MS: u64 = 300;
/// A claim of this length or more is not tried: hundreds of readings of eight times its length would take too much time.
const LONGEST_CLAIM_TRIED_NS: f64 = 100_000.0;
const TOLERANCES: [f64; 2] = [0.01, 0.1];

/// Claims each clock's shortest interval, then times known work of about that length with it.
pub(super) fn run(session: &mut Session<'_>, record: &mut Record) -> Result<(), StageError> {
    let clocks = readable(record, &session.plan.clocks)?;
    let empties = empty_intervals(session, &clocks)?;
    let mut verdicts: Vec<ClockVerdict> = Vec::new();
    for (name, empty_ns) in clocks.iter().zip(&empties) {
        let clock = record.clocks.iter().find(|clock| clock.name == *name);
        let step =
            clock.filter(|clock| clock.granularity_is_latency == Some(false)).and_then(|clock| clock.granularity_ns);
        let claim = |tolerance| estimate::claimed_interval_ns(empty_ns, step, tolerance);
        let claimed = DirectInterval { within_1pct: claim(TOLERANCES[0]), within_10pct: claim(TOLERANCES[1]) };
        verdicts.push(ClockVerdict::claimed(name, claimed));
    }
    let Some(quiet_turn_ns) = record.harness.as_ref().map(|harness| harness.canary.quiet_turn_ns) else {
        record.verdict.clocks = verdicts;
        return Err(StageError::Skipped("without latencies nothing tells quiet moments from others".to_owned()));
    };
    let to_try = verdicts.iter().filter(|verdict| is_tried(verdict)).count().max(1);
    let budget_ms = budget_ms_per_process(session, to_try);
    let mut reasons = Vec::new();
    for (i, verdict) in verdicts.iter_mut().enumerate() {
        session.goes_on(Part::Intervals, i as f64 / clocks.len() as f64);
        if !is_tried(verdict) {
            verdict.reason_unvalidated = Some(match verdict.claimed_interval_ns.within_1pct {
                Some(_) => "trials of intervals this long would take too much time".to_owned(),
                None => "no two readings of it differed".to_owned(),
            });
            continue;
        }
        if let Err(failure) = try_out(session, verdict, budget_ms, quiet_turn_ns) {
            verdict.reason_unvalidated = Some(failure.to_string());
            reasons.push(format!("{}: {failure}", verdict.name));
        }
    }
    record.verdict.clocks = verdicts;
    outcome(to_try, reasons)
}

/// Tries once more what too busy a moment left unconfirmed: at the end of a run, when a quieter one may have come.
pub(super) fn finish(session: &mut Session<'_>, record: &mut Record) {
    let Some(quiet_turn_ns) = record.harness.as_ref().map(|harness| harness.canary.quiet_turn_ns) else { return };
    let to_try = record.verdict.clocks.iter().filter(|verdict| is_tried(verdict)).count().max(1);
    let budget_ms = budget_ms_per_process(session, to_try);
    let is_open = |verdict: &&mut ClockVerdict| is_tried(verdict) && verdict.reason_unvalidated.is_some();
    for verdict in record.verdict.clocks.iter_mut().filter(is_open) {
        if !session.has_time() {
            return;
        }
        // What was found before stands if this fails.
        let _ = try_out(session, verdict, budget_ms, quiet_turn_ns);
    }
}

fn budget_ms_per_process(session: &Session<'_>, clocks: usize) -> u64 {
    (session.budget_ms(Part::Intervals) / clocks as u64 / u64::from(session.plan.interval_forks.max(1))).max(1)
}

/// Makes trials for `verdict` and writes into it what they confirm.
fn try_out(
    session: &Session<'_>,
    verdict: &mut ClockVerdict,
    budget_ms: u64,
    quiet_turn_ns: f64,
) -> Result<(), WorkerFailure> {
    let trials = trials(session, verdict, budget_ms, quiet_turn_ns)?;
    if !trials.is_empty() {
        confirm(verdict, trials);
    } else if !verdict.validated {
        verdict.reason_unvalidated = Some("the core was shared with a busy neighbour during all trials".to_owned());
    }
    Ok(())
}

fn is_tried(verdict: &ClockVerdict) -> bool {
    verdict.claimed_interval_ns.within_1pct.is_some_and(|claim| claim < LONGEST_CLAIM_TRIED_NS)
}

/// What each clock reads for an empty interval, over several processes.
fn empty_intervals(session: &Session<'_>, clocks: &[String]) -> Result<Vec<Distribution>, WorkerFailure> {
    let mut all: Vec<Vec<f64>> = clocks.iter().map(|_| Vec::new()).collect();
    for _ in 0..session.plan.interval_forks.max(1) {
        let task = Task::Empty(empty::Request { sources: clocks.to_vec() });
        let (samples, _) = session.ask_alone(EMPTY_BUDGET_MS, task, |samples| match samples {
            Samples::Empty(found) => Some(found),
            _ => None,
        })?;
        for ((name, ticks), all) in clocks.iter().zip(samples.clocks).zip(&mut all) {
            let rate = session.rate_of(name);
            all.extend(ticks.into_iter().map(|ticks| rate.ns_of_mean(ticks as f64)));
        }
    }
    Ok(all.into_iter().map(Distribution::of).collect())
}

/// Times known work around both claims of `verdict`, in several processes.
fn trials(
    session: &Session<'_>,
    verdict: &ClockVerdict,
    budget_ms: u64,
    quiet_turn_ns: f64,
) -> Result<Vec<IntervalTrial>, WorkerFailure> {
    let claims = [verdict.claimed_interval_ns.within_1pct, verdict.claimed_interval_ns.within_10pct];
    let lengths: Vec<(f64, f64)> = TOLERANCES
        .into_iter()
        .zip(claims)
        .filter_map(|(tolerance, claim)| Some((tolerance, claim?)))
        .flat_map(|(tolerance, claim)| TRIAL_MULTIPLES.map(|multiple| (tolerance, claim * multiple)))
        .collect();
    let mut rounds: Vec<Vec<(u64, Round)>> = lengths.iter().map(|_| Vec::new()).collect();
    for _ in 0..session.plan.interval_forks.max(1) {
        let lengths_ns = lengths.iter().map(|(_, length)| *length).collect();
        let task = Task::Interval(Request { source: verdict.name.clone(), lengths_ns });
        let (samples, _) = session.ask_alone(budget_ms, task, |samples| match samples {
            Samples::Interval(found) => Some(found),
            _ => None,
        })?;
        let quiet_ticks = estimate::quiet_canary_ticks(quiet_turn_ns, samples.timer_error_ticks, session.timer_rate());
        for (more, all) in samples.lengths.into_iter().zip(&mut rounds) {
            all.extend(more.into_iter().map(|round| (quiet_ticks, round)));
        }
    }
    let rate = session.rate_of(&verdict.name);
    Ok(lengths
        .iter()
        .zip(&rounds)
        .filter_map(|((tolerance, _), rounds)| estimate::trial(rounds, *tolerance, rate))
        .collect())
}

fn confirm(verdict: &mut ClockVerdict, trials: Vec<IntervalTrial>) {
    let confirmed = |tolerance: f64| estimate::confirmed_interval_ns(&trials, tolerance * 100.0);
    verdict.direct_interval_ns =
        DirectInterval { within_1pct: confirmed(TOLERANCES[0]), within_10pct: confirmed(TOLERANCES[1]) };
    verdict.validated = true;
    verdict.reason_unvalidated = None;
    if verdict.direct_interval_ns.within_1pct.is_none() || verdict.direct_interval_ns.within_10pct.is_none() {
        verdict.reason_unvalidated =
            Some("at none of the lengths tried did 95 of 100 readings lie within each tolerance".to_owned());
    }
    verdict.trials = trials;
}
