//! What the threads of each cell share, kept from iteration to iteration as far as memory allows.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::case::{Case, State};
use super::crew::words;
use super::memory::resident_bytes;
use crate::record::study::Parameters;

/// States are kept up to this many bytes in all, for all cells of a process; beyond that a state is made anew for each iteration.
pub(super) const MOST_KEPT_BYTES: u64 = 1 << 30;

/// States by cell.
#[derive(Default)]
pub(super) struct KeptStates {
    states: BTreeMap<usize, Arc<State>>,
    bytes: u64,
}

impl KeptStates {
    /// The state of `cell`: the one of its last iteration if it was kept, else a new one.
    ///
    /// # Errors
    /// What the set-up said when it panicked.
    pub(super) fn get(&mut self, cell: usize, case: &Case, parameters: &Parameters) -> Result<Arc<State>, String> {
        if let Some(state) = self.states.get(&cell) {
            return Ok(state.clone());
        }
        let before = resident_bytes();
        let made = catch_unwind(AssertUnwindSafe(|| (case.setup)(parameters)));
        let state = Arc::new(made.map_err(|panic| format!("its set-up panicked: {}", words(panic.as_ref())))?);
        let bytes = resident_bytes().zip(before).map_or(0, |(after, before)| after.saturating_sub(before));
        if self.bytes + bytes <= MOST_KEPT_BYTES {
            self.bytes += bytes;
            self.states.insert(cell, state.clone());
        }
        Ok(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(bytes: usize) -> Case {
        Case::shared("case".to_owned(), move |_: &Parameters| vec![1_u8; bytes], |bencher, _| bencher.iter(|| ()))
    }

    #[test]
    fn a_small_state_is_kept_and_one_beyond_the_cap_is_not() {
        let mut kept = KeptStates::default();
        let none = Parameters::new();
        let first = kept.get(0, &case(1 << 20), &none).unwrap();
        assert!(Arc::ptr_eq(&first, &kept.get(0, &case(1 << 20), &none).unwrap()));
        kept.bytes = MOST_KEPT_BYTES - (1 << 20);
        let large = kept.get(1, &case(64 << 20), &none).unwrap();
        assert!(!Arc::ptr_eq(&large, &kept.get(1, &case(64 << 20), &none).unwrap()), "made anew");
        assert!(Arc::ptr_eq(&first, &kept.get(0, &case(1 << 20), &none).unwrap()), "others stay");
    }

    #[test]
    fn a_setup_that_panics_says_so() {
        let broken = Case::shared("broken".to_owned(), |_: &Parameters| panic!("no data"), |_, ()| {});
        let Err(reason) = KeptStates::default().get(0, &broken, &Parameters::new()) else { panic!("it panicked") };
        assert!(reason.ends_with("no data"), "{reason}");
    }
}
