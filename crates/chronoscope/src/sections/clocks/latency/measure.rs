use chronoscope_clock::{Rate, SourceId};

use super::task::{Lane, LaneSamples, Request};
use crate::clock_id::ClockId;
use crate::document::Record;
use crate::engine::session::Session;
use crate::engine::stages::{StageError, clock_mut, outcome, readable};
use crate::estimate::ESTIMATOR;
use crate::sections::clocks::latency::canary;
use crate::sections::clocks::latency::canary::Quiet;
use crate::sections::clocks::latency::estimate as latency_estimate;
use crate::sections::clocks::paths::measure as paths;
use crate::sections::clocks::plan::{ClocksPlan, LATENCY};
use crate::sections::clocks::report::{ClockReport, Cycles, Harness, Latency};
use chronoscope_harness::machine::KnownCore;
use chronoscope_harness::machine::{self, published_rdtsc_cycles};
use chronoscope_harness::record::Disturbance;

/// Times batches of every clock in several processes.
pub fn run(session: &mut Session<'_>, record: &mut Record) -> Result<(), StageError> {
    let forks = record.clocks.plan.latency_forks.max(1);
    session.batches.lanes = lanes(&readable(record, &record.plan.clocks)?);
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
        return Err(StageError::Incomplete("the run was stopped".to_owned()));
    }
    outcome(forks as usize, reasons)
}

/// Times some more if too few processes saw a quiet moment: at the end of a run, when another may have come.
pub fn finish(session: &mut Session<'_>, record: &mut Record) {
    for _ in 0..record.clocks.plan.latency_forks {
        let is_enough = record.clocks.harness.as_ref().is_none_or(|harness| {
            harness.canary.forks_quiet >= record.clocks.plan.latency_forks
                && harness.canary.shared_throughout != Some(true)
        });
        if is_enough || !session.has_time() || more(session, &record.clocks.plan).is_err() {
            return;
        }
        write(session, record);
    }
}

/// What all latency workers of a run have seen so far.
#[derive(Debug)]
pub struct Batches {
    lanes: Vec<Lane>,
    /// For each lane, the batches of each process.
    forks: Vec<Vec<LaneSamples>>,
    timer_cost_ticks: u64,
    disturbance: Disturbance,
}

impl Default for Batches {
    fn default() -> Self {
        Self { lanes: Vec::new(), forks: Vec::new(), timer_cost_ticks: u64::MAX, disturbance: Disturbance::default() }
    }
}

impl Batches {
    fn of(&self, lane: &Lane) -> &[LaneSamples] {
        let at = self.lanes.iter().position(|candidate| candidate == lane);
        at.and_then(|at| self.forks.get(at)).map_or(&[], Vec::as_slice)
    }

    fn quiet(&self, rate: Rate, core: KnownCore) -> Option<Quiet> {
        canary::quiet_rounds(self.of(&Lane::Empty), self.of(&Lane::Chain), rate, core)
    }
}

/// One more process.
fn more(session: &mut Session<'_>, plan: &ClocksPlan) -> Result<(), String> {
    let budget_ms = (session.budget_ms(LATENCY) / u64::from(plan.latency_forks.max(1))).max(1);
    let request = Request {
        lanes: session.batches.lanes.clone(),
        timer_error: plan.batch_timer_error,
        rotation: session.batches.forks.first().map_or(0, Vec::len),
    };
    let (samples, disturbed) = session.ask_alone(budget_ms, &request).map_err(|failure| failure.to_string())?;
    let batches = &mut session.batches;
    batches.timer_cost_ticks = batches.timer_cost_ticks.min(samples.timer_cost_ticks);
    batches.disturbance.merge(&disturbed);
    batches.forks.resize_with(samples.lanes.len(), Vec::new);
    samples.lanes.into_iter().zip(&mut batches.forks).for_each(|(lane, forks)| forks.push(lane));
    Ok(())
}

/// The two canaries, every clock, and every counter read once more with a fence behind it.
fn lanes(clocks: &[ClockId]) -> Vec<Lane> {
    let is_cheap = |id: SourceId| id.is_counter() && !id.facts().traps_under_hypervisor;
    let serialised = clocks.iter().filter(|clock| clock.known().is_some_and(is_cheap));
    [Lane::Empty, Lane::Chain]
        .into_iter()
        .chain(clocks.iter().cloned().map(Lane::Reads))
        .chain(serialised.cloned().map(Lane::Serialised))
        .collect()
}

/// Estimates from all batches so far, into the record.
fn write(session: &Session<'_>, record: &mut Record) {
    let (batches, rate) = (&session.batches, session.timer_rate());
    let Some(quiet) = batches.quiet(rate, machine::known_core(&record.machine)) else { return };
    let of = |lane: Lane| latency_estimate::latency(batches.of(&lane), &quiet.rounds, rate);
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
    let shortest = batches.forks.iter().flatten().flat_map(|fork| &fork.batch_ticks).min();
    record.clocks.harness = shortest.map(|shortest| Harness {
        timer: session.timer.clock().into(),
        timer_cost_ns: rate.ns_of_mean(batches.timer_cost_ticks as f64),
        timer_error_pct: batches.timer_cost_ticks as f64 / (*shortest).max(1) as f64 * 100.0,
        loop_overhead_ns: of(Lane::Empty),
        estimator: ESTIMATOR.to_owned(),
        canary: quiet.canary,
    });
    paths::infer(record);
}

/// The cost of a counter read in the counter's own ticks; None for other clocks.
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
