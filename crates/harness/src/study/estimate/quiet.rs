use std::collections::BTreeMap;

use super::observations::Observations;
use crate::record::study::InterferenceProbe;
use crate::stats::Distribution;
use crate::study::protocol::IterationLog;

/// A quiet loop takes at most this many times as long as in the quietest visits.
const QUIET_FACTOR: f64 = 1.15;
/// The quietest visits: this share of all.
const QUIETEST_SHARE: f64 = 0.05;

/// How disturbed a visit was, from least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Disturbed {
    /// Not at all, as far as can be seen.
    No,
    /// An SMT sibling used part of the core: dependent chains are hardly affected.
    Shared,
    /// The core ran slow, or a thread was preempted.
    Yes,
}

/// How disturbed each visit of each process was, and the reference used.
///
/// Visits are compared with those of the same thread count, since threads of one program may share a core. With more
/// threads than CPUs the loops are uninformative and preemption is part of the experiment: every visit then counts as
/// undisturbed.
pub(super) fn judge(seen: &Observations<'_>) -> (Vec<Vec<Disturbed>>, Option<InterferenceProbe>) {
    let mut turns = BTreeMap::<u32, Vec<f64>>::new();
    let mut links = BTreeMap::<u32, Vec<f64>>::new();
    let judged = |visit: &IterationLog| {
        let spec = seen.cells.get(visit.cell)?;
        (!seen.is_oversubscribed(spec)).then_some(spec.threads)
    };
    for visit in seen.forks.iter().flatten() {
        if let Some(threads) = judged(visit) {
            turns.entry(threads).or_default().push(slowest_turn(visit));
            links.entry(threads).or_default().push(slowest_link(visit));
        }
    }
    let quietest = |of: BTreeMap<u32, Vec<f64>>| -> BTreeMap<u32, f64> {
        of.into_iter()
            .filter_map(|(threads, all)| Some((threads, Distribution::of(all).quantile(QUIETEST_SHARE)?)))
            .collect()
    };
    let (turns, links) = (quietest(turns), quietest(links));
    let mut canary = InterferenceProbe::default();
    let mut judge = |visit: &IterationLog| {
        let Some((turn, link)) = judged(visit).and_then(|threads| Some((turns.get(&threads)?, links.get(&threads)?)))
        else {
            return Disturbed::No;
        };
        let slow = slowest_link(visit) > link * QUIET_FACTOR;
        let shared = !slow && slowest_turn(visit) > turn * QUIET_FACTOR;
        let preempted = visit.threads.iter().any(|thread| thread.preempted > 0);
        let disturbed = match (slow || preempted, shared) {
            (true, _) => Disturbed::Yes,
            (false, true) => Disturbed::Shared,
            (false, false) => Disturbed::No,
        };
        canary.visits += 1;
        canary.visits_quiet += u64::from(disturbed == Disturbed::No);
        canary.visits_shared += u64::from(shared);
        canary.visits_slow += u64::from(slow);
        canary.visits_preempted += u64::from(preempted);
        disturbed
    };
    let disturbed = seen.forks.iter().map(|visits| visits.iter().map(&mut judge).collect()).collect();
    let least = |of: &BTreeMap<u32, f64>| of.values().copied().reduce(f64::min);
    let canary = least(&turns).zip(least(&links)).map(|(quiet_turn_ns, quiet_link_ns)| InterferenceProbe {
        quiet_turn_ns,
        quiet_link_ns,
        ..canary
    });
    (disturbed, canary)
}

fn slowest_turn(visit: &IterationLog) -> f64 {
    visit.threads.iter().flat_map(|thread| thread.turn_ns).fold(0.0, f64::max)
}

fn slowest_link(visit: &IterationLog) -> f64 {
    visit.threads.iter().flat_map(|thread| thread.link_ns).fold(0.0, f64::max)
}
