use chronoscope_sources::{Guarantee, SourceId};

use super::interference::shared_throughout;
use crate::engine::latency_study::{NOTHING, case_of, study};
use crate::engine::session::Session;
use crate::engine::stages::{Found, StageError, StageResult};
use crate::sections::clocks::paths::measure as paths;
use crate::sections::clocks::plan::{ClocksPlan, LATENCY, PATHS};
use crate::sections::clocks::report::{ClocksReport, Harness};
use chronoscope_harness::estimators::latency::latency;
use chronoscope_harness::machine::known_core;
use chronoscope_harness::record::study::StudyReport;

/// The method of an estimate and its interval, in words for the record.
pub const ESTIMATOR: &str = "median over processes of each process's median batch, per read; interval by the order statistics of \
    the processes' medians (Thompson 1936), distribution-free, at least the timer's error to each side; percentiles over all batches";

/// Measures every clock that can be read, in several processes.
pub fn run(session: &mut Session<'_>, plan: &ClocksPlan, so_far: ClocksReport) -> Found<ClocksReport> {
    let clocks = session.readable(&session.plan.clocks)?;
    let budget_ms = session.budget_ms(LATENCY);
    session.begin_study(LATENCY, study(&clocks), plan.latency_processes, budget_ms)?;
    session.run_all(LATENCY);
    let measured = session.study(LATENCY)?;
    let ended = session.uninterrupted("").and(ended(&measured));
    Ok((estimated(&measured, session, so_far), ended))
}

/// How the part ended: by its processes, then by the clocks that it could not measure.
fn ended(report: &StudyReport) -> StageResult {
    let mut reasons: Vec<String> =
        report.processes.iter().filter_map(|process| process.reason_incomplete.clone()).collect();
    // A process that ended in a clock is that clock's failure, too.
    let is_new = |reason: &str| !reasons.iter().any(|known| known.contains(reason));
    let unmeasured = report.failures.iter().filter(|failure| is_new(&failure.reason));
    let unmeasured: Vec<String> = unmeasured.map(|failure| format!("{}: {}", failure.case, failure.reason)).collect();
    reasons.extend(unmeasured);
    let all_failed = report.processes.iter().all(|process| process.reason_incomplete.is_some());
    match reasons.first() {
        None => Ok(()),
        Some(first) => {
            let told = match reasons.len() {
                1 => first.clone(),
                failed => format!("{first} ({failed} of {} failed)", report.processes.len().max(failed)),
            };
            Err(if all_failed { StageError::Failed(told) } else { StageError::Incomplete(told) })
        }
    }
}

/// Measures more if a process did not finish, or a neighbour shared the core throughout: at the end of a run, when it may have gone.
pub fn finish(session: &mut Session<'_>, plan: &ClocksPlan, mut report: ClocksReport) -> ClocksReport {
    let processes = plan.latency_processes;
    let budget_ms = (session.budget_ms(LATENCY) / u64::from(processes.max(1))).max(1);
    for extra in 0..processes {
        let Ok(measured) = session.study(LATENCY) else { break };
        let is_enough = report.harness.as_ref().is_none_or(|harness| {
            whole(&measured) >= processes
                && shared_throughout(&harness.interference, known_core(&session.machine)) != Some(true)
        });
        if is_enough || !session.has_time() {
            break;
        }
        session.run_one(LATENCY, processes + extra, budget_ms);
        report = estimated(&session.study(LATENCY).unwrap_or(measured), session, report);
    }
    report
}

/// How many processes finished.
fn whole(study: &StudyReport) -> u32 {
    study.processes.iter().filter(|process| process.reason_incomplete.is_none()).count() as u32
}

/// The report with estimates from all processes of `study`.
fn estimated(study: &StudyReport, session: &Session<'_>, mut report: ClocksReport) -> ClocksReport {
    let of = |case: &str| study.cells.iter().find(|cell| cell.case == case).and_then(latency);
    for name in &session.plan.clocks {
        let Some(clock) = report.clock_mut(name) else { continue };
        let Some(latency) = of(&case_of(name, false)) else { continue };
        clock.serialised_ns = of(&case_of(name, true)).map(|latency| latency.per_read.estimate);
        clock.latency_ns = Some(latency);
    }
    // A clock that stalled during the quietest iterations tells nothing of them.
    let probe = study.interference_probe.filter(|probe| probe.quiet_turn_ns > 0.0 && probe.quiet_link_ns > 0.0);
    report.harness = probe.zip(study.clock.as_ref()).map(|(interference, clock)| Harness {
        timer: SourceId::Clock(Guarantee::Ordered).into(),
        timer_cost_ns: clock.error_ns,
        timer_error_pct: study.cells.iter().map(|cell| cell.clock_share_pct).fold(0.0, f64::max),
        loop_overhead_ns: of(NOTHING),
        interference,
    });
    let of_proof = session.parts.iter().find(|proof| proof.part == PATHS);
    paths::infer(report, of_proof.and_then(|proof| proof.reason.as_deref()))
}
