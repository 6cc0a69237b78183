//! The times of an iteration's batches, in bounded memory.

/// Maximum times kept of one thread's iteration. An operation whose batches are far shorter than the iteration, as next to a slow one in a
/// group, has millions.
const MOST: usize = 4096;
/// Times for which there is room from the beginning.
const EXPECTED: usize = 64;

/// The times of batches in a row. Beyond [`MOST`], neighbours are summed, and so are as many of those that follow.
#[derive(Debug)]
pub(super) struct BatchLog {
    pub(super) ns: Vec<u64>,
    /// Of the parts that a case times itself: as many, or none.
    parts_ns: Vec<u64>,
    /// Batches in each of them; the last one may still lack some.
    merged: u64,
    /// Batches so far.
    pub(super) batches: u64,
}

impl BatchLog {
    pub(super) fn new() -> Self {
        Self { ns: Vec::with_capacity(EXPECTED), parts_ns: Vec::new(), merged: 1, batches: 0 }
    }

    /// A batch took so long, and so long of that its parts, if it has any.
    pub(super) fn push(&mut self, ns: u64, parts_ns: Option<u64>) {
        let is_even = self.is_even();
        for (sums, added) in [(&mut self.ns, Some(ns)), (&mut self.parts_ns, parts_ns)] {
            match sums.last_mut().filter(|_| !is_even).zip(added) {
                Some((last, added)) => *last = last.saturating_add(added),
                None => sums.extend(added),
            }
        }
        self.batches += 1;
        if self.ns.len() > MOST {
            self.merged *= 2;
            for sums in [&mut self.ns, &mut self.parts_ns] {
                *sums =
                    sums.chunks(2).map(|pair| pair.iter().fold(0, |sum: u64, ns| sum.saturating_add(*ns))).collect();
            }
        }
    }

    /// Whether all times are of equally many batches.
    pub(super) fn is_even(&self) -> bool {
        self.batches.is_multiple_of(self.merged)
    }

    /// The times, those of the parts, and how many batches each is of; the last one may be of more.
    pub(super) fn finish(mut self) -> (Vec<u64>, Vec<u64>, u64) {
        if !self.is_even() {
            for sums in [&mut self.ns, &mut self.parts_ns] {
                let rest = sums.pop().unwrap_or(0);
                sums.iter_mut().last().into_iter().for_each(|last| *last = last.saturating_add(rest));
            }
        }
        (self.ns, self.parts_ns, self.merged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(times: &[u64], has_parts: bool) -> BatchLog {
        let mut log = BatchLog::new();
        times.iter().for_each(|ns| log.push(*ns, has_parts.then_some(ns / 2)));
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
        for (more, times, last, merged) in [(1, MOST / 2, 15, 4), (2, MOST / 2, 18, 4)] {
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
            prop_assert_eq!(log.batches, times.len() as u64);
            let (ns, parts_ns, merged) = log.finish();
            prop_assert!(ns.len() <= MOST && ns.len() as u64 * merged <= times.len() as u64);
            prop_assert_eq!(ns.iter().sum::<u64>(), times.iter().sum::<u64>());
            prop_assert_eq!(parts_ns.len(), if has_parts { ns.len() } else { 0 });
            let parts: u64 = times.iter().filter(|_| has_parts).map(|ns| ns / 2).sum();
            prop_assert_eq!(parts_ns.iter().sum::<u64>(), parts);
        }
    }
}
