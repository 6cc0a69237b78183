use chronoscope_sources::{Guarantee, SourceId};

use super::interference;
use crate::engine::built_in::BuiltIn;
use crate::engine::latency_study::{NOTHING, case_of, study};
use crate::engine::session::Session;
use crate::engine::stages::StageError;
use crate::sections::clocks::paths::measure as paths;
use crate::sections::clocks::plan::{ClocksPlan, LATENCY, PATHS};
use crate::sections::clocks::report::{ClockReport, ClocksReport, Cycles, Harness};
use chronoscope_harness::estimators::latency::{Latency, latency};
use chronoscope_harness::machine::{known_core, published_rdtsc_cycles};
use chronoscope_harness::record::study::StudyReport;
use chronoscope_harness::record::{Disturbance, Machine};

/// The method of an estimate and its interval, in words for the record.
const ESTIMATOR: &str = "median over processes of each process's mean time per read in undisturbed visits; interval by the \
    order statistics of the processes' means (Thompson 1936), distribution-free; percentiles over all batches";

/// Measures every clock that can be read, in several processes.
pub fn run(session: &mut Session<'_>, plan: &ClocksPlan, report: &mut ClocksReport) -> Result<(), StageError> {
    let clocks = session.readable(&session.plan.clocks)?;
    let budget_ms = session.budget_ms(LATENCY);
    let mut latencies = BuiltIn::begin(session, study(&clocks), plan.latency_forks, budget_ms)?;
    latencies.run_all(session, LATENCY);
    let study = write(&latencies, session, report);
    session.latencies = Some(latencies.set_aside());
    if session.observer.cancelled() {
        return Err(StageError::Incomplete("the run was interrupted".to_owned()));
    }
    ended(&study)
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
pub fn finish(session: &mut Session<'_>, plan: &ClocksPlan, report: &mut ClocksReport) {
    let Some(mut latencies) = session.latencies.take().map(BuiltIn::resume) else { return };
    let forks = plan.latency_forks;
    let budget_ms = (session.budget_ms(LATENCY) / u64::from(forks.max(1))).max(1);
    for extra in 0..forks {
        let is_enough = report.harness.as_ref().is_none_or(|harness| {
            harness.interference.forks_quiet >= forks && harness.interference.shared_throughout != Some(true)
        });
        if is_enough || !session.has_time() {
            return;
        }
        latencies.run_one(session, LATENCY, forks + extra, budget_ms);
        write(&latencies, session, report);
    }
}

/// Writes estimates from all processes so far into the report.
fn write(latencies: &BuiltIn, session: &Session<'_>, report: &mut ClocksReport) -> StudyReport {
    let study = latencies.report();
    let of = |case: &str| study.cells.iter().find(|cell| cell.case == case).and_then(latency);
    let machine = &session.machine;
    let cycles_per_ns = machine.tsc.frequency.map(|frequency| frequency.hz / 1e9);
    let mut disturbance = Disturbance::default();
    study.forks.iter().for_each(|process| disturbance.merge(&process.disturbance));
    for name in &session.plan.clocks {
        let Some(clock) = report.clock_mut(name) else { continue };
        let Some(latency) = of(&case_of(name, false)) else { continue };
        let serialised = of(&case_of(name, true));
        clock.latency_tsc_cycles =
            cycles_per_ns.and_then(|per_ns| cycles(clock, &latency, serialised, per_ns, machine));
        clock.latency_ns = Some(latency);
        clock.disturbance = Some(disturbance.clone());
    }
    let probe = interference::probe(&study, known_core(machine));
    report.harness = probe.zip(study.clock.as_ref()).map(|(interference, clock)| Harness {
        timer: SourceId::Clock(Guarantee::Ordered).into(),
        timer_cost_ns: clock.error_ns,
        timer_error_pct: study.cells.iter().map(|cell| cell.clock_share_pct).fold(0.0, f64::max),
        loop_overhead_ns: of(NOTHING),
        estimator: ESTIMATOR.to_owned(),
        interference,
    });
    let of_proof = session.parts.iter().find(|proof| proof.part == PATHS);
    paths::infer(report, of_proof.and_then(|proof| proof.reason.as_deref()));
    study
}

/// The cost of a counter read in ticks of that counter; None for other clocks.
fn cycles(
    clock: &ClockReport,
    latency: &Latency,
    serialised: Option<Latency>,
    per_ns: f64,
    machine: &Machine,
) -> Option<Cycles> {
    let id = clock.name.known().filter(|id| id.is_counter())?;
    // What was published for hardware says nothing of its emulation.
    let is_published_for = id == SourceId::CounterUnordered && !machine.is_emulated();
    let microarchitecture = machine.cpu.microarchitecture.as_deref().filter(|_| is_published_for);
    let published = microarchitecture.and_then(published_rdtsc_cycles);
    Some(Cycles {
        reciprocal_throughput: latency.estimate * per_ns,
        serialised: serialised.map(|latency| latency.estimate * per_ns),
        published,
    })
}

#[cfg(test)]
mod tests {
    use chronoscope_harness::record::Emulation;

    use super::*;
    use crate::rules::tests::{latency, readable};

    #[test]
    fn an_emulated_cpu_has_no_published_cycles_beside_its_own() {
        let is_published = |is_emulated| {
            let mut machine = Machine::default();
            machine.cpu.microarchitecture = Some("Skylake".to_owned());
            machine.cpu.emulation = Emulation { is_emulated, ..Emulation::default() };
            cycles(&readable("rdtsc"), &latency(20.0), None, 2.0, &machine).unwrap().published.is_some()
        };
        assert_eq!([Some(true), Some(false), None].map(is_published), [false, true, true]);
    }
}
