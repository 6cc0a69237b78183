use chronoscope_clock::Rate;

use super::task::LaneSamples;
use crate::sections::clocks::report::InterferenceProbe;
use chronoscope_harness::machine::KnownCore;
use chronoscope_harness::quantity::count;
use chronoscope_harness::stats::Distribution;

/// A round is quiet if its empty loop took at most this many times as long as in the quietest rounds.
pub const QUIET_FACTOR: f64 = 1.15;
/// The quietest rounds: this share of all.
pub const QUIETEST_SHARE: f64 = 0.05;
/// Slowdown of the empty loop in a shared round, relative to the quietest rounds: two threads share a core's width
/// about evenly.
const SHARED_FACTORS: std::ops::RangeInclusive<f64> = 1.5..=2.5;
/// This many shared rounds, and this share of all, are a second state of the core rather than a few interrupts.
const FEWEST_SHARED: (u64, f64) = (10, 0.002);
/// A core with this share of its known turns per link is shared. Two threads halve them; with even fewer, the core is
/// not the one it reports to be.
pub const SHARED_SHARES_OF_TURNS: std::ops::Range<f64> = 0.4..0.8;

/// Which rounds of each process were quiet.
#[derive(Clone, Debug, PartialEq)]
pub struct Quiet {
    /// The results of the two loops.
    pub probe: InterferenceProbe,
    /// For each round of each process, whether it was quiet. The first round of a process never counts.
    pub rounds: Vec<Vec<bool>>,
}

/// Classifies rounds by their batches of the empty loop and the chain. None without batches.
///
/// There are two kinds of evidence on whether the core was shared throughout: a second state of the core in the same
/// run, or published cycle counts of an identified core. Without either the question stays open.
///
/// # Sources
/// A latency chain paired with a throughput kernel as a detector of shared cores: own measurement, see DESIGN.md.
pub fn quiet_rounds(empty: &[LaneSamples], chain: &[LaneSamples], rate: Rate, core: KnownCore) -> Option<Quiet> {
    let turns: Vec<Vec<f64>> = empty.iter().map(|fork| fork.ns_per_read(rate)).collect();
    let links: Vec<Vec<f64>> = chain.iter().map(|fork| fork.ns_per_read(rate)).collect();
    let counted =
        |forks: &[Vec<f64>]| Distribution::of(forks.iter().flat_map(|fork| fork.iter().skip(1)).copied().collect());
    let (all_turns, all_links) = (counted(&turns), counted(&links));
    let quietest_turn_ns = all_turns.quantile(QUIETEST_SHARE)?;
    let quiet_turn_ns = quietest_turn_ns * QUIET_FACTOR;
    let chain_link_ns = all_links.quantile(QUIETEST_SHARE)?;
    let is_quiet = |(round, turn_ns): (usize, &f64)| round > 0 && *turn_ns <= quiet_turn_ns;
    let rounds: Vec<Vec<bool>> = turns.iter().map(|fork| fork.iter().enumerate().map(is_quiet).collect()).collect();
    let quiet_in = |fork: &Vec<bool>| fork.iter().filter(|quiet| **quiet).count() as u64;
    let turns_per_link = chain_link_ns / quietest_turn_ns;
    let total = all_turns.total();
    let rounds_shared = (!core.is_emulated).then(|| shared_rounds(&turns, &links, quietest_turn_ns, chain_link_ns));
    let turns_per_link_alone = core.turns_per_link.filter(|_| !core.is_emulated);
    let is_second_state = rounds_shared
        .is_some_and(|rounds| rounds >= FEWEST_SHARED.0 && rounds as f64 >= total as f64 * FEWEST_SHARED.1);
    let shared_throughout = match turns_per_link_alone {
        _ if is_second_state => Some(false),
        Some(alone) => match turns_per_link / alone {
            share if share >= SHARED_SHARES_OF_TURNS.end => Some(false),
            share => SHARED_SHARES_OF_TURNS.contains(&share).then_some(true),
        },
        None => None,
    };
    let probe = InterferenceProbe {
        rounds: total,
        rounds_quiet: rounds.iter().map(quiet_in).sum(),
        forks_quiet: rounds.iter().filter(|fork| quiet_in(fork) > 0).count() as u32,
        quiet_turn_ns,
        chain_link_ns,
        turns_per_link,
        turns_per_link_alone,
        rounds_shared,
        shared_throughout,
    };
    Some(Quiet { probe, rounds })
}

impl InterferenceProbe {
    /// What disturbed the rounds that do not count, as far as known. None if all count.
    pub fn slow_rounds(&self) -> Option<String> {
        let slow = self.rounds.saturating_sub(self.rounds_quiet);
        let shared = self.rounds_shared.unwrap_or(0).min(slow);
        let ran_slow = format!("the empty loop ran slow in the other {}", count(slow));
        match (slow, shared) {
            (0, _) => None,
            (_, 0) => Some(ran_slow),
            _ => Some(format!(
                "{ran_slow}, in {} of them at about half speed while the multiplication chain kept pace, as on a core shared \
                 with a busy neighbour",
                count(shared)
            )),
        }
    }
}

/// Rounds where the empty loop ran at about half speed but the chain did not, and likewise in a neighbouring round: an
/// interrupt affects one batch, a busy neighbour many.
fn shared_rounds(turns: &[Vec<f64>], links: &[Vec<f64>], turn_ns: f64, link_ns: f64) -> u64 {
    let is_shared =
        |turn: &f64, link: &f64| SHARED_FACTORS.contains(&(turn / turn_ns)) && *link <= link_ns * QUIET_FACTOR;
    let in_fork = |(turns, links): (&Vec<f64>, &Vec<f64>)| {
        let shared: Vec<bool> = turns.iter().zip(links).skip(1).map(|(turn, link)| is_shared(turn, link)).collect();
        let at = |i: usize| shared.get(i).copied().unwrap_or(false);
        (0..shared.len()).filter(|&i| at(i) && (at(i + 1) || i.checked_sub(1).is_some_and(at))).count() as u64
    };
    turns.iter().zip(links).map(in_fork).sum()
}

/// The rounds of one process in which its own empty loop was about as fast as in its quietest ones; the first round
/// never counts.
///
/// For loops that every process compiles anew, whose speed may therefore differ between processes.
pub fn quiet_rounds_of(empty: &LaneSamples) -> Vec<bool> {
    let counted = empty.batch_ticks.iter().skip(1).map(|ticks| *ticks as f64).collect();
    let quiet_ticks = Distribution::of(counted).quantile(QUIETEST_SHARE).unwrap_or(0.0) * QUIET_FACTOR;
    let is_quiet = |(round, ticks): (usize, &u64)| round > 0 && *ticks as f64 <= quiet_ticks;
    empty.batch_ticks.iter().enumerate().map(is_quiet).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNKNOWN: KnownCore = KnownCore { is_emulated: false, turns_per_link: None };
    const KNOWN: KnownCore = KnownCore { is_emulated: false, turns_per_link: Some(3.0) };

    fn lane(ns_per_turn: &[u64]) -> LaneSamples {
        LaneSamples { reads_per_batch: 1000, batch_ticks: ns_per_turn.to_vec() }
    }

    /// A process with the same `turn` and `link` in every round, in thousandths of a nanosecond.
    fn steady(turn: u64, link: u64) -> (Vec<LaneSamples>, Vec<LaneSamples>) {
        (vec![lane(&[turn; 200])], vec![lane(&[link; 200])])
    }

    #[test]
    fn rounds_with_a_slow_loop_are_not_quiet() {
        let empty = [lane(&[900, 380, 610, 375, 376]), lane(&[900, 610, 611, 612, 613])];
        let chain = [lane(&[1900, 1125, 1126, 1125, 1125]), lane(&[1900, 1130, 1125, 1125, 1125])];
        let found = quiet_rounds(&empty, &chain, Rate::NANOSECONDS, UNKNOWN).unwrap();
        assert_eq!(found.rounds[0], [false, true, false, true, true]);
        assert_eq!(found.rounds[1], [false; 5]);
        assert_eq!((found.probe.rounds, found.probe.rounds_quiet, found.probe.forks_quiet), (8, 3, 1));
        assert!((found.probe.turns_per_link - 3.0).abs() < 0.01);
    }

    /// Measured on an idle Sapphire Rapids, whose renamer folds the addition of an immediate: 0.277 and 0.846 ns. The
    /// core was not shared.
    #[test]
    fn an_idle_core_of_three_cycles_per_link_is_not_called_shared() {
        let (empty, chain) = steady(277, 846);
        for (core, told) in [(KNOWN, Some(false)), (UNKNOWN, None)] {
            let found = quiet_rounds(&empty, &chain, Rate::NANOSECONDS, core).unwrap().probe;
            assert_eq!((found.shared_throughout, found.rounds_shared), (told, Some(0)));
        }
    }

    #[test]
    fn a_core_that_is_shared_all_the_time_is_told_where_its_cycles_are_known() {
        let (empty, chain) = steady(560, 860);
        for (core, told) in [(KNOWN, Some(true)), (UNKNOWN, None)] {
            let found = quiet_rounds(&empty, &chain, Rate::NANOSECONDS, core).unwrap().probe;
            assert_eq!(found.shared_throughout, told);
        }
    }

    /// Two states are two, whatever the core.
    #[test]
    fn a_neighbour_that_comes_and_goes_is_told_on_any_core() {
        let turns: Vec<u64> = (0..200).map(|round| if (80..140).contains(&round) { 560 } else { 277 }).collect();
        let found = quiet_rounds(&[lane(&turns)], &[lane(&[846; 200])], Rate::NANOSECONDS, UNKNOWN).unwrap().probe;
        assert_eq!((found.rounds_shared, found.shared_throughout), (Some(60), Some(false)));
    }

    #[test]
    fn interrupts_and_a_slower_frequency_are_no_neighbour() {
        let interrupted: Vec<u64> = (0..200).map(|round| if round % 10 == 5 { 560 } else { 277 }).collect();
        let found = quiet_rounds(&[lane(&interrupted)], &[lane(&[846; 200])], Rate::NANOSECONDS, UNKNOWN).unwrap();
        assert_eq!((found.probe.rounds_shared, found.probe.shared_throughout), (Some(0), None));

        let slowed = |ns: u64| (0..200).map(|round| if round > 100 { ns * 2 } else { ns }).collect::<Vec<u64>>();
        let found = quiet_rounds(&[lane(&slowed(277))], &[lane(&slowed(846))], Rate::NANOSECONDS, UNKNOWN).unwrap();
        assert_eq!((found.probe.rounds_shared, found.probe.shared_throughout), (Some(0), None));
    }

    /// In QEMU's translated code a link takes as long as a turn, even when it reports a real core.
    #[test]
    fn an_emulator_has_no_neighbours() {
        let (empty, chain) = steady(1_000, 1_000);
        let found = quiet_rounds(&empty, &chain, Rate::NANOSECONDS, KNOWN).unwrap().probe;
        assert_eq!(found.shared_throughout, None);

        let emulated = KnownCore { is_emulated: true, turns_per_link: Some(3.0) };
        let turns: Vec<u64> = (0..200).map(|round| if round % 20 < 10 { 2_000 } else { 1_000 }).collect();
        let found = quiet_rounds(&[lane(&turns)], &[lane(&[1_000; 200])], Rate::NANOSECONDS, emulated).unwrap().probe;
        assert_eq!((found.rounds_shared, found.shared_throughout, found.turns_per_link_alone), (None, None, None));
    }

    #[test]
    fn a_process_is_judged_by_its_own_loop() {
        assert_eq!(quiet_rounds_of(&lane(&[300, 380, 610, 375])), [false, true, false, true]);
        assert!(quiet_rounds_of(&lane(&[])).is_empty());
    }

    #[test]
    fn no_rounds_tell_of_no_interference() {
        assert_eq!(quiet_rounds(&[], &[], Rate::NANOSECONDS, UNKNOWN), None);
        assert_eq!(quiet_rounds(&[lane(&[1])], &[lane(&[1])], Rate::NANOSECONDS, UNKNOWN), None);
    }
}
