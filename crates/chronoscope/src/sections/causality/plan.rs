use chronoscope_sources::SourceId;
use chronoscope_sources::os::OsClock;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock_id::ClockId;
use crate::part::{Part, PartRow};
use crate::plan::{Depth, Frame};

pub const OFFSETS: Part = Part::Offsets;
pub const LITMUS: Part = Part::Litmus;

pub const PARTS: &[PartRow] =
    &[PartRow::of_check(OFFSETS, "offsets between CPUs", 25), PartRow::of_check(LITMUS, "causality litmus", 85)];

/// Round trips per pair and clock.
pub const PAIR_ROUNDS: u64 = 20_000;
/// Pairs of CPUs, each way, for the litmus in a thorough run.
const LITMUS_PAIRS: usize = 8;

/// Nothing beyond what can be said of any run.
#[derive(Args, Clone, Debug, Default)]
pub struct Options {}

/// Which clocks to examine between which CPUs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CausalityPlan {
    /// Pairs of CPUs for offsets.
    pub pairs: Vec<(u32, u32)>,
    /// Clocks for offsets.
    pub pair_clocks: Vec<ClockId>,
    /// Pairs of CPUs for the litmus, writer first.
    pub litmus_pairs: Vec<(u32, u32)>,
    pub litmus_clocks: Vec<ClockId>,
}

pub fn plan(frame: &Frame) -> CausalityPlan {
    let names = |pick: &dyn Fn(&SourceId) -> bool| SourceId::all().filter(pick).map(ClockId::Known).collect::<Vec<_>>();
    let pairs = pairs(&frame.cpus, frame.depth.most_pairs());
    CausalityPlan {
        // Both ways: a reader whose clock is ahead of the writer's never sees a time that it has not reached.
        litmus_pairs: {
            let most = if frame.depth == Depth::Thorough { LITMUS_PAIRS } else { 2 };
            pairs.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]).take(most).collect()
        },
        pairs,
        pair_clocks: names(&|id| matches!(id, SourceId::CounterOrdered | SourceId::Os(OsClock::Monotonic))),
        litmus_clocks: names(&|id| id.facts().is_shared_timeline && !id.facts().traps_under_hypervisor),
    }
}

/// All pairs of `cpus`, or if there are more than `most`: each CPU with its neighbour and with the last, evenly
/// thinned.
fn pairs(cpus: &[u32], most: usize) -> Vec<(u32, u32)> {
    let all = cpus.iter().enumerate().flat_map(|(i, a)| cpus[i + 1..].iter().map(move |b| (*a, *b)));
    if cpus.len() * cpus.len().saturating_sub(1) / 2 <= most {
        return all.collect();
    }
    let last = cpus[cpus.len() - 1];
    let neighbours = cpus.windows(2).map(|pair| (pair[0], pair[1]));
    let star = cpus[..cpus.len() - 2].iter().map(|cpu| (*cpu, last));
    let candidates: Vec<_> = star.chain(neighbours).collect();
    let chosen = most.min(candidates.len());
    (0..chosen).map(|i| candidates[i * candidates.len() / chosen]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_litmus_runs_both_ways() {
        for depth in [Depth::Quick, Depth::Normal, Depth::Thorough] {
            let frame = Frame { cpus: vec![3, 5], depth, alone: false };
            assert_eq!(plan(&frame).litmus_pairs, [(3, 5), (5, 3)], "{depth:?}");
        }
    }

    proptest! {
        #[test]
        fn pairs_are_of_two_cpus_each_once(count in 0_u32..300, most in 1_usize..200) {
            let cpus: Vec<u32> = (0..count).map(|cpu| cpu * 2).collect();
            let found = pairs(&cpus, most);
            prop_assert!(found.len() <= most);
            let mut unique = found.clone();
            unique.sort_unstable();
            unique.dedup();
            prop_assert_eq!(unique.len(), found.len());
            prop_assert!(found.iter().all(|(a, b)| a < b && cpus.contains(a) && cpus.contains(b)));
        }
    }
}
