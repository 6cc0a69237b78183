//! The states of an operation: groups of processes that agree on another time.

use crate::record::study::State;
use crate::stats::{median, states};

/// Groups whose times differ by a smaller share are one.
const APART: f64 = 0.01;

/// The groups of these values, each with what a link of the interference probe's chain took in its process. Processes are told apart in
/// links where that is known, so that a core that changes its pace makes no groups; and by their values, so that it makes none of
/// what waits for memory, either.
pub(super) fn own_states(values: &[(f64, Option<f64>)]) -> Vec<State> {
    let in_links: Option<Vec<f64>> = values.iter().map(|(value, link)| Some(value / (*link)?)).collect();
    let told_apart = in_links.unwrap_or_else(|| values.iter().map(|(value, _)| *value).collect());
    let state = |places: Vec<usize>| {
        Some(State { value: median(places.iter().map(|at| values[*at].0))?, processes: places.len() as u32 })
    };
    let found: Vec<State> = states(&told_apart).into_iter().filter_map(state).collect();
    let are_apart = found.windows(2).all(|two| two[1].value >= two[0].value * (1.0 + APART));
    if are_apart { found } else { Vec::new() }
}

/// Whether ratios fall into groups of which one is beyond the margin on a side of 1 where another is not; each with the ratio of what a
/// link took.
pub(super) fn disagree(ratios: &[(f64, Option<f64>)], margin: f64) -> bool {
    let most = 1.0 + margin.max(0.0);
    let side = |state: &State| (state.value > most, state.value < 1.0 / most);
    own_states(ratios).windows(2).any(|two| side(&two[0]) != side(&two[1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Processes that take `slow` instead of 100 in two of five, by lot, and whose links take another time in those.
    fn processes(slow: f64, slow_link: f64) -> Vec<(f64, Option<f64>)> {
        let is_slow = |process: usize| process * 7 % 5 < 2;
        (0..24).map(|process| if is_slow(process) { (slow, Some(slow_link)) } else { (100.0, Some(1.0)) }).collect()
    }

    #[test]
    fn a_core_that_changes_its_pace_makes_no_states() {
        assert_eq!(own_states(&processes(120.0, 1.0)).len(), 2);
        assert!(own_states(&processes(120.0, 1.2)).is_empty());
        assert!(own_states(&processes(100.0, 1.2)).is_empty(), "what waits for memory keeps its time");
        let unknown: Vec<_> = processes(120.0, 1.2).into_iter().map(|(ns, _)| (ns, None)).collect();
        assert_eq!(own_states(&unknown).len(), 2);
        // Both the operation and the core have two states, each by a lot of its own.
        let both = processes(120.0, 1.0).into_iter().enumerate().map(|(at, (ns, _))| {
            let link = if at % 3 == 1 { 1.024 } else { 1.0 };
            (ns * link, Some(link))
        });
        assert_eq!(own_states(&both.collect::<Vec<_>>()).len(), 2);
    }

    #[test]
    fn states_on_one_side_of_one_agree() {
        let ratios = |values: &[(f64, Option<f64>)], by: f64| -> Vec<(f64, Option<f64>)> {
            values.iter().map(|(value, link)| (value / by, *link)).collect()
        };
        assert!(disagree(&ratios(&processes(120.0, 1.0), 110.0), 0.01));
        assert!(!disagree(&ratios(&processes(120.0, 1.0), 110.0), 0.2), "within the margin");
        assert!(!disagree(&ratios(&processes(120.0, 1.0), 90.0), 0.01));
        assert!(!disagree(&ratios(&processes(100.0, 1.0), 90.0), 0.01));
    }
}
