use super::litmus::LitmusTask;
use super::offset::OffsetTask;
use crate::clock_id::ClockId;
use crate::engine::session::Session;
use crate::engine::stages::{Found, outcome};
use crate::part::Part;
use crate::section::Steps;
use crate::sections::causality::estimate;
use crate::sections::causality::plan::{CausalityPlan, LITMUS, OFFSETS, PAIR_ROUNDS};
use crate::sections::causality::report::{Causality, Litmus};
use chronoscope_harness::reason_unknown_cpus;
use chronoscope_harness::worker::WorkerFailure;

/// Passes messages between pairs of CPUs.
pub fn offsets(session: &mut Session<'_>, plan: &CausalityPlan, so_far: Causality) -> Found<Causality> {
    let cpus = session.plan.cpus.len() as u64;
    let so_far = Causality { pairs_possible: cpus * (cpus - 1) / 2, ..so_far };
    let clocks = match session.readable(&plan.pair_clocks) {
        Ok(clocks) => clocks,
        Err(none) => return Ok((so_far, Err(none))),
    };
    let counter_within_ppm = session.machine.tsc.frequency.map_or(0.0, |measured| measured.half_width_ppm);
    let requests: Vec<OffsetTask> =
        of_pairs(&plan.pairs, &clocks).map(|(source, a, b)| OffsetTask { source, a, b, rounds: PAIR_ROUNDS }).collect();
    let (pairs, reasons) = in_turn(session, OFFSETS, &requests, |session, request, budget_ms| {
        let (samples, disturbance) = session
            .ask(None, budget_ms, request)
            .map_err(|failure| format!("CPUs {} and {}, {}: {failure}", request.a, request.b, request.source))?;
        let within_ppm = if request.source.is_counter() { counter_within_ppm } else { 0.0 };
        Ok(estimate::pair_offset(request, &samples, session.rate_of(&request.source), within_ppm, disturbance))
    });
    Ok((Causality { pairs, ..so_far }, outcome(requests.len(), reasons)))
}

/// Publishes each clock on one CPU and observes it on another.
pub fn litmus(session: &mut Session<'_>, plan: &CausalityPlan, so_far: Causality) -> Found<Causality> {
    let clocks = session.readable(&plan.litmus_clocks)?;
    let requests: Vec<LitmusTask> = of_pairs(&plan.litmus_pairs, &clocks)
        .map(|(source, writer, reader)| LitmusTask { source, writer, reader })
        .collect();
    let (litmus, mut reasons) = in_turn(session, LITMUS, &requests, |session, request, budget_ms| {
        observe(session, request, budget_ms).map_err(|failure| format!("{}: {failure}", request.source))
    });
    let unseen = litmus.iter().filter(|row| row.observations == 0);
    reasons.extend(unseen.map(|row| format!("{}: too short for a single observation", row.name)));
    Ok((Causality { litmus, ..so_far }, outcome(requests.len(), reasons)))
}

/// Every one of `clocks` between every one of `pairs`.
fn of_pairs(pairs: &[(u32, u32)], clocks: &[ClockId]) -> impl Iterator<Item = (ClockId, u32, u32)> {
    pairs.iter().flat_map(|(a, b)| clocks.iter().map(|clock| (clock.clone(), *a, *b)))
}

/// The results of `requests`, each with an equal share of the time of `part`, and why some have none.
fn in_turn<R, T>(
    session: &mut Session<'_>,
    part: Part,
    requests: &[R],
    ask: impl Fn(&Session<'_>, &R, u64) -> Result<T, String>,
) -> (Vec<T>, Vec<String>) {
    let budget_ms = (session.budget_ms(part) / requests.len().max(1) as u64).max(1);
    let (mut seen, mut reasons) = (Vec::new(), Vec::new());
    for (i, request) in requests.iter().enumerate() {
        session.goes_on(part, i as f64 / requests.len() as f64);
        match ask(session, request, budget_ms) {
            Ok(answer) => seen.push(answer),
            Err(reason) => {
                reasons.push(reason);
                if session.observer.cancelled() {
                    break;
                }
            }
        }
    }
    (seen, reasons)
}

/// Observes again the clocks with too few new values: at the end of a run, when both CPUs may be free. Excludes those
/// that change too rarely to yield more in the time.
pub fn observed_again(session: &Session<'_>, mut rows: Vec<Litmus>, steps: &Steps) -> Vec<Litmus> {
    let budget_ms = (session.budget_ms(LITMUS) / rows.len().max(1) as u64).max(1);
    let shortest_step_ns = budget_ms as f64 * 1e6 / Litmus::FEWEST_NEW_VALUES as f64;
    let moves_often = |id: &ClockId| steps.iter().all(|(clock, step)| clock != id || *step < shortest_step_ns);
    for row in rows.iter_mut().filter(|row| row.violations == 0 && !row.is_telling()) {
        if !session.has_time() {
            break;
        }
        if !moves_often(&row.name) {
            continue;
        }
        let request = LitmusTask { source: row.name.clone(), writer: row.writer, reader: row.reader };
        // Earlier observations are kept if this fails, or yields less.
        match observe(session, &request, budget_ms) {
            Ok(again) if again.violations > 0 || again.fresh > row.fresh => *row = again,
            _ => {}
        }
    }
    rows
}

fn observe(session: &Session<'_>, request: &LitmusTask, budget_ms: u64) -> Result<Litmus, WorkerFailure> {
    let (samples, disturbance) = session.ask(None, budget_ms, request)?;
    Ok(estimate::litmus(request, &samples, session.rate_of(&request.source), disturbance))
}

/// Why `cpus` are fewer than the two that it takes; None if they are not.
pub fn reason_too_few_cpus(cpus: &[u32]) -> Option<String> {
    match cpus {
        [] => {
            let reason = reason_unknown_cpus().map_or_else(String::new, |reason| format!(": {reason}"));
            Some(format!("cannot tell which CPUs this process may use{reason}"))
        }
        [cpu] => Some(format!("only CPU {cpu} is available; this takes two")),
        _ => None,
    }
}
