//! Some of a study's cells, short enough for an environment variable however many they are.

use serde::{Deserialize, Serialize};

/// Places of cells, as ranges from the first to before the last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CellSet(Vec<(usize, usize)>);

impl CellSet {
    /// For each of `cells` cells, whether it is one of these.
    pub(super) fn flags(&self, cells: usize) -> Vec<bool> {
        let mut flags = vec![false; cells];
        for (from, to) in &self.0 {
            flags[(*from).min(cells)..(*to).min(cells)].fill(true);
        }
        flags
    }
}

/// From places in rising order.
impl FromIterator<usize> for CellSet {
    fn from_iter<I: IntoIterator<Item = usize>>(places: I) -> Self {
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for place in places {
            match ranges.last_mut() {
                Some((_, to)) if *to == place => *to += 1,
                _ => ranges.push((place, place + 1)),
            }
        }
        Self(ranges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_hundred_thousand_cells_fit_an_environment_variable() {
        let all: CellSet = (0..100_000).collect();
        assert_eq!(serde_json::to_string(&all).unwrap(), "[[0,100000]]");
    }

    proptest! {
        #[test]
        fn flags_are_those_of_the_places(places in prop::collection::btree_set(0_usize..50, 0..30), cells in 0_usize..60) {
            let flags = places.iter().copied().collect::<CellSet>().flags(cells);
            prop_assert_eq!(flags, (0..cells).map(|cell| places.contains(&cell)).collect::<Vec<bool>>());
        }
    }
}
