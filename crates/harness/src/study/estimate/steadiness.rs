//! Whether an operation's time depends on how often it has run, or on when.

use super::iteration::{Iteration, batches_ns};
use super::numbers::own;
use super::observations::Observations;
use crate::record::study::{CellProcess, Leading, Steadiness};
use crate::stats::{median, median_interval, trend};

/// A drift over the run up to this one does not matter: the frequency of a CPU wanders by as much.
const DRIFT_MARGIN: f64 = 0.02;
/// With fewer values, the thirds of a series say nothing.
const FEWEST: usize = 6;

/// The steadiness of a cell from its iterations and the numbers of its processes. None without an iteration.
pub(super) fn steadiness(
    seen: &Observations<'_>,
    iterations: &[Iteration<'_>],
    role: usize,
    numbers: &[CellProcess],
    leads: Leading,
) -> Option<Steadiness> {
    let over = |change: &dyn Fn(&[&Iteration<'_>]) -> Option<f64>| {
        let processes = (0..numbers.len()).filter_map(|process| change(&own(iterations, process).collect::<Vec<_>>()));
        median_interval(processes, seen.plan.confidence)
    };
    let times: Vec<f64> = numbers.iter().filter_map(|of| of.number(leads)).collect();
    let within = |iteration: &&Iteration<'_>| change_pct(&batches(iteration, role));
    // Layouts take turns from one iteration to the next, and start with another in each process: what they differ by moves the
    // median over processes to neither side.
    let level = |iteration: &&Iteration<'_>| median(batches(iteration, role));
    (!times.is_empty()).then(|| Steadiness {
        within_iteration_pct: over(&|own| median(own.iter().filter_map(within))),
        within_process_pct: over(&|own| change_pct(&own.iter().filter_map(level).collect::<Vec<f64>>())),
        drift_over_run_pct: trend(&times, DRIFT_MARGIN).map(|rise| 100.0 * rise),
    })
}

/// The batches of one thread of an iteration, in order.
fn batches(iteration: &Iteration<'_>, role: usize) -> Vec<f64> {
    iteration.roles[role].first().into_iter().flat_map(|thread| batches_ns(thread)).collect()
}

/// By how much the last third of a series is above its middle third, in percent. None for few values, or where the clock did not
/// advance. What only the first third differs by is a warm-up.
fn change_pct(series: &[f64]) -> Option<f64> {
    if series.len() < FEWEST {
        return None;
    }
    let third = series.len() / 3;
    let (middle, last) = (&series[third..series.len() - third], &series[series.len() - third..]);
    let middle = median(middle).filter(|ns| *ns > 0.0)?;
    Some(100.0 * (median(last)? / middle - 1.0))
}
