//! Whether an operation's time depends on how often it has run: within each process, and from process to process.

use super::observations::median;
use super::visit::{Iteration, batches_ns};
use crate::record::study::Steadiness;
use crate::stats::{self, steady_state, trend};

/// Differences within a process up to this share of the time do not matter: the frequency of a CPU wanders by as much.
const MARGIN: f64 = 0.05;
/// Nor does a drift over the run up to this one, over which that averages out.
const DRIFT_MARGIN: f64 = 0.02;
/// With so many visits a process's series is made of visits; else of batches, which depend on each other within a visit.
const FEWEST_VISITS: usize = 20;

/// The steadiness of a cell from its visits that count. None without a visit.
pub(super) fn steadiness(visits: &[Iteration<'_>], role: usize, processes: usize) -> Option<Steadiness> {
    let counted: Vec<&Iteration<'_>> = visits.iter().filter(|visit| visit.counts).collect();
    // Below the clock's resolution, steadiness is unknown.
    let typical_ns = median(counted.iter().map(|visit| visit.time_ns[role])).filter(|ns| *ns > 0.0)?;
    let mut found = Steadiness::default();
    let (mut slopes, mut means) = (Vec::new(), Vec::new());
    for process in 0..processes {
        let own: Vec<&Iteration<'_>> = counted.iter().copied().filter(|visit| visit.fork == process).collect();
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
        means.extend(median(own.iter().map(|visit| visit.time_ns[role])).map(|ns| (process as f64, ns)));
    }
    found.trend_ns_per_batch = median(slopes);
    let length = means.last().map_or(0.0, |last| last.0 - means[0].0);
    found.drift_over_run_pct = trend(&means, DRIFT_MARGIN).map(|slope| 100.0 * slope * length / typical_ns);
    Some(found)
}

/// What one process measured, in order, as shares of what is usual in its code layout: layouts take turns from visit to visit,
/// and what they differ by is no change over time.
fn series(visits: &[&Iteration<'_>], role: usize) -> Vec<f64> {
    let of_layout = |layout: u32| {
        let of_layout = visits.iter().filter(|visit| visit.log.layout == layout);
        median(of_layout.map(|visit| visit.time_ns[role])).filter(|ns| *ns > 0.0).unwrap_or(1.0)
    };
    let layouts = 1 + visits.iter().map(|visit| visit.log.layout).max().unwrap_or(0);
    let usual_ns: Vec<f64> = (0..layouts).map(of_layout).collect();
    let share = |visit: &Iteration<'_>, ns: f64| ns / usual_ns[visit.log.layout as usize];
    if visits.len() >= FEWEST_VISITS {
        return visits.iter().map(|visit| share(visit, visit.time_ns[role])).collect();
    }
    let of_visit = |visit: &&Iteration<'_>| {
        let first = visit.roles[role].first().copied();
        first.into_iter().flat_map(batches_ns).map(|ns| share(visit, ns)).collect::<Vec<f64>>()
    };
    visits.iter().flat_map(of_visit).collect()
}
