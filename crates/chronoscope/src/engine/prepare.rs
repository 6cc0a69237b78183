use chronoscope_sources::os::OsClock;
use chronoscope_sources::{Rate, SourceId};

use super::timer::TimerSpec;
use super::{frequency, probe};
use crate::clock_id::ClockId;
use crate::engine::session::{KnownClock, Session};
use chronoscope_harness::estimators::steps::step_ns;
use chronoscope_harness::process::signal_name;
use chronoscope_harness::record::{Disturbance, MeasuredFrequency};
use chronoscope_harness::worker::WorkerFailure;

const PROBE_BUDGET_MS: u64 = 200;
const FREQUENCY_BUDGET_MS: u64 = 300;

/// Determines which clocks can be read, and which of them times the rest of the run.
pub fn prepare(session: &mut Session<'_>) {
    let clocks = session.plan.clocks.clone();
    let reasons = probe_all(session, &clocks);
    let known = clocks.into_iter().zip(reasons);
    session.clocks = known.map(|(name, reason_unavailable)| KnownClock { name, reason_unavailable }).collect();
    let readable = |id: SourceId| !session.available(&[id.into()]).is_empty();
    let [monotonic, counter] = [SourceId::Os(OsClock::Monotonic), SourceId::CounterOrdered].map(readable);
    session.timer = if monotonic { TimerSpec::OsClock } else { TimerSpec::SystemCall };
    if monotonic && counter {
        measure_frequency(session);
    }
}

/// Why each clock cannot be read. All are tried in one process; if it dies, each is tried in its own. If no process can
/// be started, this and everything after it runs in the coordinator.
fn probe_all(session: &mut Session<'_>, clocks: &[ClockId]) -> Vec<Option<String>> {
    fn probe(session: &Session<'_>, clocks: &[ClockId]) -> Result<(Vec<Option<String>>, Disturbance), WorkerFailure> {
        session.ask_alone(PROBE_BUDGET_MS, &probe::ProbeTask(clocks.to_vec()))
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

fn measure_frequency(session: &mut Session<'_>) {
    let measured = session.ask_alone(FREQUENCY_BUDGET_MS, &frequency::FrequencyTask);
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
    session.machine.tsc.frequency = Some(MeasuredFrequency {
        hz,
        half_width_ppm: (half_width_ticks as f64 + 2.0 * step_ticks) / ticks as f64 * 1e6,
        over_ms: reference_ns as f64 / 1e6,
    });
}
