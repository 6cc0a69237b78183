//! The cost of a token of backoff, and of the empty loop.

use super::iteration::Iteration;
use super::numbers::own;
use super::observations::Observations;
use crate::record::study::{Estimate, TokenCost};
use crate::stats::{Distribution, StraightLine, median, median_interval, straight_line};
use crate::study::schedule::LAYOUTS;

/// The quantile of a process's iterations of one cell taken as undisturbed: disturbances only add time, and a process may
/// meet more of them than a median tolerates.
const UNDISTURBED: f64 = 0.25;

/// Time per turn of an empty loop: for each process its slowest code layout.
pub(super) fn empty_loop(seen: &Observations<'_>, iterations: &[Iteration<'_>]) -> Option<Estimate> {
    let slowest = |process: usize| {
        (0..LAYOUTS).filter_map(|layout| undisturbed(iterations, process, Some(layout))).reduce(f64::max)
    };
    median_interval((0..seen.processes.len()).filter_map(slowest), seen.plan.confidence)
}

/// The cost of tokens: a straight line where every point's relative error counts the same, so that a thousand tokens do
/// not determine the cost of one. A process whose line does not rise was disturbed and measured no cost; None if there is no other.
pub(super) fn cost(seen: &Observations<'_>, iterations: &[Vec<Iteration<'_>>]) -> Option<TokenCost> {
    let points = |of_cell: &dyn Fn(usize) -> Option<f64>| {
        let cells = seen.calibration().filter(|(_, spec)| spec.tokens > 0);
        let of_cells = cells.filter_map(|(at, spec)| {
            let tokens = spec.tokens as f64;
            // If the clock stalled, the deviation from the line would be infinite.
            Some((tokens, of_cell(at).filter(|ns| *ns > 0.0)?, (tokens * tokens).recip()))
        });
        of_cells.collect::<Vec<(f64, f64, f64)>>()
    };
    let of_process = |at: usize, process: usize| undisturbed(&iterations[at], process, None);
    let line_of = |process: usize| {
        let line = straight_line(&points(&|at| of_process(at, process)))?;
        (line.slope > 0.0).then_some((process, line))
    };
    let lines: Vec<(usize, StraightLine)> = (0..seen.processes.len()).filter_map(line_of).collect();
    let over =
        |of: fn(&StraightLine) -> f64| median_interval(lines.iter().map(|(_, line)| of(line)), seen.plan.confidence);
    let found = TokenCost {
        ns_per_token: over(|line| line.slope)?,
        call_ns: over(|line| line.intercept)?,
        r_squared: over(|line| line.r_squared)?.estimate,
        largest_deviation_pct: 0.0,
    };
    let typical = points(&|at| median(lines.iter().filter_map(|(process, _)| of_process(at, *process))));
    let deviations = typical.iter().map(|(tokens, ns, _)| 100.0 * (found.ns(*tokens) / ns - 1.0).abs());
    Some(TokenCost { largest_deviation_pct: deviations.fold(0.0, f64::max), ..found })
}

/// What an operation takes in the undisturbed iterations of one process, in one code layout or in all.
fn undisturbed(iterations: &[Iteration<'_>], process: usize, layout: Option<u32>) -> Option<f64> {
    let of_layout =
        own(iterations, process).filter(|iteration| layout.is_none_or(|layout| iteration.log.layout == layout));
    let times = of_layout.flat_map(|iteration| &iteration.timed).map(|timed| timed.ns / timed.operations);
    Distribution::of(times.collect()).quantile(UNDISTURBED)
}
