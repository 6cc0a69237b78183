use crate::sections::clocks::report::InterferenceProbe;
use chronoscope_harness::machine::KnownCore;
use chronoscope_harness::quantity::count;
use chronoscope_harness::record::study::StudyReport;

/// This many shared visits, and this share of all, are a second state of the core rather than a few interrupts.
const FEWEST_SHARED: (u64, f64) = (10, 0.02);
/// A core with this share of its known turns per link is shared. Two threads halve them; with even fewer, the core is
/// not the one it reports to be.
pub const SHARED_SHARES_OF_TURNS: std::ops::Range<f64> = 0.4..0.8;

/// What the probe's two loops showed around the visits of a study. None if no visit was judged, or if the clock stalled during the
/// quietest.
///
/// There are two kinds of evidence on whether the core was shared throughout: a second state of the core in the same
/// run, or published cycle counts of an identified core. Without either the question stays open.
///
/// # Sources
/// A latency chain paired with a throughput kernel as a detector of shared cores: own measurement, see DESIGN.md.
pub fn probe(study: &StudyReport, core: KnownCore) -> Option<InterferenceProbe> {
    let canary = study.canary.as_ref().filter(|canary| canary.quiet_turn_ns > 0.0 && canary.quiet_link_ns > 0.0)?;
    let turns_per_link = canary.quiet_link_ns / canary.quiet_turn_ns;
    let visits_shared = (!core.is_emulated).then_some(canary.visits_shared);
    let turns_per_link_alone = core.turns_per_link.filter(|_| !core.is_emulated);
    let is_second_state = visits_shared
        .is_some_and(|visits| visits >= FEWEST_SHARED.0 && visits as f64 >= canary.visits as f64 * FEWEST_SHARED.1);
    let shared_throughout = match turns_per_link_alone {
        _ if is_second_state => Some(false),
        Some(alone) => match turns_per_link / alone {
            share if share >= SHARED_SHARES_OF_TURNS.end => Some(false),
            share => SHARED_SHARES_OF_TURNS.contains(&share).then_some(true),
        },
        None => None,
    };
    let has_quiet = |fork: &usize| {
        let of_fork = study.cells.iter().filter_map(|cell| cell.forks.get(*fork));
        of_fork.flat_map(|fork| &fork.visits).any(|visit| visit.quiet)
    };
    Some(InterferenceProbe {
        rounds: canary.visits,
        rounds_quiet: canary.visits_quiet,
        forks_quiet: (0..study.forks.len()).filter(has_quiet).count() as u32,
        quiet_turn_ns: canary.slowest_quiet_turn_ns(),
        chain_link_ns: canary.quiet_link_ns,
        turns_per_link,
        turns_per_link_alone,
        rounds_shared: visits_shared,
        shared_throughout,
    })
}

impl InterferenceProbe {
    /// What disturbed the visits that do not count, as far as known. None if all count.
    pub fn slow_rounds(&self) -> Option<String> {
        let slow = self.rounds.saturating_sub(self.rounds_quiet);
        let shared = self.rounds_shared.unwrap_or(0).min(slow);
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_harness::record::parse_study;
    use chronoscope_harness::record::study::InterferenceProbe as Canary;

    const UNKNOWN: KnownCore = KnownCore { is_emulated: false, turns_per_link: None };
    const KNOWN: KnownCore = KnownCore { is_emulated: false, turns_per_link: Some(3.0) };
    const EMULATED: KnownCore = KnownCore { is_emulated: true, turns_per_link: Some(3.0) };

    #[test]
    fn nothing_is_told_by_a_clock_that_stood_still() {
        for (quiet_turn_ns, quiet_link_ns) in [(0.0, 0.0), (0.0, 0.8), (0.3, 0.0)] {
            let canary = Canary { visits: 1_000, quiet_turn_ns, quiet_link_ns, ..Canary::default() };
            let record = parse_study(include_str!("../../../../tests/fixtures/study.json")).unwrap();
            assert_eq!(probe(&StudyReport { canary: Some(canary), ..record.content.study }, KNOWN), None);
        }
    }

    fn found(quiet_turn_ns: f64, quiet_link_ns: f64, visits_shared: u64, core: KnownCore) -> InterferenceProbe {
        let record = parse_study(include_str!("../../../../tests/fixtures/study.json")).unwrap();
        let canary = Canary {
            visits: 1_000,
            visits_quiet: 1_000 - visits_shared,
            visits_shared,
            quiet_turn_ns,
            quiet_link_ns,
            ..Canary::default()
        };
        probe(&StudyReport { canary: Some(canary), ..record.content.study }, core).unwrap()
    }

    /// Measured on an idle Sapphire Rapids, whose renamer folds the addition of an immediate: 0.277 and 0.846 ns. The
    /// core was not shared.
    #[test]
    fn an_idle_core_of_three_cycles_per_link_is_not_called_shared() {
        for (core, told) in [(KNOWN, Some(false)), (UNKNOWN, None)] {
            let found = found(0.277, 0.846, 0, core);
            assert_eq!((found.shared_throughout, found.rounds_shared), (told, Some(0)));
        }
    }

    #[test]
    fn a_core_that_is_shared_all_the_time_is_told_where_its_cycles_are_known() {
        for (core, told) in [(KNOWN, Some(true)), (UNKNOWN, None)] {
            assert_eq!(found(0.560, 0.860, 0, core).shared_throughout, told);
        }
    }

    /// Two states are two, whatever the core; a few interrupts are none.
    #[test]
    fn a_neighbour_that_comes_and_goes_is_told_on_any_core() {
        assert_eq!(found(0.277, 0.846, 60, UNKNOWN).shared_throughout, Some(false));
        assert_eq!(found(0.277, 0.846, 15, UNKNOWN).shared_throughout, None);
    }

    /// In QEMU's translated code a link takes as long as a turn, even when it reports a real core.
    #[test]
    fn an_emulator_has_no_neighbours() {
        let found = found(1.0, 1.0, 300, EMULATED);
        assert_eq!((found.rounds_shared, found.shared_throughout, found.turns_per_link_alone), (None, None, None));
    }
}
