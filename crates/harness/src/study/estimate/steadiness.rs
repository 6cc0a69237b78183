//! Whether an operation's time depends on how often it has run, or on when.

use super::iteration::{Iteration, batches_ns};
use super::numbers::Numbers;
use super::observations::{Observations, median};
use crate::record::study::{Leading, Steadiness};
use crate::stats::{median_interval, trend};

/// A drift over the run up to this one does not matter: the frequency of a CPU wanders by as much.
const DRIFT_MARGIN: f64 = 0.02;
/// With fewer values, the thirds of a series say nothing.
const FEWEST: usize = 6;

/// The steadiness of a cell from its iterations and the numbers of its processes. None without an iteration.
pub(super) fn steadiness(
    seen: &Observations<'_>,
    iterations: &[Iteration<'_>],
    role: usize,
    numbers: &[Numbers],
    leads: Leading,
) -> Option<Steadiness> {
    let level_ns = median(numbers.iter().filter_map(|of| of.get(leads)))?;
    let of_process =
        |process: usize| iterations.iter().filter(move |iteration| iteration.process == process).collect::<Vec<_>>();
    let processes: Vec<Vec<&Iteration<'_>>> = (0..numbers.len()).map(of_process).collect();
    let over = |change: &dyn Fn(&Vec<&Iteration<'_>>) -> Option<f64>| {
        median_interval(&processes.iter().filter_map(change).collect::<Vec<f64>>(), seen.plan.confidence)
    };
    let times: Vec<(f64, f64)> =
        numbers.iter().enumerate().filter_map(|(process, of)| Some((process as f64, of.get(leads)?))).collect();
    let length = times.last().map_or(0.0, |last| last.0 - times[0].0);
    Some(Steadiness {
        within_iteration_pct: over(&|own| {
            median(own.iter().filter_map(|iteration| change_pct(&batches(iteration, role))))
        }),
        within_process_pct: over(&|own| change_pct(&levels(own, role))),
        drift_over_run_pct: trend(&times, DRIFT_MARGIN).map(|slope| 100.0 * slope * length / level_ns),
    })
}

/// The batches of one thread of an iteration, in order.
fn batches(iteration: &Iteration<'_>, role: usize) -> Vec<f64> {
    iteration.roles[role].first().into_iter().flat_map(|thread| batches_ns(thread)).collect()
}

/// The median batch of each iteration, in order. Layouts take turns from one to the next, and start with another in each process:
/// what they differ by moves the median over processes to neither side.
fn levels(iterations: &[&Iteration<'_>], role: usize) -> Vec<f64> {
    iterations.iter().filter_map(|iteration| median(batches(iteration, role))).collect()
}

/// By how much the last third of a series is above its middle third, in percent. None for few values, or where the clock did not
/// advance. What only the first third differs by is a warm-up.
fn change_pct(series: &[f64]) -> Option<f64> {
    if series.len() < FEWEST {
        return None;
    }
    let third = series.len() / 3;
    let (middle, last) = (&series[third..series.len() - third], &series[series.len() - third..]);
    let middle = median(middle.iter().copied()).filter(|ns| *ns > 0.0)?;
    Some(100.0 * (median(last.iter().copied())? / middle - 1.0))
}
