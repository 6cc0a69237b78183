use super::empty;
use super::task::IntervalsTask;
use crate::clock_id::ClockId;
use crate::engine::session::Session;
use crate::engine::stages::{Found, StageError, outcome};
use crate::sections::clocks::plan::{INTERVAL_PROCESSES, INTERVALS};
use crate::sections::clocks::report::ClocksReport;
use chronoscope_harness::estimators::intervals::{
    Quiet, Round, TimedIntervals, claimed_intervals, quiet_probe_ticks, reason_no_trial, trials,
};
use chronoscope_harness::stats::Distribution;
use chronoscope_harness::worker::WorkerFailure;

const EMPTY_BUDGET_MS: u64 = 300;

/// Claims each clock's shortest interval, then times known work of about that length with it.
pub fn run(session: &mut Session<'_>, mut report: ClocksReport) -> Found<ClocksReport> {
    let processes = INTERVAL_PROCESSES;
    let clocks = session.readable(&session.plan.clocks)?;
    for (name, empty_ns) in clocks.iter().zip(empty_intervals(session, processes, &clocks)?) {
        let Some(clock) = report.clock_mut(name) else { continue };
        clock.intervals = Some(TimedIntervals::claimed(claimed_intervals(&empty_ns, clock.moves_in_ns())));
    }
    let quiet_turn_ns = report.harness.as_ref().map(|harness| harness.interference.slowest_quiet_turn_ns());
    let Some(quiet_turn_ns) = quiet_turn_ns else {
        const REASON: &str = "without latencies, disturbed readings cannot be told from undisturbed ones";
        claims(&mut report).for_each(|(.., timed)| timed.confirm(Vec::new(), REASON));
        return Ok((report, Err(StageError::Skipped(REASON.to_owned()))));
    };
    let to_try = open(&mut report).max(1);
    let budget_ms = budget_ms_per_process(session, processes, to_try);
    let mut reasons = Vec::new();
    for (i, (name, step_ns, timed)) in claims(&mut report).enumerate() {
        session.goes_on(INTERVALS, i as f64 / clocks.len() as f64);
        if timed.open().is_empty() {
            timed.confirm(Vec::new(), "");
            continue;
        }
        if let Err(failure) = try_out(session, processes, (name, step_ns, timed), budget_ms, quiet_turn_ns) {
            timed.confirm(Vec::new(), &failure.to_string());
            reasons.push(format!("{name}: {failure}"));
        }
    }
    Ok((report, outcome(to_try, reasons)))
}

/// Retries unconfirmed intervals at the end of a run, when it may be quieter, also with longer intervals.
pub fn finish(session: &Session<'_>, mut report: ClocksReport) -> ClocksReport {
    let processes = INTERVAL_PROCESSES;
    let Some(quiet_turn_ns) = report.harness.as_ref().map(|harness| harness.interference.slowest_quiet_turn_ns())
    else {
        return report;
    };
    let to_try = open(&mut report).max(1);
    let left_ms = session.time_left().as_millis() as u64 / to_try as u64 / u64::from(processes);
    let budget_ms = budget_ms_per_process(session, processes, to_try).min(left_ms).max(1);
    for (name, step_ns, timed) in claims(&mut report).filter(|(.., timed)| !timed.open().is_empty()) {
        if !session.has_time() {
            break;
        }
        // Earlier results are kept if this fails.
        let _ = try_out(session, processes, (name, step_ns, timed), budget_ms, quiet_turn_ns);
    }
    report
}

/// The clocks with a claim, the step in which each moves, and what is known of its intervals.
fn claims(report: &mut ClocksReport) -> impl Iterator<Item = (&ClockId, f64, &mut TimedIntervals)> {
    report.clocks.iter_mut().filter_map(|clock| {
        let step_ns = clock.moves_in_ns().unwrap_or(0.0);
        Some((&clock.name, step_ns, clock.intervals.as_mut()?))
    })
}

/// The number of clocks with a claim left to try.
fn open(report: &mut ClocksReport) -> usize {
    claims(report).filter(|(.., timed)| !timed.open().is_empty()).count()
}

fn budget_ms_per_process(session: &Session<'_>, processes: u32, clocks: usize) -> u64 {
    (session.budget_ms(INTERVALS) / clocks as u64 / u64::from(processes)).max(1)
}

/// Each clock's readings of empty intervals, over several processes.
fn empty_intervals(
    session: &Session<'_>,
    processes: u32,
    clocks: &[ClockId],
) -> Result<Vec<Distribution>, WorkerFailure> {
    let mut all: Vec<Vec<f64>> = clocks.iter().map(|_| Vec::new()).collect();
    for _ in 0..processes {
        let (samples, _) = session.ask_alone(EMPTY_BUDGET_MS, &empty::EmptyIntervalsTask(clocks.to_vec()))?;
        for ((name, ticks), all) in clocks.iter().zip(samples).zip(&mut all) {
            let rate = session.rate_of(name);
            all.extend(ticks.into_iter().map(|ticks| rate.ns_of_mean(ticks as f64)));
        }
    }
    Ok(all.into_iter().map(Distribution::of).collect())
}

/// Times known work around the open claims of a clock, in several processes, and records which are confirmed.
fn try_out(
    session: &Session<'_>,
    processes: u32,
    (clock, step_ns, timed): (&ClockId, f64, &mut TimedIntervals),
    budget_ms: u64,
    quiet_turn_ns: f64,
) -> Result<(), WorkerFailure> {
    let lengths = timed.trial_lengths(&timed.open());
    let error_ns = timed.claimed_error_ns();
    let mut rounds: Vec<Vec<(Quiet, Round)>> = lengths.iter().map(|_| Vec::new()).collect();
    for _ in 0..processes {
        let lengths_ns = lengths.iter().map(|(_, length)| *length).collect();
        let request = IntervalsTask { source: clock.clone(), lengths_ns, step_ns };
        let (samples, _) = session.ask_alone(budget_ms, &request)?;
        let (timer_error_ticks, timer_rate) = (samples.timer_error_ticks, session.timer_rate());
        let quiet = Quiet {
            probe_ticks: quiet_probe_ticks(quiet_turn_ns, samples.empty_probe_ticks, timer_error_ticks, timer_rate),
            work_ns: error_ns + timer_rate.ns_of_mean(2.0 * timer_error_ticks as f64),
        };
        for (more, all) in samples.lengths.into_iter().zip(&mut rounds) {
            all.extend(more.into_iter().map(|round| (quiet, round)));
        }
    }
    timed.confirm(trials(&lengths, &rounds, session.rate_of(clock)), reason_no_trial(&rounds));
    Ok(())
}
