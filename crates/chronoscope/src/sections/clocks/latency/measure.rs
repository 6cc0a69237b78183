use chronoscope_sources::{Guarantee, SourceId};

use super::interference;
use crate::document::Record;
use crate::engine::built_in::BuiltIn;
use crate::engine::session::Session;
use crate::engine::stages::{StageError, clock_mut, readable};
use crate::estimate::ESTIMATOR;
use crate::latency_study::{NOTHING, case_of, study};
use crate::sections::clocks::paths::measure as paths;
use crate::sections::clocks::plan::LATENCY;
use crate::sections::clocks::report::{ClockReport, Cycles, Harness};
use chronoscope_harness::estimators::latency::{Latency, latency};
use chronoscope_harness::machine::{self, published_rdtsc_cycles};
use chronoscope_harness::record::Disturbance;
use chronoscope_harness::record::study::StudyReport;

/// Measures every clock that can be read, in several processes.
pub fn run(session: &mut Session<'_>, record: &mut Record) -> Result<(), StageError> {
    let clocks = readable(record, &record.plan.clocks)?;
    let budget_ms = session.budget_ms(LATENCY);
    let mut latencies = BuiltIn::begin(session, study(&clocks), record.clocks.plan.latency_forks, budget_ms)?;
    latencies.run_all(session, LATENCY);
    let report = write(&latencies, record);
    session.latencies = Some(latencies.set_aside());
    if session.observer.cancelled() {
        return Err(StageError::Incomplete("the run was interrupted".to_owned()));
    }
    ended(&report)
}

/// How the part ended: by its processes, then by the clocks that it could not measure.
fn ended(report: &StudyReport) -> Result<(), StageError> {
    let mut reasons: Vec<String> = report.forks.iter().filter_map(|fork| fork.reason_incomplete.clone()).collect();
    // A process that ended in a clock is that clock's failure, too.
    let is_new = |reason: &str| !reasons.iter().any(|known| known.contains(reason));
    let unmeasured = report.failures.iter().filter(|failure| is_new(&failure.reason));
    let unmeasured: Vec<String> = unmeasured.map(|failure| format!("{}: {}", failure.case, failure.reason)).collect();
    reasons.extend(unmeasured);
    let all_failed = report.forks.iter().all(|fork| fork.reason_incomplete.is_some());
    match reasons.first() {
        None => Ok(()),
        Some(first) => {
            let told = match reasons.len() {
                1 => first.clone(),
                failed => format!("{first} ({failed} of {} failed)", report.forks.len().max(failed)),
            };
            Err(if all_failed { StageError::Failed(told) } else { StageError::Incomplete(told) })
        }
    }
}

/// Measures more if too few processes saw a quiet moment: at the end of a run, when there may be another.
pub fn finish(session: &mut Session<'_>, record: &mut Record) {
    let Some(mut latencies) = session.latencies.take().map(BuiltIn::resume) else { return };
    let forks = record.clocks.plan.latency_forks;
    let budget_ms = (session.budget_ms(LATENCY) / u64::from(forks.max(1))).max(1);
    for extra in 0..forks {
        let is_enough = record.clocks.harness.as_ref().is_none_or(|harness| {
            harness.interference.forks_quiet >= forks && harness.interference.shared_throughout != Some(true)
        });
        if is_enough || !session.has_time() {
            return;
        }
        latencies.run_one(session, LATENCY, forks + extra, budget_ms);
        write(&latencies, record);
    }
}

/// Writes estimates from all processes so far into the record.
fn write(latencies: &BuiltIn, record: &mut Record) -> StudyReport {
    let report = latencies.report();
    let of = |case: &str| report.cells.iter().find(|cell| cell.case == case).and_then(latency);
    let cycles_per_ns = record.machine.tsc.frequency.map(|frequency| frequency.hz / 1e9);
    let microarchitecture = record.machine.cpu.microarchitecture.clone();
    let mut disturbance = Disturbance::default();
    report.forks.iter().for_each(|process| disturbance.merge(&process.disturbance));
    for name in &record.plan.clocks.clone() {
        let Some(clock) = clock_mut(record, name) else { continue };
        let Some(latency) = of(&case_of(name, false)) else { continue };
        let serialised = of(&case_of(name, true));
        clock.latency_tsc_cycles =
            cycles_per_ns.and_then(|per_ns| cycles(clock, &latency, serialised, per_ns, microarchitecture.as_deref()));
        clock.latency_ns = Some(latency);
        clock.disturbance = Some(disturbance.clone());
    }
    let probe = interference::probe(&report, machine::known_core(&record.machine));
    record.clocks.harness = probe.zip(report.clock.as_ref()).map(|(interference, clock)| Harness {
        timer: SourceId::Clock(Guarantee::Ordered).into(),
        timer_cost_ns: clock.error_ns,
        timer_error_pct: report.cells.iter().map(|cell| cell.clock_share_pct).fold(0.0, f64::max),
        loop_overhead_ns: of(NOTHING),
        estimator: ESTIMATOR.to_owned(),
        interference,
    });
    paths::infer(record);
    report
}

/// The cost of a counter read in ticks of that counter; None for other clocks.
fn cycles(
    clock: &ClockReport,
    latency: &Latency,
    serialised: Option<Latency>,
    per_ns: f64,
    microarchitecture: Option<&str>,
) -> Option<Cycles> {
    let id = clock.name.known().filter(|id| id.is_counter())?;
    let published = microarchitecture.filter(|_| id == SourceId::CounterUnordered).and_then(published_rdtsc_cycles);
    Some(Cycles {
        reciprocal_throughput: latency.estimate * per_ns,
        serialised: serialised.map(|latency| latency.estimate * per_ns),
        published,
    })
}
