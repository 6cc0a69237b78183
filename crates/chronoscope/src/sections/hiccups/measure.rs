//! Looks out on threads of this process, while a program runs or for a time.

use std::io::Write;
use std::time::{Duration, Instant, SystemTime};

use hdrhistogram::serialization::V2DeflateSerializer;

use super::log::{self, HiccupLog};
use super::observation::Observation;
use super::plan::{HICCUPS, HiccupsPlan};
use super::program::Program;
use super::report::{HiccupsReport, LogReport};
use crate::engine::session::Session;
use crate::engine::stages::{Found, StageError};
use chronoscope_clock::Clock;
use chronoscope_harness::record::Disturbance;
use chronoscope_harness::watch::Watch;

/// Time between checks for an interrupt, and for the program's end.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Runs in the coordinator: the library's threads do not depend on what else their process does.
///
/// # Errors
/// If the run was interrupted, or the log ended early; what was seen is kept. If nothing could be started.
pub fn run(session: &mut Session<'_>, plan: &HiccupsPlan) -> Found<Option<HiccupsReport>> {
    let mut serializer = V2DeflateSerializer::new();
    let mut file = plan.log.as_deref().map(log::create).transpose().map_err(StageError::Failed)?;
    let begun = file.as_mut().map(|file| {
        HiccupLog::begin(file, &mut serializer, Clock::or_system().now(), SystemTime::now())
            .map_err(|error| StageError::Failed(format!("could not write the log: {error}")))
    });
    let log = begun.transpose()?;
    let seen = observe(session, plan, log)?;
    let reason_ended = seen.log.as_ref().and_then(|log| log.reason_ended.as_ref());
    let logged = reason_ended.map(|reason| StageError::Incomplete(format!("the log ended early: {reason}")));
    let ended = session.uninterrupted(" while looking out").and(logged.map_or(Ok(()), Err));
    Ok((Some(seen), ended))
}

fn observe<W: Write>(
    session: &mut Session<'_>,
    plan: &HiccupsPlan,
    log: Option<HiccupLog<'_, W>>,
) -> Result<HiccupsReport, StageError> {
    let limit = plan.limit(Duration::from_millis(session.budget_ms(HICCUPS)));
    let mut observation = Observation::start(&session.plan.cpus, limit, log).map_err(StageError::Failed)?;
    if plan.spins {
        observation.spin(limit);
    }
    let mut program = Program::start(&plan.command).map_err(StageError::Failed)?;
    observation.forget();
    let steal = Watch::over(&session.plan.cpus);
    let cpus = observation.cpus();
    let began = Instant::now();
    watch(session, &mut observation, began, limit, program.as_mut());
    let (mut report, log) = observation.finish(began.elapsed());
    session.suffer(&Disturbance { cpus, reason_unpinned: report.reason_unpinned.clone(), ..steal.finish() });
    let interrupted = session.observer.cancelled();
    report.program = program.map(|program| program.finish(interrupted));
    report.log = plan.log.clone().zip(log).map(|(file, log)| LogReport {
        file,
        intervals: log.intervals,
        reason_ended: log.reason_ended,
    });
    Ok(report)
}

/// Until the time is over, the program has ended, or the run is stopped.
fn watch<W: Write>(
    session: &mut Session<'_>,
    observation: &mut Observation<'_, W>,
    began: Instant,
    limit: Option<Duration>,
    mut program: Option<&mut Program>,
) {
    loop {
        let elapsed = began.elapsed();
        let is_over = limit.is_some_and(|limit| elapsed >= limit);
        if is_over || session.observer.cancelled() || program.as_mut().is_some_and(|program| program.has_ended()) {
            return;
        }
        // A program writes to the same terminal.
        if let (Some(limit), None) = (limit, &program) {
            session.goes_on(HICCUPS, elapsed.div_duration_f64(limit));
        }
        observation.tend(elapsed);
        let elapsed = began.elapsed();
        let until = observation.next(elapsed).min(limit.unwrap_or(Duration::MAX));
        chronoscope_harness::rest(until.saturating_sub(elapsed).min(LOOK_EVERY));
    }
}
