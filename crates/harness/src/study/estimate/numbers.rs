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
    is_chosen: fn(&Iteration<'_>) -> bool,
) -> Vec<Numbers> {
    let of_process = |process: usize| {
        let own = || iterations.iter().filter(move |iteration| iteration.process == process && is_chosen(iteration));
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

/// The calls that part the mean from the typical value: of undisturbed batches those that are longer by at least half of what such a call
/// usually takes. None where that is no more than a typical batch takes, which a slow spell may add as well.
pub(super) fn rare_calls(iterations: &[Iteration<'_>], role: usize, numbers: &[Numbers]) -> Option<RareCalls> {
    /// How much longer each batch of a thread is than its process's typical one, and how long that is.
    fn excesses(thread: &ThreadLog, typical_ns: f64) -> impl Iterator<Item = (f64, f64)> {
        let batch_ns = thread.operations as f64 / thread.batches_ns.len().max(1) as f64 * typical_ns;
        thread.batches_ns.iter().map(move |ns| ((*ns as f64 - batch_ns).max(0.0), batch_ns))
    }
    let quiet = || {
        let quiet = iterations.iter().filter(|iteration| iteration.quiet);
        let typical = |iteration: &Iteration<'_>| numbers[iteration.process].typical_ns;
        quiet.flat_map(move |one| one.roles[role].iter().filter_map(move |thread| Some((*thread, typical(one)?))))
    };
    let all: Vec<(f64, f64)> = quiet().flat_map(|(thread, typical_ns)| excesses(thread, typical_ns)).collect();
    let squares: f64 = all.iter().map(|(ns, _)| ns * ns).sum();
    // Weighed by its own length, a long one counts for what it adds to the mean.
    let usual_ns = squares / all.iter().map(|(ns, _)| ns).sum::<f64>();
    let long: Vec<f64> = all.iter().map(|(ns, _)| *ns).filter(|ns| *ns >= usual_ns / 2.0).collect();
    let is_a_call = usual_ns > median(all.iter().map(|(_, batch_ns)| *batch_ns))?;
    let is_rare = !long.is_empty() && long.len() * 2 < all.len();
    let operations: f64 = quiet().map(|(thread, _)| thread.operations as f64).sum();
    let typical_ns = median(numbers.iter().filter_map(|of| of.typical_ns))?;
    (is_a_call && is_rare).then(|| RareCalls {
        one_in: operations / long.len() as f64,
        ns: typical_ns + long.iter().sum::<f64>() / long.len() as f64,
    })
}
