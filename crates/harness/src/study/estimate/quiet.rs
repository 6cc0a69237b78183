//! Which iterations were disturbed, and by whom: by the machine, or by the operation itself.

use std::collections::BTreeMap;

use statrs::distribution::{DiscreteCDF, Poisson};

use super::observations::{Observations, median};
use crate::record::study::InterferenceProbe;
use crate::stats::Distribution;
use crate::study::protocol::{IterationLog, ThreadLog};
use crate::study::schedule::CellSpec;

const QUIET_FACTOR: f64 = InterferenceProbe::QUIET_FACTOR;
const QUIETEST_SHARE: f64 = InterferenceProbe::QUIETEST_SHARE;
/// Of fewer iterations of a cell nothing is said about what its operation does to the core.
const FEWEST_ITERATIONS: usize = 20;
/// An operation is not blamed unless this share of the other cells' iterations is quiet.
const OTHERS_QUIET_SHARE: f64 = 0.5;
/// An operation counts as giving up its CPU by itself if it loses it this many times as often as others, at least this often,
/// and with at most this probability by chance.
const OWN_SWITCHES: (f64, u64, f64) = (4.0, 5, 1e-4);
/// What an operation does to its iterations by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct OwnDoing {
    /// How many times as long the probe's chain takes around it as elsewhere; None if it takes as long.
    pub(super) slows_core: Option<f64>,
    /// Whether it gives up its CPU.
    pub(super) switches: bool,
}

/// Which iterations of a run were undisturbed, and what that was judged by.
pub(super) struct Judged {
    /// For each process and each of its iterations.
    pub(super) quiet: Vec<Vec<bool>>,
    /// For each cell.
    pub(super) own: Vec<OwnDoing>,
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
/// Iterations are compared with iterations of as many threads, since threads of one program may share a core with each other; those of
/// an operation that slows its core, with its own. A switch that is the operation's own doing disturbs nothing: it is part of
/// what the operation takes. Where there are more threads than CPUs the loops say nothing, and being taken off a CPU is part of
/// the experiment: there every iteration counts as undisturbed.
pub(super) fn judge(seen: &Observations<'_>) -> Judged {
    let mut logs = vec![Vec::new(); seen.cells.len()];
    for iteration in seen.processes.iter().flatten().filter(|iteration| threads(seen, iteration).is_some()) {
        logs[iteration.cell].push(iteration);
    }
    let cells: Vec<Iterations> = logs.iter().map(|iterations| Iterations::of(iterations)).collect();
    let mut numbers = BTreeMap::<u32, Iterations>::new();
    for (spec, iterations) in seen.cells.iter().zip(&cells) {
        numbers.entry(spec.threads).or_default().extend(iterations);
    }
    let usual: BTreeMap<u32, Probe> =
        numbers.iter().filter_map(|(number, iterations)| Some((*number, iterations.quietest()?))).collect();
    let own_doing = |(spec, mine): (&CellSpec, &Iterations)| {
        usual.get(&spec.threads).map_or_else(OwnDoing::default, |usual| mine.own_doing(&numbers[&spec.threads], usual))
    };
    let own: Vec<OwnDoing> = seen.cells.iter().zip(&cells).map(own_doing).collect();
    let mut probe = InterferenceProbe::default();
    let mut judge = |iteration: &IterationLog| {
        let Some(usual) = threads(seen, iteration).and_then(|number| usual.get(&number)) else { return true };
        let own = own[iteration.cell];
        let found = Probe::slowest(iteration);
        let slow = found.link_ns > usual.link_ns * own.slows_core.unwrap_or(1.0) * QUIET_FACTOR;
        let shared = !slow && found.turn_ns > usual.turn_ns * own.slows_core.unwrap_or(1.0) * QUIET_FACTOR;
        let lost = switches(iteration) > 0;
        probe.iterations += 1;
        probe.iterations_shared += u64::from(shared);
        probe.iterations_slow += u64::from(slow);
        probe.iterations_preempted += u64::from(lost && !own.switches);
        let quiet = !(slow || shared || lost && !own.switches);
        probe.iterations_quiet += u64::from(quiet);
        quiet
    };
    let quiet = seen.processes.iter().map(|iterations| iterations.iter().map(&mut judge).collect()).collect();
    let least = |of: fn(&Probe) -> f64| usual.values().map(of).reduce(f64::min);
    let probe = least(|probe| probe.turn_ns)
        .zip(least(|probe| probe.link_ns))
        .map(|(quiet_turn_ns, quiet_link_ns)| InterferenceProbe { quiet_turn_ns, quiet_link_ns, ..probe });
    Judged { quiet, own, probe }
}

/// The number of threads of an iteration; None where more than there are CPUs share them.
fn threads(seen: &Observations<'_>, iteration: &IterationLog) -> Option<u32> {
    let spec = seen.cells.get(iteration.cell)?;
    (!seen.is_oversubscribed(spec)).then_some(spec.threads)
}

/// What is known of some iterations together.
#[derive(Clone, Debug, Default)]
struct Iterations {
    turns_ns: Vec<f64>,
    links_ns: Vec<f64>,
    /// Times that threads were taken off their CPUs.
    switches: u64,
    /// How long the threads of each cell measured, all together: the median iteration times their number, since an iteration that lost
    /// its CPU is the longer for it.
    lasted_ns: f64,
}

impl Iterations {
    /// Those to one cell.
    fn of(iterations: &[&IterationLog]) -> Self {
        let probes = || iterations.iter().map(|iteration| Probe::slowest(iteration));
        let threads = || iterations.iter().flat_map(|iteration| &iteration.threads);
        let length_ns = |thread: &ThreadLog| thread.to_ns.saturating_sub(thread.from_ns) as f64;
        Self {
            turns_ns: probes().map(|probe| probe.turn_ns).collect(),
            links_ns: probes().map(|probe| probe.link_ns).collect(),
            switches: iterations.iter().map(|iteration| switches(iteration)).fold(0, u64::saturating_add),
            lasted_ns: median(threads().map(length_ns)).unwrap_or(0.0) * threads().count() as f64,
        }
    }

    fn extend(&mut self, others: &Self) {
        self.turns_ns.extend(&others.turns_ns);
        self.links_ns.extend(&others.links_ns);
        self.switches += others.switches;
        self.lasted_ns += others.lasted_ns;
    }

    /// What the probe takes in the quietest of these iterations; 0 if none was probed, as of another program. None without one.
    fn quietest(&self) -> Option<Probe> {
        // A clock that stalled around an iteration says nothing about its core.
        let told = |values: &[f64]| Distribution::of(values.iter().copied().filter(|ns| *ns > 0.0).collect());
        let quantile = |values: &[f64]| told(values).quantile(QUIETEST_SHARE).or_else(|| values.first().map(|_| 0.0));
        Some(Probe { turn_ns: quantile(&self.turns_ns)?, link_ns: quantile(&self.links_ns)? })
    }

    /// Iterations whose chain took about as long as `usual`.
    fn quiet(&self, usual: &Probe) -> usize {
        self.links_ns.iter().filter(|link_ns| **link_ns <= usual.link_ns * QUIET_FACTOR).count()
    }

    /// What the operation of these iterations does to them by itself, among `all` iterations of as many threads.
    fn own_doing(&self, all: &Self, usual: &Probe) -> OwnDoing {
        let (mine, others) = (self.links_ns.len(), all.links_ns.len() - self.links_ns.len());
        if mine < FEWEST_ITERATIONS || others == 0 {
            return OwnDoing::default();
        }
        let others_quiet = (all.quiet(usual) - self.quiet(usual)) as f64 >= OTHERS_QUIET_SHARE * others as f64;
        let slower = self.quietest().map(|own| own.link_ns / usual.link_ns);
        let (factor, fewest, chance) = OWN_SWITCHES;
        let per_ns = (all.switches - self.switches) as f64 / (all.lasted_ns - self.lasted_ns).max(1.0);
        let expected = per_ns * self.lasted_ns;
        let by_chance = Poisson::new(expected.max(f64::MIN_POSITIVE))
            .map_or(1.0, |poisson| poisson.sf(self.switches.saturating_sub(1)));
        OwnDoing {
            slows_core: slower.filter(|slower| *slower > QUIET_FACTOR && others_quiet),
            switches: self.switches >= fewest && self.switches as f64 > factor * expected && by_chance < chance,
        }
    }
}

impl Probe {
    /// The slowest of an iteration's threads, before or after.
    fn slowest(iteration: &IterationLog) -> Self {
        Self {
            turn_ns: iteration.threads.iter().flat_map(|thread| thread.turn_ns).fold(0.0, f64::max),
            link_ns: iteration.threads.iter().flat_map(|thread| thread.link_ns).fold(0.0, f64::max),
        }
    }
}

/// Times that the threads of an iteration were taken off their CPUs.
fn switches(iteration: &IterationLog) -> u64 {
    iteration.threads.iter().map(|thread| thread.preempted).sum()
}
