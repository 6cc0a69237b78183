/// A group of fewer values, or of no more than this share of all, may be strays; nor are there more strays than that.
const FEWEST: usize = 3;
const STRAYS: f64 = 0.15;
/// Of fewer values [`states`] says nothing.
pub const FEWEST_FOR_STATES: usize = 10;
/// Groups are apart by at least this share of their values, and by this many times the spread within either.
const APART: (f64, f64) = (0.01, 4.0);

/// The groups into which `values` fall, least first, as their places: empty for fewer than ten values, and
/// unless there are at least two groups, far apart, and drawn by lot.
///
/// Groups are told by gaps: each is at least 1 % of the value, and four times as wide as the middle 80 % of the groups next to it. Up
/// to 15 % of the values may be strays, which are in no group. Values are taken in the order in which they were measured, since
/// a machine that changes also makes groups, but one after the other: of those nothing is said, for which the groups take turns
/// less often than half as often as by chance.
///
/// # Sources
/// Turns: A. Wald, J. Wolfowitz, "On a Test Whether Two Samples are from the Same Population", 1940, the number of runs.
///
/// # Examples
/// ```
/// use chronoscope_harness::stats::states;
///
/// let processes = [135.6, 162.7, 135.7, 135.6, 162.6, 135.6, 162.8, 162.7, 135.6, 162.7];
/// assert_eq!(states(&processes), [vec![0, 2, 3, 5, 8], vec![1, 4, 6, 7, 9]]);
/// assert!(states(&[135.6, 135.7, 135.4, 136.0, 135.6, 137.0, 135.6, 135.5, 135.6, 135.6]).is_empty());
/// ```
pub fn states(values: &[f64]) -> Vec<Vec<usize>> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite() && *value > 0.0).collect();
    sorted.sort_by(f64::total_cmp);
    if sorted.len() < FEWEST_FOR_STATES {
        return Vec::new();
    }
    let most_strays = (STRAYS * sorted.len() as f64) as usize;
    let groups = groups(&sorted).into_iter().filter(|group| group.len() >= FEWEST && group.len() > most_strays);
    let places = |group: &[f64]| -> Vec<usize> {
        let is_in = |at: &usize| (group[0]..=group[group.len() - 1]).contains(&values[*at]);
        (0..values.len()).filter(is_in).collect()
    };
    let found: Vec<Vec<usize>> = groups.map(places).collect();
    let strays = sorted.len() - found.iter().map(Vec::len).sum::<usize>();
    if found.len() < 2 || strays > most_strays || !take_turns(&found) { Vec::new() } else { found }
}

/// Values between gaps that are wide enough for both sides.
fn groups(sorted: &[f64]) -> Vec<&[f64]> {
    let (share, times) = APART;
    let gap = |at: usize| sorted[at] - sorted[at - 1];
    let mut cuts: Vec<usize> = (1..sorted.len()).filter(|at| gap(*at) >= share * sorted[at - 1]).collect();
    // A gap that is narrow for the spread of a group next to it is none; without it, that group is another.
    loop {
        let ends = [&[0], &cuts[..], &[sorted.len()]].concat();
        let is_narrow = |at: usize| {
            let (before, after) = (&sorted[ends[at - 1]..ends[at]], &sorted[ends[at]..ends[at + 1]]);
            gap(ends[at]) < times * spread(before).max(spread(after))
        };
        let narrow =
            (1..ends.len() - 1).filter(|at| is_narrow(*at)).min_by(|a, b| gap(ends[*a]).total_cmp(&gap(ends[*b])));
        let Some(at) = narrow else {
            return ends.windows(2).map(|two| &sorted[two[0]..two[1]]).filter(|group| !group.is_empty()).collect();
        };
        cuts.remove(at - 1);
    }
}

/// The middle 80 % of a group.
fn spread(group: &[f64]) -> f64 {
    let out = group.len() / 10;
    group[group.len() - 1 - out] - group[out]
}

/// Whether the groups follow each other like lots, rather than one after the other.
fn take_turns(groups: &[Vec<usize>]) -> bool {
    let places = groups.iter().enumerate().flat_map(|(group, places)| places.iter().map(move |place| (*place, group)));
    let mut order: Vec<(usize, usize)> = places.collect();
    order.sort_unstable();
    let turns = order.windows(2).filter(|two| two[0].1 != two[1].1).count() as f64;
    let all = order.len() as f64;
    // By chance, neighbours are of one group as often as two that are drawn.
    let alike: f64 = groups.iter().map(|group| group.len() as f64 * (group.len() as f64 - 1.0) / all).sum();
    2.0 * turns >= all - 1.0 - alike
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Random;
    use proptest::prelude::*;

    /// Processes that take `fast` or `slow` with equal chance, give or take 0.1 %.
    fn two(random: &mut Random, n: usize, [fast, slow]: [f64; 2]) -> Vec<f64> {
        (0..n).map(|_| (if random.unit() < 0.5 { fast } else { slow }) * (1.0 + 0.001 * random.normal())).collect()
    }

    #[test]
    fn two_layouts_are_found() {
        let mut random = Random::new(501);
        let found = (0..200).filter(|_| states(&two(&mut random, 24, [135.6, 162.7])).len() == 2).count();
        assert!(found >= 196, "{found} of 200");
    }

    #[test]
    fn a_stray_among_them_is_in_no_group() {
        let mut random = Random::new(502);
        let mut values = two(&mut random, 20, [100.0, 120.0]);
        values.push(300.0);
        assert_eq!(states(&values).iter().map(Vec::len).sum::<usize>(), 20);
    }

    #[test]
    fn noise_is_no_state() {
        let mut random = Random::new(503);
        let normal = (0..2_000).filter(|_| !states(&two(&mut random, 24, [100.0; 2])).is_empty()).count();
        // One process in ten is disturbed, by anything up to a half.
        let mut disturbed =
            || 100.0 * (1.0 + 0.01 * random.normal() + if random.unit() < 0.1 { random.unit() / 2.0 } else { 0.0 });
        let strays =
            (0..2_000).filter(|_| !states(&(0..24).map(|_| disturbed()).collect::<Vec<_>>()).is_empty()).count();
        // Neighbours among the disturbed may look alike.
        assert!(normal == 0 && strays <= 4, "{normal}, {strays}");
    }

    #[test]
    fn a_machine_that_changed_is_no_state() {
        let values: Vec<f64> = (0..24).map(|process| if process < 12 { 100.0 } else { 120.0 }).collect();
        assert!(states(&values).is_empty());
    }

    proptest! {
        #[test]
        fn nothing_panics_and_groups_are_in_order(values in prop::collection::vec(any::<f64>(), 0..40)) {
            let found = states(&values);
            let least = |group: &Vec<usize>| group.iter().map(|at| values[*at]).fold(f64::INFINITY, f64::min);
            prop_assert!(found.windows(2).all(|two| least(&two[0]) < least(&two[1])));
            prop_assert!(found.iter().all(|group| group.len() >= FEWEST));
        }
    }
}
