use chronoscope_clock::Rate;

use crate::record::Canary;
use crate::stats::Distribution;
use crate::task::latency::LaneSamples;

/// A round is quiet if its empty loop took at most this many times what it takes in the quietest rounds.
pub(super) const QUIET_FACTOR: f64 = 1.15;
/// The quietest rounds: this share of all.
pub(super) const QUIETEST_SHARE: f64 = 0.05;
/// On x86-64 a multiplication takes 3 cycles, the addition behind it 1, and an empty turn 1: a core of one's own does
/// four turns per link. Fewer than this are a core that is shared.
const FEWEST_TURNS_PER_LINK: f64 = 3.2;

/// Which rounds of which process were quiet.
#[derive(Clone, Debug, PartialEq)]
pub struct Quiet {
    /// What is known of the two loops.
    pub canary: Canary,
    /// For each process and each of its rounds, whether it was quiet. The first round of a process never counts.
    pub rounds: Vec<Vec<bool>>,
}

/// Judges rounds by the batches of the empty loop and of the chain in them. None for no batches.
///
/// # Sources
/// A pair of a latency chain and a throughput kernel as a detector of shared cores: own measurement, see DESIGN.md.
/// Cycles of `imul` and `add`: A. Fog, "Instruction tables".
pub fn quiet_rounds(empty: &[LaneSamples], chain: &[LaneSamples], rate: Rate) -> Option<Quiet> {
    let turns: Vec<Vec<f64>> = empty.iter().map(|fork| per_turn(fork, rate)).collect();
    let links: Vec<Vec<f64>> = chain.iter().map(|fork| per_turn(fork, rate)).collect();
    let counted =
        |forks: &[Vec<f64>]| Distribution::of(forks.iter().flat_map(|fork| fork.iter().skip(1)).copied().collect());
    let (all_turns, all_links) = (counted(&turns), counted(&links));
    let quiet_turn_ns = all_turns.quantile(QUIETEST_SHARE)? * QUIET_FACTOR;
    let chain_link_ns = all_links.quantile(QUIETEST_SHARE)?;
    let is_quiet = |(round, turn_ns): (usize, &f64)| round > 0 && *turn_ns <= quiet_turn_ns;
    let rounds: Vec<Vec<bool>> = turns.iter().map(|fork| fork.iter().enumerate().map(is_quiet).collect()).collect();
    let quiet_in = |fork: &Vec<bool>| fork.iter().filter(|quiet| **quiet).count() as u64;
    let turns_per_link = chain_link_ns / (quiet_turn_ns / QUIET_FACTOR);
    let shared_throughout = cfg!(target_arch = "x86_64").then_some(turns_per_link < FEWEST_TURNS_PER_LINK);
    let canary = Canary {
        rounds: all_turns.total(),
        rounds_quiet: rounds.iter().map(quiet_in).sum(),
        forks_quiet: rounds.iter().filter(|fork| quiet_in(fork) > 0).count() as u32,
        quiet_turn_ns,
        chain_link_ns,
        turns_per_link,
        shared_throughout,
    };
    Some(Quiet { canary, rounds })
}

/// Of the rounds of one process those in which its own empty loop was about as fast as in its quietest ones; the first one
/// never counts.
///
/// For loops that every process compiles anew, and that therefore need not be as fast in one as in another.
pub(crate) fn quiet_rounds_of(empty: &LaneSamples) -> Vec<bool> {
    let counted = empty.batch_ticks.iter().skip(1).map(|ticks| *ticks as f64).collect();
    let quiet_ticks = Distribution::of(counted).quantile(QUIETEST_SHARE).unwrap_or(0.0) * QUIET_FACTOR;
    let is_quiet = |(round, ticks): (usize, &u64)| round > 0 && *ticks as f64 <= quiet_ticks;
    empty.batch_ticks.iter().enumerate().map(is_quiet).collect()
}

fn per_turn(fork: &LaneSamples, rate: Rate) -> Vec<f64> {
    let turns = fork.reads_per_batch.max(1) as f64;
    fork.batch_ticks.iter().map(|ticks| rate.ns_of_mean(*ticks as f64) / turns).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane(ns_per_turn: &[u64]) -> LaneSamples {
        LaneSamples { reads_per_batch: 1000, batch_ticks: ns_per_turn.to_vec() }
    }

    #[test]
    fn rounds_with_a_slow_loop_are_not_quiet() {
        let empty = [lane(&[900, 380, 610, 375, 376]), lane(&[900, 610, 611, 612, 613])];
        let chain = [lane(&[1900, 1500, 1501, 1500, 1500]), lane(&[1900, 1510, 1500, 1500, 1500])];
        let found = quiet_rounds(&empty, &chain, Rate::NANOSECONDS).unwrap();
        assert_eq!(found.rounds[0], [false, true, false, true, true]);
        assert_eq!(found.rounds[1], [false; 5]);
        assert_eq!((found.canary.rounds, found.canary.rounds_quiet, found.canary.forks_quiet), (8, 3, 1));
        assert!((found.canary.turns_per_link - 4.0).abs() < 0.01);
    }

    #[test]
    fn a_core_that_is_shared_all_the_time_is_seen_as_such() {
        let found = quiet_rounds(&[lane(&[9, 610, 615])], &[lane(&[9, 1500, 1500])], Rate::NANOSECONDS).unwrap();
        assert_eq!(found.canary.shared_throughout, cfg!(target_arch = "x86_64").then_some(true));
    }

    #[test]
    fn a_process_is_judged_by_its_own_loop() {
        assert_eq!(quiet_rounds_of(&lane(&[300, 380, 610, 375])), [false, true, false, true]);
        assert!(quiet_rounds_of(&lane(&[])).is_empty());
    }

    #[test]
    fn no_rounds_are_no_canary() {
        assert_eq!(quiet_rounds(&[], &[], Rate::NANOSECONDS), None);
        assert_eq!(quiet_rounds(&[lane(&[1])], &[lane(&[1])], Rate::NANOSECONDS), None);
    }
}
