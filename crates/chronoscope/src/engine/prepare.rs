use chronoscope_sources::os::{OsClock, declared_resolution_ns};
use chronoscope_sources::{Family, Rate, SourceId};

use super::timer::TimerSpec;
use super::{frequency, probe};
use crate::clock_id::ClockId;
use crate::document::Record;
use crate::engine::session::Session;
use crate::sections::clocks::report::ClockReport;
use chronoscope_harness::estimators::steps::step_ns;
use chronoscope_harness::machine::with_deviations;
use chronoscope_harness::process::signal_name;
use chronoscope_harness::record::{Disturbance, MeasuredFrequency, Path, PathEvidence, PathMethod};
use chronoscope_harness::worker::WorkerFailure;

const PROBE_BUDGET_MS: u64 = 200;
const FREQUENCY_BUDGET_MS: u64 = 300;

/// Determines which clocks can be read, and which of them times the rest of the run.
pub fn prepare(session: &mut Session<'_>, record: &mut Record) {
    let clocks = record.plan.clocks.clone();
    let reasons = probe_all(session, &clocks);
    record.reason_no_workers.clone_from(&session.reason_no_workers);
    record.clocks.report.clocks =
        clocks.iter().zip(reasons).filter_map(|(clock, reason)| report(clock, reason)).collect();
    let readable = |id: SourceId| record.clocks.iter().any(|clock| clock.available && clock.name == id);
    let monotonic = readable(SourceId::Os(OsClock::Monotonic));
    session.timer = if monotonic { TimerSpec::OsClock } else { TimerSpec::SystemCall };
    if monotonic && readable(SourceId::CounterOrdered) {
        measure_frequency(session, record);
    }
    if let Some(measured) = record.machine.tsc.frequency {
        let declared = std::mem::take(&mut record.machine.tsc.frequency_sources);
        record.machine.tsc.frequency_sources = with_deviations(declared, measured.hz);
    }
    declare_resolution_of_counter(record);
}

/// Why each clock cannot be read. All are tried in one process; if it dies, each is tried in its own. If no process can
/// be started, this and everything after it runs in the coordinator.
fn probe_all(session: &mut Session<'_>, clocks: &[ClockId]) -> Vec<Option<String>> {
    fn probe(session: &Session<'_>, clocks: &[ClockId]) -> Result<(Vec<Option<String>>, Disturbance), WorkerFailure> {
        session.ask_alone(PROBE_BUDGET_MS, &probe::Request(clocks.to_vec()))
    }
    let mut answer = probe(session, clocks);
    if let Some(failure) = answer.as_ref().err().filter(|failure| failure.is_for_want_of_a_process()) {
        session.reason_no_workers = Some(failure.to_string());
        answer = probe(session, clocks);
    }
    match answer {
        Ok((reasons, _)) => reasons,
        Err(failure) if failure.signal().is_some() => clocks
            .iter()
            .map(|clock| match probe(session, std::slice::from_ref(clock)) {
                Ok((reasons, _)) => reasons.into_iter().next().flatten(),
                Err(failure) => Some(reason(&failure)),
            })
            .collect(),
        Err(failure) => clocks.iter().map(|_| Some(reason(&failure))).collect(),
    }
}

/// Why a clock whose read ended the process cannot be read.
fn reason(failure: &WorkerFailure) -> String {
    let Some(signal) = failure.signal().map(signal_name) else { return failure.to_string() };
    match signal.as_str() {
        "SIGSEGV" | "STATUS_ACCESS_VIOLATION" | "STATUS_PRIVILEGED_INSTRUCTION" => {
            format!("reading it raises {signal}")
        }
        "SIGILL" | "STATUS_ILLEGAL_INSTRUCTION" => {
            format!("reading it raises {signal}: the CPU lacks the instruction")
        }
        "SIGSYS" => format!("reading it raises {signal}: a sandbox forbids the system call"),
        _ => failure.to_string(),
    }
}

fn report(clock: &ClockId, reason_unavailable: Option<String>) -> Option<ClockReport> {
    match clock {
        ClockId::Known(id) => Some(report_of(*id, reason_unavailable)),
        ClockId::Ptp(_) => Some(report_of_ptp(clock, reason_unavailable)),
        ClockId::Other(_) => None,
    }
}

/// What is known of a PTP clock before it is read.
fn report_of_ptp(clock: &ClockId, reason_unavailable: Option<String>) -> ClockReport {
    let detail = "an open device is read by the system call".to_owned();
    ClockReport {
        name: clock.clone(),
        available: reason_unavailable.is_none(),
        reason_unavailable,
        path: Some(Path::Syscall),
        path_evidence: Some(PathEvidence { method: PathMethod::ByConstruction, detail }),
        ordered: true,
        reason_causal_unknown: Some("it can be set, and is not tested".to_owned()),
        ..ClockReport::default()
    }
}

fn report_of(id: SourceId, reason_unavailable: Option<String>) -> ClockReport {
    let facts = id.facts();
    let by_construction = match facts.family {
        Family::Counter => Some((Path::Register, "the read is the instruction itself")),
        Family::Library => Some((Path::Register, "the counter, converted by the library")),
        Family::System => {
            (id == SourceId::MonotonicSystemCall).then_some((Path::Syscall, "the read is the system call itself"))
        }
    };
    ClockReport {
        name: id.into(),
        available: reason_unavailable.is_none(),
        reason_unavailable,
        path: by_construction.map(|(path, _)| path),
        path_evidence: by_construction
            .map(|(_, detail)| PathEvidence { method: PathMethod::ByConstruction, detail: detail.to_owned() }),
        ordered: facts.is_ordered,
        causal_by_design: facts.is_causal,
        traps_under_hypervisor: facts.traps_under_hypervisor,
        reason_causal_unknown: causality_not_tested(id),
        resolution_ns_declared: declared_ns(id).map(|ns| ns as f64),
        ..ClockReport::default()
    }
}

/// The resolution declared by the system or the library; the counter's follows once its frequency is measured.
fn declared_ns(id: SourceId) -> Option<u64> {
    match id.facts().declared_step {
        Some(step) => u64::try_from(step.as_nanos()).ok(),
        None => id.os_clock().and_then(|clock| declared_resolution_ns(clock).ok()),
    }
}

fn causality_not_tested(id: SourceId) -> Option<String> {
    if !id.facts().is_shared_timeline {
        Some("it counts CPU time, which threads do not share".to_owned())
    } else if id.facts().traps_under_hypervisor {
        Some("left out: the litmus covers cheaper ordered reads of the same counter".to_owned())
    } else {
        None
    }
}

fn measure_frequency(session: &mut Session<'_>, record: &mut Record) {
    let measured = session.ask_alone(FREQUENCY_BUDGET_MS, &frequency::Request);
    // Without it the run continues, timed by the system clock.
    let Ok((frequency::Samples { ticks, reference_ns, half_width_ticks, steps }, _)) = measured else { return };
    let hz = ticks as f64 * 1e9 / reference_ns as f64;
    let whole_hz = hz.round() as u64;
    if Rate::from_hz(whole_hz).is_none() {
        return;
    }
    session.timer = TimerSpec::Counter { hz: whole_hz };
    // Steps in ticks; both ends may be a step late.
    let step_ticks = step_ns(&steps, Rate::NANOSECONDS);
    record.machine.tsc.frequency = Some(MeasuredFrequency {
        hz,
        half_width_ppm: (half_width_ticks as f64 + 2.0 * step_ticks) / ticks as f64 * 1e6,
        over_ms: reference_ns as f64 / 1e6,
    });
}

fn declare_resolution_of_counter(record: &mut Record) {
    let Some(frequency) = record.machine.tsc.frequency else { return };
    for clock in &mut record.clocks.report.clocks {
        if clock.is_counter() && clock.available {
            clock.resolution_ns_declared = Some(1e9 / frequency.hz);
        }
    }
}
