//! The two numbers of an operation, process by process, and which of them leads.

use super::iteration::{Iteration, Timed, batches_ns, operations_per_time};
use super::observations::Observations;
use crate::record::study::{CellProcess, Estimate, Leading, Mode, RareCalls};
use crate::stats::{Distribution, median, median_interval};
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
    /// How many times as long as without long calls its turns take on average.
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

/// What an operation takes in batches without a long call: in the median batch. Where that takes half as long again as the lower
/// quartile, most batches may hold a long call, and the quartile has none.
fn without_long_calls_ns<'a>(threads: impl IntoIterator<Item = &'a ThreadLog>) -> Option<f64> {
    const LONGER: f64 = 1.5;
    let seen = Distribution::of(threads.into_iter().flat_map(batches_ns).collect());
    let (quartile, median) = (seen.quantile(0.25)?, seen.quantile(0.5)?);
    Some(if median > quartile * LONGER { quartile } else { median }).filter(|ns| *ns > 0.0)
}

/// How many times as long as batches without long calls the mean takes, in as many undisturbed iterations of each process as fit
/// `limits_ns`: others take the CPU away from longer iterations more often, and meet a cell more often that runs for longer.
fn excess(seen: &Observations<'_>, iterations: &[Iteration<'_>], limits_ns: &[f64]) -> Option<Estimate> {
    let of_process = |process: usize| {
        let (quiet, took_ns) = undisturbed(iterations, process);
        let all = quiet.len();
        let fit = ((all as f64 * (limits_ns[process] / took_ns).min(1.0)) as usize).max(1);
        // Spread evenly over the rounds.
        let is_chosen = |at: usize| (at + 1) * fit / all > at * fit / all;
        let chosen: Vec<_> = (0..all).filter(|at| is_chosen(*at)).map(|at| quiet[at]).collect();
        let mean_ns = chosen.iter().flat_map(|iteration| &iteration.timed).copied().sum::<Timed>().mean_ns();
        let threads = chosen.iter().flat_map(|iteration| iteration.roles.iter().flatten().copied());
        Some(mean_ns? / without_long_calls_ns(threads)?)
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

/// The calls that part the mean from the typical value: undisturbed batches are longer by about so many times what such a call takes.
/// None where that is no more than a batch takes, which a slow spell may add as well, or where most batches hold one.
pub(super) fn rare_calls(iterations: &[Iteration<'_>], role: usize, processes: usize) -> Option<RareCalls> {
    struct Batch {
        operations: f64,
        /// What an operation takes in it.
        own_ns: f64,
        /// What all of it takes longer than one without a long call.
        excess_ns: f64,
    }
    let of_process = |process: usize| {
        let (quiet, _) = undisturbed(iterations, process);
        let threads = || quiet.iter().flat_map(|iteration| iteration.roles[role].iter().copied());
        let usual_ns = without_long_calls_ns(threads())?;
        let of_thread = |thread| {
            let operations = operations_per_time(thread);
            let excess_ns = move |own_ns: f64| (own_ns - usual_ns).max(0.0) * operations;
            batches_ns(thread).map(move |own_ns| Batch { operations, own_ns, excess_ns: excess_ns(own_ns) })
        };
        Some(threads().flat_map(of_thread).collect::<Vec<Batch>>())
    };
    let all: Vec<Batch> = (0..processes).filter_map(of_process).flatten().collect();
    let sum = |of: fn(&Batch) -> f64| all.iter().map(of).sum::<f64>();
    // Weighed by its own length, a long one counts for what it adds to the mean.
    let weighed_ns = sum(|batch| batch.excess_ns.powi(2)) / sum(|batch| batch.excess_ns);
    let (long, others): (Vec<&Batch>, Vec<&Batch>) = all.iter().partition(|batch| batch.excess_ns >= weighed_ns / 2.0);
    // A batch may hold several: then the median of those with any is still what one takes.
    let one_ns = median(long.iter().map(|batch| batch.excess_ns))?;
    let is_a_call = one_ns > median(others.iter().map(|batch| batch.own_ns * batch.operations))?;
    let is_rare = long.len() * 3 < all.len() * 2;
    let calls: f64 = long.iter().map(|batch| (batch.excess_ns / one_ns).round().max(1.0)).sum();
    let others_ns = median(others.iter().map(|batch| batch.own_ns))?;
    (is_a_call && is_rare).then(|| RareCalls {
        one_in: sum(|batch| batch.operations) / calls,
        ns: others_ns + long.iter().map(|batch| batch.excess_ns).sum::<f64>() / calls,
        others_ns,
    })
}
