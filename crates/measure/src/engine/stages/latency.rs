use chronoscope_clock::SourceId;

use super::{StageError, available, clock_mut, outcome, paths};
use crate::engine::session::Session;
use crate::estimate;
use crate::machine::microarchitecture::published_rdtsc_cycles;
use crate::record::{Cycles, Disturbance, Harness, Latency, Part, Record};
use crate::task::latency::{Lane, LaneSamples, Request};
use crate::task::{Samples, Task};

/// Times batches of every clock in several processes.
pub(super) fn run(session: &mut Session<'_>, record: &mut Record) -> Result<(), StageError> {
    let lanes = lanes(&available(record, &session.plan.clocks));
    let forks = session.plan.latency_forks.max(1);
    let budget_ms = (session.budget_ms(Part::Latency) / u64::from(forks)).max(1);
    let mut batches: Vec<Vec<LaneSamples>> = lanes.iter().map(|_| Vec::new()).collect();
    let mut disturbance: Option<Disturbance> = None;
    let mut timer_cost_ticks = u64::MAX;
    let mut reasons = Vec::new();
    for fork in 0..forks {
        session.goes_on(Part::Latency, f64::from(fork) / f64::from(forks));
        let request =
            Request { lanes: lanes.clone(), timer_error: session.plan.batch_timer_error, rotation: fork as usize };
        let answer = session.ask_alone(budget_ms, Task::Latency(request), |samples| match samples {
            Samples::Latency(found) => Some(found),
            _ => None,
        });
        match answer {
            Ok((samples, disturbed)) => {
                timer_cost_ticks = timer_cost_ticks.min(samples.timer_cost_ticks);
                samples.lanes.into_iter().zip(&mut batches).for_each(|(lane, all)| all.push(lane));
                disturbance.get_or_insert_with(Disturbance::default).merge(&disturbed);
            }
            Err(failure) => reasons.push(failure.to_string()),
        }
        if session.observer.cancelled() {
            break;
        }
    }
    let rate = session.timer_rate();
    let estimates: Vec<Option<Latency>> = batches.iter().map(|forks| estimate::latency(forks, rate)).collect();
    let of = |lane: Lane| {
        lanes.iter().position(|candidate| *candidate == lane).and_then(|at| estimates.get(at).cloned().flatten())
    };
    write_clocks(session, record, &of, disturbance.as_ref());
    record.harness = harness(session, &of(Lane::Empty), timer_cost_ticks, &batches);
    paths::infer(record);
    if session.observer.cancelled() {
        return Err(StageError::Incomplete("the run was stopped".to_owned()));
    }
    outcome(forks as usize, reasons)
}

/// The empty loop, every clock, and every counter read once more with a fence behind it.
fn lanes(clocks: &[String]) -> Vec<Lane> {
    let serialised = clocks
        .iter()
        .filter(|name| SourceId::from_name(name).is_some_and(|id| id.is_counter() && !id.traps_under_hypervisor()));
    std::iter::once(Lane::Empty)
        .chain(clocks.iter().cloned().map(Lane::Reads))
        .chain(serialised.cloned().map(Lane::Serialised))
        .collect()
}

fn write_clocks(
    session: &Session<'_>,
    record: &mut Record,
    of: &dyn Fn(Lane) -> Option<Latency>,
    disturbance: Option<&Disturbance>,
) {
    let cycles_per_ns = record.machine.tsc.frequency.map(|frequency| frequency.hz / 1e9);
    let microarchitecture = record.machine.cpu.microarchitecture.clone();
    for name in session.plan.clocks.clone() {
        let Some(clock) = clock_mut(record, &name) else { continue };
        let Some(latency) = of(Lane::Reads(name.clone())) else { continue };
        let id = SourceId::from_name(&name);
        clock.latency_tsc_cycles =
            cycles_per_ns.filter(|_| id.is_some_and(SourceId::is_counter)).map(|per_ns| Cycles {
                reciprocal_throughput: latency.estimate * per_ns,
                serialised: of(Lane::Serialised(name.clone())).map(|latency| latency.estimate * per_ns),
                published: microarchitecture
                    .as_deref()
                    .filter(|_| id == Some(SourceId::CounterUnordered))
                    .and_then(published_rdtsc_cycles),
            });
        clock.latency_ns = Some(latency);
        clock.disturbance = disturbance.cloned();
    }
}

fn harness(
    session: &Session<'_>,
    empty: &Option<Latency>,
    timer_cost_ticks: u64,
    batches: &[Vec<LaneSamples>],
) -> Option<Harness> {
    let shortest = batches.iter().flatten().flat_map(|fork| &fork.batch_ticks).min()?;
    Some(Harness {
        timer: session.timer.name(),
        timer_cost_ns: session.timer_rate().ns_of_mean(timer_cost_ticks as f64),
        timer_error_pct: timer_cost_ticks as f64 / (*shortest).max(1) as f64 * 100.0,
        loop_overhead_ns: empty.clone(),
        estimator: estimate::ESTIMATOR.to_owned(),
    })
}
