use chronoscope_clock::SourceId;

use super::batches::Batches;
use super::task::Lane;
use crate::clock_id::ClockId;
use crate::document::Record;
use crate::engine::session::Session;
use crate::engine::stages::{StageError, clock_mut, outcome, readable};
use crate::estimate::ESTIMATOR;
use crate::sections::clocks::paths::measure as paths;
use crate::sections::clocks::plan::{ClocksPlan, LATENCY};
use crate::sections::clocks::report::{ClockReport, Cycles, Harness, Latency};
use chronoscope_harness::machine::{self, published_rdtsc_cycles};

/// Times batches of every clock in several processes.
pub fn run(session: &mut Session<'_>, record: &mut Record) -> Result<(), StageError> {
    let forks = record.clocks.plan.latency_forks.max(1);
    session.batches = Batches::of_lanes(lanes(&readable(record, &record.plan.clocks)?));
    let mut reasons = Vec::new();
    for fork in 0..forks {
        session.goes_on(LATENCY, f64::from(fork) / f64::from(forks));
        reasons.extend(more(session, &record.clocks.plan).err());
        if session.observer.cancelled() {
            break;
        }
    }
    write(session, record);
    if session.observer.cancelled() {
        return Err(StageError::Incomplete("the run was interrupted".to_owned()));
    }
    outcome(forks as usize, reasons)
}

/// Takes more samples if too few processes saw a quiet moment: at the end of a run, when there may be another.
pub fn finish(session: &mut Session<'_>, record: &mut Record) {
    for _ in 0..record.clocks.plan.latency_forks {
        let is_enough = record.clocks.harness.as_ref().is_none_or(|harness| {
            harness.interference.forks_quiet >= record.clocks.plan.latency_forks
                && harness.interference.shared_throughout != Some(true)
        });
        if is_enough || !session.has_time() || more(session, &record.clocks.plan).is_err() {
            return;
        }
        write(session, record);
    }
}

/// One more process.
fn more(session: &mut Session<'_>, plan: &ClocksPlan) -> Result<(), String> {
    let budget_ms = (session.budget_ms(LATENCY) / u64::from(plan.latency_forks.max(1))).max(1);
    let request = session.batches.request(plan.batch_timer_error);
    let (samples, suffered) = session.ask_alone(budget_ms, &request).map_err(|failure| failure.to_string())?;
    session.batches.add(samples, &suffered);
    Ok(())
}

/// Reads of every clock, plus reads of every counter followed by a fence.
fn lanes(clocks: &[ClockId]) -> impl Iterator<Item = Lane> {
    let is_cheap = |id: SourceId| id.is_counter() && !id.facts().traps_under_hypervisor;
    let serialised = clocks.iter().filter(move |clock| clock.known().is_some_and(is_cheap));
    clocks.iter().cloned().map(Lane::Reads).chain(serialised.cloned().map(Lane::Serialised))
}

/// Writes estimates from all batches so far into the record.
fn write(session: &Session<'_>, record: &mut Record) {
    let (batches, rate) = (&session.batches, session.timer_rate());
    let Some(quiet) = batches.quiet(rate, machine::known_core(&record.machine)) else { return };
    let of = |lane: Lane| batches.latency(&lane, &quiet, rate);
    let cycles_per_ns = record.machine.tsc.frequency.map(|frequency| frequency.hz / 1e9);
    let microarchitecture = record.machine.cpu.microarchitecture.clone();
    for name in &record.plan.clocks.clone() {
        let Some(clock) = clock_mut(record, name) else { continue };
        let Some(latency) = of(Lane::Reads(name.clone())) else { continue };
        let serialised = of(Lane::Serialised(name.clone()));
        clock.latency_tsc_cycles =
            cycles_per_ns.and_then(|per_ns| cycles(clock, &latency, serialised, per_ns, microarchitecture.as_deref()));
        clock.latency_ns = Some(latency);
        clock.disturbance = Some(batches.disturbance.clone());
    }
    record.clocks.harness = batches.shortest_ticks().map(|shortest| Harness {
        timer: session.timer.clock().into(),
        timer_cost_ns: rate.ns_of_mean(batches.timer_cost_ticks as f64),
        timer_error_pct: batches.timer_cost_ticks as f64 / shortest.max(1) as f64 * 100.0,
        loop_overhead_ns: of(Lane::Empty),
        estimator: ESTIMATOR.to_owned(),
        interference: quiet.probe,
    });
    paths::infer(record);
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
