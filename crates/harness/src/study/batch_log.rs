//! The times of an iteration's batches, in bounded memory.

/// Maximum times kept of one thread's iteration. An operation whose batches are far shorter than the iteration, as next to a slow one in a
/// group, has millions.
const MOST: usize = 4096;

/// The times of batches in a row. Beyond [`MOST`], neighbours are summed, and so are as many of those that follow.
#[derive(Debug)]
pub(super) struct BatchLog {
    ns: Vec<u64>,
    /// Of the parts that a case times itself: as many, or none.
    parts_ns: Vec<u64>,
    /// Batches in each of them.
    merged: u64,
    /// Batches that are not in them yet, their time, and that of their parts.
    pending: (u64, u64, u64),
    has_parts: bool,
    batches: u64,
}

impl BatchLog {
    pub(super) fn new(expected: usize) -> Self {
        let ns = Vec::with_capacity(expected.min(MOST));
        Self { ns, parts_ns: Vec::new(), merged: 1, pending: (0, 0, 0), has_parts: false, batches: 0 }
    }

    /// A batch took so long.
    pub(super) fn push(&mut self, ns: u64) {
        self.batches += 1;
        self.pending.0 += 1;
        self.pending.1 = self.pending.1.saturating_add(ns);
        if self.is_even() {
            let (_, ns, parts_ns) = std::mem::take(&mut self.pending);
            self.ns.push(ns);
            if self.has_parts {
                self.parts_ns.push(parts_ns);
            }
        }
        if self.ns.len() > MOST {
            // Its last one waits for a neighbour.
            let last = (self.ns.pop().unwrap_or(0), self.parts_ns.pop().unwrap_or(0));
            self.pending = (self.merged, last.0, last.1);
            self.ns = in_pairs(&self.ns);
            self.parts_ns = in_pairs(&self.parts_ns);
            self.merged *= 2;
        }
    }

    /// The parts of the batch that is pushed next took so long.
    pub(super) fn parts(&mut self, ns: u64) {
        self.has_parts = true;
        self.pending.2 += ns;
    }

    /// Batches so far.
    pub(super) fn batches(&self) -> u64 {
        self.batches
    }

    /// Whether all times are of equally many batches.
    pub(super) fn is_even(&self) -> bool {
        self.pending.0 == 0 || self.pending.0 == self.merged
    }

    /// The times, those of the parts, and how many batches each is of; the last one may be of more.
    pub(super) fn finish(mut self) -> (Vec<u64>, Vec<u64>, u64) {
        let (count, ns, parts_ns) = self.pending;
        if let Some(last) = self.ns.last_mut().filter(|_| count > 0) {
            *last = last.saturating_add(ns);
        }
        if let Some(last) = self.parts_ns.last_mut().filter(|_| count > 0) {
            *last += parts_ns;
        }
        (self.ns, self.parts_ns, self.merged)
    }
}

fn in_pairs(ns: &[u64]) -> Vec<u64> {
    ns.chunks(2).map(|pair| pair.iter().fold(0_u64, |sum, ns| sum.saturating_add(*ns))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(times: &[u64], has_parts: bool) -> BatchLog {
        let mut log = BatchLog::new(64);
        for ns in times {
            if has_parts {
                log.parts(ns / 2);
            }
            log.push(*ns);
        }
        log
    }

    #[test]
    fn few_are_kept_as_they_are() {
        let times: Vec<u64> = (0..MOST as u64).collect();
        let parts: Vec<u64> = times.iter().map(|ns| ns / 2).collect();
        assert_eq!(of(&times, false).finish(), (times.clone(), Vec::new(), 1));
        assert_eq!(of(&times, true).finish(), (times, parts, 1));
    }

    #[test]
    fn neighbours_of_many_are_summed() {
        let log = of(&vec![3; 2 * MOST], false);
        assert!(log.is_even());
        assert_eq!(log.finish(), (vec![6; MOST], Vec::new(), 2));
        for (more, times, last, merged) in [(1, MOST, 9, 2), (2, MOST / 2, 18, 4)] {
            let log = of(&vec![3; 2 * MOST + more], false);
            assert!(!log.is_even());
            let (ns, _, found) = log.finish();
            assert_eq!((ns.len(), ns[0], ns[times - 1], found), (times, 3 * merged, last, merged));
        }
    }

    proptest! {
        #[test]
        fn however_many_there_are_nothing_is_lost(
            times in prop::collection::vec(0_u64..1000, 1..20_000),
            has_parts: bool,
        ) {
            let log = of(&times, has_parts);
            prop_assert_eq!(log.batches(), times.len() as u64);
            let (ns, parts_ns, merged) = log.finish();
            prop_assert!(ns.len() <= MOST && ns.len() as u64 * merged <= times.len() as u64);
            prop_assert_eq!(ns.iter().sum::<u64>(), times.iter().sum::<u64>());
            prop_assert_eq!(parts_ns.len(), if has_parts { ns.len() } else { 0 });
            let parts: u64 = times.iter().filter(|_| has_parts).map(|ns| ns / 2).sum();
            prop_assert_eq!(parts_ns.iter().sum::<u64>(), parts);
        }
    }
}
