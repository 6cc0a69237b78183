//! Whether an operation's time depends on how often it has run: within each process, and from process to process.

use super::iteration::{Iteration, batches_ns};
use super::observations::median;
use crate::record::study::Steadiness;
use crate::stats::{self, steady_state, trend};

/// Differences within a process up to this share of the time do not matter: the frequency of a CPU wanders by as much.
const MARGIN: f64 = 0.05;
/// Nor does a drift over the run up to this one, over which that averages out.
const DRIFT_MARGIN: f64 = 0.02;
/// With so many iterations a process's series is made of iterations; else of batches, which depend on each other within an iteration.
const FEWEST_ITERATIONS: usize = 20;

/// The steadiness of a cell from its iterations that count. None without an iteration.
pub(super) fn steadiness(iterations: &[Iteration<'_>], role: usize, processes: usize) -> Option<Steadiness> {
    let counted: Vec<&Iteration<'_>> = iterations.iter().filter(|iteration| iteration.counts).collect();
    // Below the clock's resolution, steadiness is unknown.
    let typical_ns = median(counted.iter().map(|iteration| iteration.time_ns[role])).filter(|ns| *ns > 0.0)?;
    let mut found = Steadiness::default();
    let (mut slopes, mut means) = (Vec::new(), Vec::new());
    for process in 0..processes {
        let own: Vec<&Iteration<'_>> =
            counted.iter().copied().filter(|iteration| iteration.process == process).collect();
        let series = series(&own, role);
        let steady = steady_state(&series, MARGIN);
        let count = match steady.class {
            stats::Steadiness::Flat => &mut found.flat,
            stats::Steadiness::WarmUp => &mut found.warm_up,
            stats::Steadiness::SlowDown => &mut found.slow_down,
            stats::Steadiness::NoSteadyState => &mut found.no_steady_state,
            stats::Steadiness::Trend => &mut found.trend,
            stats::Steadiness::TooShort => &mut found.too_short,
        };
        *count += 1;
        slopes.extend(steady.trend_per_index.map(|slope| slope * typical_ns));
        means.extend(median(own.iter().map(|iteration| iteration.time_ns[role])).map(|ns| (process as f64, ns)));
    }
    found.trend_ns_per_batch = median(slopes);
    let length = means.last().map_or(0.0, |last| last.0 - means[0].0);
    found.drift_over_run_pct = trend(&means, DRIFT_MARGIN).map(|slope| 100.0 * slope * length / typical_ns);
    Some(found)
}

/// What one process measured, in order, as shares of what is usual in its code layout: layouts take turns from iteration to iteration,
/// and what they differ by is no change over time.
fn series(iterations: &[&Iteration<'_>], role: usize) -> Vec<f64> {
    let of_layout = |layout: u32| {
        let of_layout = iterations.iter().filter(|iteration| iteration.log.layout == layout);
        median(of_layout.map(|iteration| iteration.time_ns[role])).filter(|ns| *ns > 0.0).unwrap_or(1.0)
    };
    let layouts = 1 + iterations.iter().map(|iteration| iteration.log.layout).max().unwrap_or(0);
    let usual_ns: Vec<f64> = (0..layouts).map(of_layout).collect();
    let share = |iteration: &Iteration<'_>, ns: f64| ns / usual_ns[iteration.log.layout as usize];
    if iterations.len() >= FEWEST_ITERATIONS {
        return iterations.iter().map(|iteration| share(iteration, iteration.time_ns[role])).collect();
    }
    let of_iteration = |iteration: &&Iteration<'_>| {
        let first = iteration.roles[role].first().copied();
        first.into_iter().flat_map(batches_ns).map(|ns| share(iteration, ns)).collect::<Vec<f64>>()
    };
    iterations.iter().flat_map(of_iteration).collect()
}
