use std::ops::Range;

use chronoscope_harness::machine::{KnownCore, known_core};
use chronoscope_harness::quantity::count;
use chronoscope_harness::record::Machine;
use chronoscope_harness::record::study::InterferenceProbe;

/// This many shared iterations, and this share of all, are a second state of the core rather than a few interrupts.
const FEWEST_SHARED: (u64, f64) = (10, 0.02);
/// A core with this share of its known turns per link is shared. Two threads halve them; with even fewer, the core is
/// not the one it reports to be.
pub const SHARED_SHARES_OF_TURNS: Range<f64> = 0.4..0.8;

/// Turns of the empty loop per link of the chain in the quietest iterations.
pub fn turns_per_link(probe: &InterferenceProbe) -> f64 {
    probe.quiet_link_ns / probe.quiet_turn_ns
}

/// The length of a core cycle, in nanoseconds, where this core shows it: it does three turns per link, as one does whose turns take one
/// cycle and whose multiplications take three.
///
/// # Sources
/// A. Fog, "Instruction tables": `imul r64, r64` has a latency of 3 cycles on all cores by Intel since Nehalem and by AMD since Zen.
pub fn core_cycle_ns(probe: &InterferenceProbe) -> Option<f64> {
    const THREE: Range<f64> = 2.85..3.15;
    THREE.contains(&turns_per_link(probe)).then_some(probe.quiet_link_ns / 3.0)
}

/// Turns per link that `core` does without a neighbour, if it is identified and its cycle counts are published.
pub fn turns_per_link_alone(core: KnownCore) -> Option<f64> {
    core.turns_per_link.filter(|_| !core.is_emulated)
}

/// Whether even the quietest iterations look shared, so that every latency is that of a shared core. False if a second, shared
/// state was observed, or if turns per link match the identified core alone; None if neither can be determined.
///
/// There are two kinds of evidence: a second state of the core in the same run, or published cycle counts of an identified
/// core. Without either the question stays open.
///
/// # Sources
/// A latency chain paired with a throughput kernel as a detector of shared cores: own measurement, see DESIGN.md.
pub fn shared_throughout(probe: &InterferenceProbe, core: KnownCore) -> Option<bool> {
    let (shared, all) = (probe.iterations_shared, probe.iterations as f64);
    let is_second_state = shared >= FEWEST_SHARED.0 && shared as f64 >= all * FEWEST_SHARED.1;
    if is_second_state && !core.is_emulated {
        return Some(false);
    }
    match turns_per_link(probe) / turns_per_link_alone(core)? {
        share if share >= SHARED_SHARES_OF_TURNS.end => Some(false),
        share => SHARED_SHARES_OF_TURNS.contains(&share).then_some(true),
    }
}

/// A neighbour in this share of the iterations makes latencies and the search for quiet moments those of a noisy machine.
const OFTEN: f64 = 0.1;

/// How often a busy neighbour shared the core, and so what a latency is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbour {
    /// In few iterations or none: the latency is that of the core alone.
    Seldom,
    /// In a tenth of the iterations or more: the latency may be a mixture.
    Often,
    /// In at least half of them: the latency is that of a shared core.
    Mostly,
}

impl Neighbour {
    pub fn of(probe: &InterferenceProbe, core: KnownCore) -> Self {
        let share = probe.iterations_shared as f64 / probe.iterations.max(1) as f64;
        match share {
            _ if core.is_emulated || probe.iterations_shared < FEWEST_SHARED.0 => Self::Seldom,
            0.5.. => Self::Mostly,
            OFTEN.. => Self::Often,
            _ => Self::Seldom,
        }
    }
}

/// How many iterations were undisturbed, and what is known about the others.
pub fn quiet_iterations(probe: &InterferenceProbe, machine: &Machine) -> String {
    let (quiet, all) = (count(probe.iterations_quiet), count(probe.iterations));
    let core = known_core(machine);
    let slow = slow_iterations(probe, core).map_or_else(String::new, |slow| format!("; {slow}"));
    let so = match Neighbour::of(probe, core) {
        Neighbour::Mostly => "the latency is that of a shared core",
        Neighbour::Often => "the latency is that of the core alone, or a mixture with that of a shared one",
        Neighbour::Seldom => "interruptions are in p99, and move the latency little",
    };
    format!("{quiet} of {all} iterations were undisturbed{slow}; {so}")
}

/// What disturbed the others, as far as known. None if nothing was disturbed.
fn slow_iterations(probe: &InterferenceProbe, core: KnownCore) -> Option<String> {
    let slow = probe.iterations.saturating_sub(probe.iterations_quiet);
    // An emulator has no neighbours.
    let shared = if core.is_emulated { 0 } else { probe.iterations_shared.min(slow) };
    let disturbed = format!("the other {} were disturbed", count(slow));
    match (slow, shared) {
        (0, _) => None,
        (_, 0) => Some(disturbed),
        _ => Some(format!(
            "{disturbed}, in {} of them the empty loop ran slow while the multiplication chain kept pace, as on a core \
             shared with a busy neighbour",
            count(shared)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNKNOWN: KnownCore = KnownCore { is_emulated: false, turns_per_link: None };
    const KNOWN: KnownCore = KnownCore { is_emulated: false, turns_per_link: Some(3.0) };
    const EMULATED: KnownCore = KnownCore { is_emulated: true, turns_per_link: Some(3.0) };

    fn probe(quiet_turn_ns: f64, quiet_link_ns: f64, iterations_shared: u64) -> InterferenceProbe {
        InterferenceProbe {
            iterations: 1_000,
            iterations_quiet: 1_000 - iterations_shared,
            iterations_shared,
            quiet_turn_ns,
            quiet_link_ns,
            ..InterferenceProbe::default()
        }
    }

    /// Measured on an idle Sapphire Rapids, whose renamer folds the addition of an immediate: 0.277 and 0.846 ns. The
    /// core was not shared.
    #[test]
    fn an_idle_core_of_three_cycles_per_link_is_not_called_shared() {
        for (core, told) in [(KNOWN, Some(false)), (UNKNOWN, None)] {
            assert_eq!(shared_throughout(&probe(0.277, 0.846, 0), core), told);
        }
    }

    #[test]
    fn a_core_that_is_shared_all_the_time_is_told_where_its_cycles_are_known() {
        for (core, told) in [(KNOWN, Some(true)), (UNKNOWN, None)] {
            assert_eq!(shared_throughout(&probe(0.560, 0.860, 0), core), told);
        }
    }

    /// Two states are two, whatever the core; a few interrupts are none.
    #[test]
    fn a_neighbour_that_comes_and_goes_is_told_on_any_core() {
        assert_eq!(shared_throughout(&probe(0.277, 0.846, 60), UNKNOWN), Some(false));
        assert_eq!(shared_throughout(&probe(0.277, 0.846, 15), UNKNOWN), None);
    }

    #[test]
    fn a_cycle_is_known_where_two_loops_agree_on_it() {
        // A Zen 4 at 3.66 GHz whose counter runs at 2.6.
        assert!(core_cycle_ns(&probe(0.2707, 0.8164, 0)).is_some_and(|ns| (9.474 / ns - 34.8).abs() < 0.1));
        // Shared with another thread, and a core whose multiplications take six cycles.
        assert_eq!([probe(0.560, 0.860, 0), probe(0.5, 3.0, 0)].map(|probe| core_cycle_ns(&probe)), [None, None]);
    }

    #[test]
    fn a_neighbour_in_every_other_iteration_is_not_little() {
        let found = |shared| Neighbour::of(&probe(0.277, 0.846, shared), UNKNOWN);
        assert_eq!([0, 99, 100, 490, 500, 1_000].map(found), {
            use Neighbour::{Mostly, Often, Seldom};
            [Seldom, Seldom, Often, Often, Mostly, Mostly]
        });
        assert_eq!(Neighbour::of(&probe(1.0, 1.0, 900), EMULATED), Neighbour::Seldom);
        // Of ten iterations, one tells nothing.
        let few = InterferenceProbe { iterations: 10, iterations_shared: 6, ..probe(0.277, 0.846, 0) };
        assert_eq!(Neighbour::of(&few, UNKNOWN), Neighbour::Seldom);
    }

    /// In QEMU's translated code a link takes as long as a turn, even when it reports a real core.
    #[test]
    fn an_emulator_has_no_neighbours() {
        let probe = probe(1.0, 1.0, 300);
        assert_eq!((shared_throughout(&probe, EMULATED), turns_per_link_alone(EMULATED)), (None, None));
        assert_eq!(slow_iterations(&probe, EMULATED).as_deref(), Some("the other 300 were disturbed"));
    }
}
