//! Which iterations were disturbed, and by what: said, and left out of nothing.

use std::collections::BTreeMap;

use super::observations::Observations;
use crate::record::study::InterferenceProbe;
use crate::stats::Distribution;
use crate::study::protocol::IterationLog;

const QUIET_FACTOR: f64 = InterferenceProbe::QUIET_FACTOR;
const QUIETEST_SHARE: f64 = InterferenceProbe::QUIETEST_SHARE;
/// With fewer iterations of a cell, those of all cells say what is usual.
const FEWEST_ITERATIONS: usize = 20;

/// Which iterations of a run were undisturbed, and what that was judged by.
pub(super) struct Judged {
    /// For each process and each of its iterations.
    pub(super) quiet: Vec<Vec<bool>>,
    pub(super) probe: Option<InterferenceProbe>,
}

/// What a probe's two loops take: per turn of the empty loop, per link of the chain.
#[derive(Clone, Copy, Debug)]
struct Probe {
    turn_ns: f64,
    link_ns: f64,
}

/// Judges every iteration.
///
/// Iterations are compared with iterations of as many threads, since threads of one program may share a core with each other, and
/// those of a cell with enough of them with its own, since an operation may slow its core. Where there are more threads than CPUs the
/// loops say nothing, and being taken off a CPU is part of the experiment: there every iteration counts as undisturbed.
pub(super) fn judge(seen: &Observations<'_>) -> Judged {
    let mut of_cells: BTreeMap<usize, Vec<Probe>> = BTreeMap::new();
    let mut of_numbers: BTreeMap<u32, Vec<Probe>> = BTreeMap::new();
    for iteration in seen.processes.iter().flatten() {
        if let Some(number) = threads(seen, iteration) {
            of_cells.entry(iteration.cell).or_default().push(Probe::slowest(iteration));
            of_numbers.entry(number).or_default().push(Probe::slowest(iteration));
        }
    }
    let usual: BTreeMap<u32, Probe> =
        of_numbers.iter().filter_map(|(number, probes)| Some((*number, Probe::quietest(probes)?))).collect();
    let own: BTreeMap<usize, Probe> = (of_cells.iter())
        .filter(|(_, probes)| probes.len() >= FEWEST_ITERATIONS)
        .filter_map(|(cell, probes)| Some((*cell, Probe::quietest(probes)?)))
        .collect();
    let mut probe = InterferenceProbe::default();
    let mut judge = |iteration: &IterationLog| {
        let of_number = || threads(seen, iteration).and_then(|number| usual.get(&number));
        let Some(usual) = own.get(&iteration.cell).or_else(of_number) else { return true };
        let found = Probe::slowest(iteration);
        let slow = found.link_ns > usual.link_ns * QUIET_FACTOR;
        let shared = !slow && found.turn_ns > usual.turn_ns * QUIET_FACTOR;
        let lost = iteration.threads.iter().any(|thread| thread.preempted > 0);
        let quiet = !(slow || shared || lost);
        probe.iterations += 1;
        probe.iterations_shared += u64::from(shared);
        probe.iterations_slow += u64::from(slow);
        probe.iterations_preempted += u64::from(lost);
        probe.iterations_quiet += u64::from(quiet);
        quiet
    };
    let quiet = seen.processes.iter().map(|iterations| iterations.iter().map(&mut judge).collect()).collect();
    let least = |of: fn(&Probe) -> f64| usual.values().map(of).reduce(f64::min);
    let probe = least(|probe| probe.turn_ns)
        .zip(least(|probe| probe.link_ns))
        .map(|(quiet_turn_ns, quiet_link_ns)| InterferenceProbe { quiet_turn_ns, quiet_link_ns, ..probe });
    Judged { quiet, probe }
}

/// The number of threads of an iteration; None where more than there are CPUs share them.
fn threads(seen: &Observations<'_>, iteration: &IterationLog) -> Option<u32> {
    let spec = seen.cells.get(iteration.cell)?;
    (!seen.is_oversubscribed(spec)).then_some(spec.threads)
}

impl Probe {
    /// The slowest of an iteration's threads, before or after.
    fn slowest(iteration: &IterationLog) -> Self {
        let threads = || iteration.threads.iter();
        Self {
            turn_ns: threads().flat_map(|thread| thread.turn_ns).fold(0.0, f64::max),
            link_ns: threads().flat_map(|thread| thread.link_ns).fold(0.0, f64::max),
        }
    }

    /// What the quietest of these take; 0 if none was probed, as of another program. None without one.
    fn quietest(probes: &[Self]) -> Option<Self> {
        let quantile = |of: fn(&Self) -> f64| {
            // A clock that stalled around an iteration says nothing about its core.
            let told = probes.iter().map(of).filter(|ns| *ns > 0.0).collect();
            Distribution::of(told).quantile(QUIETEST_SHARE).or_else(|| probes.first().map(|_| 0.0))
        };
        Some(Self { turn_ns: quantile(|probe| probe.turn_ns)?, link_ns: quantile(|probe| probe.link_ns)? })
    }
}
