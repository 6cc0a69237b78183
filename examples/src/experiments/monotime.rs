//! The clock of HotSpot on Solaris, and its variant with a granularity.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire};

use chronoscope_clock::{TickSource, Unordered};

/// One shared word with the largest time that anybody has returned. A reader ahead of it by more than the granularity tries to store its
/// own once; if another was faster, it returns what that one stored, however far behind.
///
/// [`Granular`](chronoscope_clock::Granular) differs in two points: it tries again until the word is near enough, so that it knows how stale a
/// reading can be, and its word has a cache line of its own.
///
/// # Sources
/// D. Dice, "Mitigating the Java nanoTime coherence hotspot".
pub(super) struct MonoTime {
    last_ns: AtomicU64,
    granularity_ns: u64,
    source: Unordered,
}

impl MonoTime {
    pub(super) fn new(granularity_ns: u64) -> Self {
        Self { last_ns: AtomicU64::new(0), granularity_ns, source: Unordered::or_system() }
    }

    /// Nanoseconds.
    #[inline(always)]
    pub(super) fn now_ns(&self) -> u64 {
        let now = self.source.read();
        let last = self.last_ns.load(Acquire);
        if now <= last.saturating_add(self.granularity_ns) {
            return last;
        }
        match self.last_ns.compare_exchange(last, now, AcqRel, Acquire) {
            Ok(_) => now,
            Err(stored) => stored,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_never_goes_back_and_repeats_within_a_granularity() {
        for granularity_ns in [0, 1_000_000_000_000] {
            let clock = MonoTime::new(granularity_ns);
            let threads: Vec<Vec<u64>> = std::thread::scope(|scope| {
                let reads = || (0..10_000).map(|_| clock.now_ns()).collect();
                let started: Vec<_> = (0..3).map(|_| scope.spawn(reads)).collect();
                started.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            assert!(threads.iter().all(|reads| reads.is_sorted()));
            let mut all: Vec<u64> = threads.concat();
            all.sort_unstable();
            all.dedup();
            // Before the first store it is at zero; with so long a granularity a machine that has run for less stays there.
            assert!(granularity_ns == 0 || all.len() <= 2, "{}", all.len());
            assert!(granularity_ns > 0 || all.len() > 1);
        }
    }
}
