use super::empty;
use super::task::{Request, Round};
use crate::answers::report::{ClockVerdict, ShortestInterval, Tolerance};
use crate::clock_id::ClockId;
use crate::document::Record;
use crate::engine::session::Session;
use crate::engine::stages::{StageError, outcome, readable};
use crate::sections::clocks::intervals::estimate::{self, Quiet};
use crate::sections::clocks::plan::INTERVALS;
use crate::sections::clocks::report::ClockReport;
use chronoscope_harness::stats::Distribution;
use chronoscope_harness::worker::WorkerFailure;

const EMPTY_BUDGET_MS: u64 = 300;

/// Claims each clock's shortest interval, then times known work of about that length with it.
pub fn run(session: &mut Session<'_>, record: &mut Record) -> Result<(), StageError> {
    let processes = record.clocks.plan.interval_forks.max(1);
    let clocks = readable(record, &record.plan.clocks)?;
    let empties = empty_intervals(session, processes, &clocks)?;
    let mut verdicts: Vec<ClockVerdict> = Vec::new();
    for (name, empty_ns) in clocks.iter().zip(&empties) {
        let clock = record.clocks.iter().find(|clock| clock.name == *name);
        let step = clock.and_then(ClockReport::moves_in_ns);
        let claimed = estimate::claimed_intervals(empty_ns, step);
        verdicts.push(ClockVerdict::claimed(name.clone(), claimed));
    }
    let Some(quiet_turn_ns) = record.clocks.harness.as_ref().map(|harness| harness.interference.quiet_turn_ns) else {
        const REASON: &str = "without latencies, disturbed readings cannot be told from undisturbed ones";
        verdicts.iter_mut().for_each(|verdict| estimate::confirm(verdict, Vec::new(), REASON));
        record.verdict.clocks = verdicts;
        return Err(StageError::Skipped(REASON.to_owned()));
    };
    let to_try = verdicts.iter().filter(|verdict| !open(verdict).is_empty()).count().max(1);
    let budget_ms = budget_ms_per_process(session, processes, to_try);
    let mut reasons = Vec::new();
    for (i, verdict) in verdicts.iter_mut().enumerate() {
        session.goes_on(INTERVALS, i as f64 / clocks.len() as f64);
        if open(verdict).is_empty() {
            estimate::confirm(verdict, Vec::new(), "");
            continue;
        }
        if let Err(failure) = try_out(session, processes, verdict, budget_ms, quiet_turn_ns) {
            estimate::confirm(verdict, Vec::new(), &failure.to_string());
            reasons.push(format!("{}: {failure}", verdict.name));
        }
    }
    record.verdict.clocks = verdicts;
    outcome(to_try, reasons)
}

/// Retries unconfirmed intervals at the end of a run, when it may be quieter, also with longer intervals.
pub fn finish(session: &mut Session<'_>, record: &mut Record) {
    let processes = record.clocks.plan.interval_forks.max(1);
    let Some(quiet_turn_ns) = record.clocks.harness.as_ref().map(|harness| harness.interference.quiet_turn_ns) else {
        return;
    };
    let to_try = record.verdict.clocks.iter().filter(|verdict| !open(verdict).is_empty()).count().max(1);
    let left_ms = session.time_left().as_millis() as u64 / to_try as u64 / u64::from(processes);
    let budget_ms = budget_ms_per_process(session, processes, to_try).min(left_ms).max(1);
    for verdict in record.verdict.clocks.iter_mut().filter(|verdict| !open(verdict).is_empty()) {
        if !session.has_time() {
            return;
        }
        // Earlier results are kept if this fails.
        let _ = try_out(session, processes, verdict, budget_ms, quiet_turn_ns);
    }
}

fn budget_ms_per_process(session: &Session<'_>, processes: u32, clocks: usize) -> u64 {
    (session.budget_ms(INTERVALS) / clocks as u64 / u64::from(processes)).max(1)
}

/// The tolerances whose claim can be tried and is not confirmed yet.
fn open(verdict: &ClockVerdict) -> Vec<Tolerance> {
    let is_confirmed = |tolerance| matches!(verdict.shortest(tolerance), ShortestInterval::Confirmed(_));
    let is_tried = |tolerance: Tolerance| estimate::is_tried(tolerance.of(&verdict.claimed_interval_ns));
    Tolerance::ALL.into_iter().filter(|tolerance| is_tried(*tolerance) && !is_confirmed(*tolerance)).collect()
}

/// Each clock's readings of empty intervals, over several processes.
fn empty_intervals(
    session: &Session<'_>,
    processes: u32,
    clocks: &[ClockId],
) -> Result<Vec<Distribution>, WorkerFailure> {
    let mut all: Vec<Vec<f64>> = clocks.iter().map(|_| Vec::new()).collect();
    for _ in 0..processes {
        let (samples, _) = session.ask_alone(EMPTY_BUDGET_MS, &empty::Request(clocks.to_vec()))?;
        for ((name, ticks), all) in clocks.iter().zip(samples).zip(&mut all) {
            let rate = session.rate_of(name);
            all.extend(ticks.into_iter().map(|ticks| rate.ns_of_mean(ticks as f64)));
        }
    }
    Ok(all.into_iter().map(Distribution::of).collect())
}

/// Times known work around the open claims of `verdict`, in several processes, and records which are confirmed.
fn try_out(
    session: &Session<'_>,
    processes: u32,
    verdict: &mut ClockVerdict,
    budget_ms: u64,
    quiet_turn_ns: f64,
) -> Result<(), WorkerFailure> {
    let lengths = estimate::trial_lengths(verdict, &open(verdict));
    let error_ns = estimate::claimed_error_ns(verdict);
    let mut rounds: Vec<Vec<(Quiet, Round)>> = lengths.iter().map(|_| Vec::new()).collect();
    for _ in 0..processes {
        let lengths_ns = lengths.iter().map(|(_, length)| *length).collect();
        let request = Request { source: verdict.name.clone(), lengths_ns };
        let (samples, _) = session.ask_alone(budget_ms, &request)?;
        let (timer_error_ticks, timer_rate) = (samples.timer_error_ticks, session.timer_rate());
        let quiet = Quiet {
            probe_ticks: estimate::quiet_probe_ticks(quiet_turn_ns, timer_error_ticks, timer_rate),
            work_ns: error_ns + timer_rate.ns_of_mean(2.0 * timer_error_ticks as f64),
        };
        for (more, all) in samples.lengths.into_iter().zip(&mut rounds) {
            all.extend(more.into_iter().map(|round| (quiet, round)));
        }
    }
    let trials = estimate::trials(&lengths, &rounds, session.rate_of(&verdict.name));
    estimate::confirm(verdict, trials, estimate::reason_no_trial(&rounds));
    Ok(())
}
