//! The cost of a token of backoff, and of the empty loop.

use super::iteration::Iteration;
use super::observations::{Observations, median};
use crate::record::study::{Estimate, TokenCost};
use crate::stats::{Distribution, median_interval, straight_line};
use crate::study::schedule::LAYOUTS;

/// The quantile of a process's iterations of one cell taken as undisturbed: disturbances only add time, and a process may
/// meet more of them than a median tolerates.
const UNDISTURBED: f64 = 0.25;

/// Time per turn of an empty loop: for each process its slowest code layout.
pub(super) fn empty_loop(seen: &Observations<'_>, iterations: &[Iteration<'_>]) -> Option<Estimate> {
    let slowest = |process: usize| {
        (0..LAYOUTS).filter_map(|layout| undisturbed(iterations, process, Some(layout))).reduce(f64::max)
    };
    let processes: Vec<f64> = (0..seen.processes.len()).filter_map(slowest).collect();
    median_interval(&processes, seen.plan.confidence)
}

/// The cost of tokens: a straight line where every point's relative error counts the same, so that a thousand tokens do
/// not determine the cost of one.
pub(super) fn cost(seen: &Observations<'_>, iterations: &[Vec<Iteration<'_>>]) -> Option<TokenCost> {
    let cells: Vec<(usize, u64)> =
        seen.calibration().filter(|(_, spec)| spec.tokens > 0).map(|(at, spec)| (at, spec.tokens)).collect();
    let of_process = |at: usize, process: usize| undisturbed(&iterations[at], process, None);
    let said: Vec<(f64, f64)> = cells
        .iter()
        .filter_map(|(at, tokens)| {
            // If the clock stalled, the deviation from the line would be infinite.
            let ns = median((0..seen.processes.len()).filter_map(|process| of_process(*at, process)))
                .filter(|ns| *ns > 0.0)?;
            Some((*tokens as f64, ns))
        })
        .collect();
    // With everything divided by the tokens, the slope is the cost per call, and the intercept the cost per token.
    let line = |of: &[(f64, f64)]| {
        let divided: Vec<(f64, f64)> = of.iter().map(|(tokens, ns)| (1.0 / tokens, ns / tokens)).collect();
        straight_line(&divided, seen.plan.confidence).map(|line| (line.intercept.estimate, line.slope.estimate))
    };
    let lines: Vec<(f64, f64)> = (0..seen.processes.len())
        .filter_map(|process| {
            let seen: Vec<(f64, f64)> =
                cells.iter().filter_map(|(at, tokens)| Some((*tokens as f64, of_process(*at, process)?))).collect();
            line(&seen)
        })
        .collect();
    let interval = |pick: fn(&(f64, f64)) -> f64| {
        median_interval(&lines.iter().map(pick).collect::<Vec<f64>>(), seen.plan.confidence)
    };
    let (ns_per_token, call_ns) = (interval(|line| line.0)?, interval(|line| line.1)?);
    let fitted = |tokens: f64| call_ns.estimate + ns_per_token.estimate * tokens;
    let mean = said.iter().map(|(_, ns)| ns).sum::<f64>() / said.len().max(1) as f64;
    let total: f64 = said.iter().map(|(_, ns)| (ns - mean).powi(2)).sum();
    let left: f64 = said.iter().map(|(tokens, ns)| (ns - fitted(*tokens)).powi(2)).sum();
    let deviations = said.iter().map(|(tokens, ns)| (ns - fitted(*tokens)).abs() / ns.max(f64::MIN_POSITIVE) * 100.0);
    Some(TokenCost {
        ns_per_token,
        call_ns,
        r_squared: if total > 0.0 { 1.0 - left / total } else { 0.0 },
        largest_deviation_pct: deviations.fold(0.0, f64::max),
    })
}

/// What an operation takes in the undisturbed iterations of one process, in one code layout or in all.
fn undisturbed(iterations: &[Iteration<'_>], process: usize, layout: Option<u32>) -> Option<f64> {
    let of_process = iterations.iter().filter(|iteration| iteration.process == process);
    let of_layout = of_process.filter(|iteration| layout.is_none_or(|layout| iteration.log.layout == layout));
    Distribution::of(of_layout.filter_map(|iteration| iteration.time_ns.first().copied()).collect())
        .quantile(UNDISTURBED)
}
