//! The two numbers of an operation, process by process, and which of them leads.

use super::iteration::{Iteration, Timed, batches_ns};
use super::observations::Observations;
use crate::record::study::{CellProcess, Estimate, Leading, Mode, RareCalls};
use crate::stats::{median, median_interval};
use crate::study::protocol::ThreadLog;
use crate::study::schedule::CellSpec;

/// The numbers of each process for one role of a cell, or for all of them, without its iterations.
pub(super) fn by_process(iterations: &[Iteration<'_>], role: Option<usize>, processes: usize) -> Vec<CellProcess> {
    let of_process = |process: usize| of(&own(iterations, process).collect::<Vec<_>>(), role);
    (0..processes).map(|process| CellProcess { process: process as u32, ..of_process(process) }).collect()
}

/// The iterations of one process.
pub(super) fn own<'s, 'a>(iterations: &'s [Iteration<'a>], process: usize) -> impl Iterator<Item = &'s Iteration<'a>> {
    iterations.iter().filter(move |iteration| iteration.process == process)
}

fn of(iterations: &[&Iteration<'_>], role: Option<usize>) -> CellProcess {
    let roles = |iteration: &Iteration<'_>| role.map_or(0..iteration.roles.len(), |role| role..role + 1);
    let threads = iterations.iter().flat_map(|iteration| iteration.roles[roles(iteration)].iter().flatten());
    let timed = iterations.iter().flat_map(|iteration| &iteration.timed[roles(iteration)]).copied();
    let of_all = iterations.iter().flat_map(|iteration| &iteration.log.threads);
    CellProcess {
        // Nothing takes no time: the clock is too coarse for a single batch.
        typical_ns: median(threads.flat_map(|thread| batches_ns(thread))).filter(|ns| *ns > 0.0),
        mean_ns: timed.sum::<Timed>().mean_ns(),
        link_ns: median(of_all.flat_map(|thread| thread.link_ns)).filter(|ns| *ns > 0.0),
        ..CellProcess::default()
    }
}

/// What an operation's mean is held against: an empty loop in the same processes, whose long batches are the machine's.
pub(super) struct Control {
    /// For how long each process ran it undisturbed.
    ran_ns: Vec<f64>,
    /// How many times as long as typical its turns take on average.
    excess: Estimate,
}

impl Control {
    pub(super) fn of(seen: &Observations<'_>, iterations: &[Iteration<'_>]) -> Option<Self> {
        let ran_ns: Vec<f64> = (0..seen.processes.len()).map(|process| undisturbed(iterations, process).1).collect();
        Some(Self { excess: excess(seen, iterations, &ran_ns)?, ran_ns })
    }

    /// Whether the long calls of the cells of this run can be told from interruptions.
    pub(super) fn tells_rare_calls(&self) -> bool {
        self.excess.high <= 1.0 + MOST_INTERRUPTED
    }

    /// Whether rare long calls make the mean of these iterations longer than the machine does.
    fn is_exceeded(&self, seen: &Observations<'_>, iterations: &[Iteration<'_>]) -> bool {
        let margin = 1.0 + seen.plan.margin_pct.max(0.0) / 100.0;
        let is_longer =
            |own: Estimate| own.has_confidence() && self.excess.has_confidence() && own.low > self.excess.high * margin;
        excess(seen, iterations, &self.ran_ns).is_some_and(is_longer)
    }
}

/// The undisturbed iterations of a process, and how long they took together.
fn undisturbed<'s, 'a>(iterations: &'s [Iteration<'a>], process: usize) -> (Vec<&'s Iteration<'a>>, f64) {
    let quiet: Vec<_> = own(iterations, process).filter(|iteration| iteration.quiet).collect();
    let took_ns = quiet.iter().flat_map(|iteration| &iteration.timed).map(|timed| timed.ns).sum();
    (quiet, took_ns)
}

/// How many times as long as typical the mean takes, in as many undisturbed iterations of each process as fit `limits_ns`: others take
/// the CPU away from longer iterations more often, and meet a cell more often that runs for longer.
fn excess(seen: &Observations<'_>, iterations: &[Iteration<'_>], limits_ns: &[f64]) -> Option<Estimate> {
    let of_process = |process: usize| {
        let (quiet, took_ns) = undisturbed(iterations, process);
        let all = quiet.len();
        let fit = ((all as f64 * (limits_ns[process] / took_ns).min(1.0)) as usize).max(1);
        // Spread evenly over the rounds.
        let is_chosen = |at: usize| (at + 1) * fit / all > at * fit / all;
        let chosen: Vec<_> = (0..all).filter(|at| is_chosen(*at)).map(|at| quiet[at]).collect();
        let found = of(&chosen, None);
        Some(found.mean_ns? / found.typical_ns?)
    };
    median_interval((0..seen.processes.len()).filter_map(of_process), seen.plan.confidence)
}

/// Which number leads.
pub(super) fn leading(
    seen: &Observations<'_>,
    spec: &CellSpec,
    iterations: &[Iteration<'_>],
    control: Option<&Control>,
) -> Leading {
    let is_of_all = spec.threads > 1
        || matches!(seen.plan.mode, Mode::Throughput | Mode::SampleTime | Mode::SingleShot)
        || by_process(iterations, None, seen.processes.len()).iter().all(|of| of.typical_ns.is_none());
    let is_led = is_of_all || control.is_some_and(|control| control.is_exceeded(seen, iterations));
    if is_led { Leading::Mean } else { Leading::Typical }
}

/// Where interruptions alone make the mean longer by more than this share, a long call may be one of them.
const MOST_INTERRUPTED: f64 = 0.05;

/// The calls that part the mean from the typical value: of undisturbed batches those that are longer by at least half of what such a call
/// usually takes. None where that is no more than a typical batch takes, which a slow spell may add as well.
pub(super) fn rare_calls(iterations: &[Iteration<'_>], role: usize, numbers: &[CellProcess]) -> Option<RareCalls> {
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
