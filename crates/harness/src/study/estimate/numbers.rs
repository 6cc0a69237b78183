//! The two numbers of an operation, process by process, and which of them leads.

use super::iteration::{Iteration, Timed, batches_ns};
use super::observations::{Observations, median};
use crate::record::study::{Estimate, Leading, Mode, RareCalls};
use crate::stats::median_interval;
use crate::study::protocol::ThreadLog;
use crate::study::schedule::CellSpec;

/// What one process found of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Numbers {
    /// Its median batch, per operation.
    pub(super) typical_ns: Option<f64>,
    /// The time of all its operations over their number.
    pub(super) mean_ns: Option<f64>,
}

impl Numbers {
    pub(super) fn get(&self, which: Leading) -> Option<f64> {
        match which {
            Leading::Typical => self.typical_ns,
            Leading::Mean => self.mean_ns,
        }
    }

    /// How many times as long as the typical operation the mean one takes.
    fn excess(&self) -> Option<f64> {
        Some(self.mean_ns? / self.typical_ns?)
    }
}

/// The numbers of each process for one role of a cell, or for all of them.
pub(super) fn by_process(iterations: &[Iteration<'_>], role: Option<usize>, processes: usize) -> Vec<Numbers> {
    of_iterations(iterations, role, processes, |_| true)
}

fn of_iterations(
    iterations: &[Iteration<'_>],
    role: Option<usize>,
    processes: usize,
    counts: fn(&Iteration<'_>) -> bool,
) -> Vec<Numbers> {
    let of_process = |process: usize| {
        let own = || iterations.iter().filter(move |iteration| iteration.process == process && counts(iteration));
        let timed = |iteration: &Iteration<'_>| match role {
            Some(role) => iteration.timed[role],
            None => iteration.timed.iter().copied().sum(),
        };
        Numbers {
            // Nothing takes no time: the clock is too coarse for a single batch.
            typical_ns: median(own().flat_map(|iteration| threads(iteration, role)).flat_map(batches_ns))
                .filter(|ns| *ns > 0.0),
            mean_ns: own().map(timed).sum::<Timed>().mean_ns(),
        }
    };
    (0..processes).map(of_process).collect()
}

fn threads<'a>(iteration: &Iteration<'a>, role: Option<usize>) -> Vec<&'a ThreadLog> {
    match role {
        Some(role) => iteration.roles[role].clone(),
        None => iteration.roles.concat(),
    }
}

/// How many times as long as typical the mean takes, in undisturbed iterations: where others take the CPU away, longer iterations lose
/// it more often.
pub(super) fn excess(seen: &Observations<'_>, iterations: &[Iteration<'_>], role: Option<usize>) -> Option<Estimate> {
    let numbers = of_iterations(iterations, role, seen.processes.len(), |iteration| iteration.quiet);
    median_interval(&numbers.iter().filter_map(Numbers::excess).collect::<Vec<f64>>(), seen.plan.confidence)
}

/// Which number leads. `control` is the excess of an empty loop in the same processes, whose long batches are the machine's.
pub(super) fn leading(
    seen: &Observations<'_>,
    spec: &CellSpec,
    (iterations, role): (&[Iteration<'_>], Option<usize>),
    numbers: &[Numbers],
    control: Option<&Estimate>,
) -> Leading {
    let is_of_all = spec.threads > 1
        || matches!(seen.plan.mode, Mode::Throughput | Mode::SampleTime | Mode::SingleShot)
        || numbers.iter().all(|of| of.typical_ns.is_none());
    let margin = 1.0 + seen.plan.margin_pct.max(0.0) / 100.0;
    let is_longer = |own: Estimate, control: &Estimate| {
        own.has_confidence() && control.has_confidence() && own.low > control.high * margin
    };
    let has_rare_calls = || excess(seen, iterations, role).zip(control).is_some_and(|(own, by)| is_longer(own, by));
    if is_of_all || has_rare_calls() { Leading::Mean } else { Leading::Typical }
}

/// Where interruptions alone make the mean longer by more than this share, a long call may be one of them.
const MOST_INTERRUPTED: f64 = 0.05;

/// Whether the long calls of the cells of this run can be told from interruptions.
pub(super) fn tells_rare_calls(control: &Estimate) -> bool {
    control.high <= 1.0 + MOST_INTERRUPTED
}

/// The calls that part the mean from the typical value: the batches that are longer by at least half of what such a call usually
/// takes. None where they are no rarer than batches.
pub(super) fn rare_calls(iterations: &[Iteration<'_>], role: usize, typical_ns: f64) -> Option<RareCalls> {
    let threads = || iterations.iter().flat_map(|iteration| &iteration.roles[role]);
    let of_thread = |thread: &&ThreadLog| {
        let operations = thread.operations as f64 / thread.batches_ns.len().max(1) as f64;
        let excess_ns = move |ns: &u64| (*ns as f64 - operations * typical_ns).max(0.0);
        thread.batches_ns.iter().map(excess_ns).collect::<Vec<f64>>()
    };
    let excesses: Vec<f64> = threads().flat_map(of_thread).collect();
    let squares: f64 = excesses.iter().map(|ns| ns * ns).sum();
    // Weighed by its own length, a long one counts for what it adds to the mean.
    let usual_ns = squares / excesses.iter().sum::<f64>();
    let long: Vec<f64> = excesses.iter().copied().filter(|ns| *ns >= usual_ns / 2.0).collect();
    let is_rare = !long.is_empty() && long.len() * 2 < excesses.len();
    let operations: f64 = threads().map(|thread| thread.operations as f64).sum();
    is_rare.then(|| RareCalls {
        one_in: operations / long.len() as f64,
        ns: typical_ns + long.iter().sum::<f64>() / long.len() as f64,
    })
}
