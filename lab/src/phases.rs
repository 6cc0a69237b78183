use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// How often readers read before something happens to their machine, while it does, and afterwards.
#[derive(Debug, Default)]
pub struct Phases {
    current: AtomicUsize,
    turns: [AtomicU64; Self::NAMES.len()],
}

impl Phases {
    /// In order; after the last, readers stop.
    pub const NAMES: [&str; 3] = ["before", "during", "afterwards"];

    /// Counts a turn of a reader; false where it is over.
    pub fn count(&self) -> bool {
        let turns = self.turns.get(self.current.load(Ordering::Relaxed));
        turns.is_some_and(|turns| turns.fetch_add(1, Ordering::Relaxed) < u64::MAX)
    }

    /// The next phase begins.
    pub fn advance(&self) {
        self.current.fetch_add(1, Ordering::Relaxed);
    }

    /// Readers stop, whatever the phase.
    pub fn end(&self) {
        self.current.store(Self::NAMES.len(), Ordering::Relaxed);
    }

    /// The turns of each phase so far, of all readers.
    pub fn turns(&self) -> [u64; Self::NAMES.len()] {
        self.turns.each_ref().map(|turns| turns.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::Phases;

    #[test]
    fn turns_count_for_the_phase_that_they_begin_in() {
        let phases = Phases::default();
        for turns in [2, 1, 3] {
            assert!((0..turns).all(|_| phases.count()));
            phases.advance();
        }
        assert!(!phases.count(), "all are over");
        assert_eq!(phases.turns(), [2, 1, 3]);
        let ended = Phases::default();
        ended.end();
        assert!(!ended.count());
    }
}
