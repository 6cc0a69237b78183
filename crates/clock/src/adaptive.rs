use core::time::Duration;

use crate::granular::bounded;
use crate::sync::{
    AtomicU64, CachePadded,
    Ordering::{AcqRel, Acquire, Relaxed},
    const_fn,
};
use crate::tick_source::Shown;
use crate::{Instant, Now, Reading, TickSource, Unordered};

/// Undisturbed writes in a row after which the granularity shrinks by an eighth.
const CALM_WRITES: u64 = 1024;

/// As [`Granular`](crate::Granular), with a granularity that adapts: fine while a reader is alone, coarse while readers
/// collide.
///
/// A write that loses to another reader's doubles the granularity, up to the coarsest; a thousand undisturbed writes
/// shrink it by an eighth, down to the finest. So with one reader it is as fresh as the finest granularity, and with many
/// it scales as the coarsest.
///
/// # Guarantees
/// Monotonic and causal as [`Granular`](crate::Granular), whose argument does not depend on the granularity. Staleness is
/// below the coarsest granularity.
///
/// # Examples
/// ```
/// use chronoscope_clock::Adaptive;
/// use core::time::Duration;
///
/// static CLOCK: Adaptive = Adaptive::new(Duration::from_nanos(100), Duration::from_micros(2));
/// let shown = CLOCK.now();
/// assert!(CLOCK.now() >= shown);
/// assert!(CLOCK.granularity() <= Duration::from_micros(2));
/// ```
#[derive(Debug)]
pub struct Adaptive<S = Unordered> {
    shared: CachePadded<Shared>,
    source: S,
    finest_ns: u64,
    coarsest_ns: u64,
}

/// What readers look at together, on the same cache lines: whoever writes one word has them all.
#[derive(Debug)]
struct Shared {
    last: AtomicU64,
    granularity_ns: AtomicU64,
    calm_writes: AtomicU64,
}

impl Shared {
    const_fn! {
        fn new(granularity_ns: u64) -> Self {
            Self {
                last: AtomicU64::new(0),
                granularity_ns: AtomicU64::new(granularity_ns),
                calm_writes: AtomicU64::new(0),
            }
        }
    }
}

impl Adaptive {
    const_fn! {
        /// A clock with its own shared word, over the process's unordered clock. Granularities above an hour count as an
        /// hour, a coarsest below the finest as the finest.
        #[must_use]
        pub fn new(finest: Duration, coarsest: Duration) -> Self {
            Self::over(Unordered::or_system(), finest, coarsest)
        }
    }
}

impl<S> Adaptive<S> {
    const_fn! {
        /// The same clock over `source`, which must count nanoseconds.
        #[must_use]
        pub fn over(source: S, finest: Duration, coarsest: Duration) -> Self {
            let (finest_ns, coarsest_ns) = (bounded(finest) as u64, bounded(coarsest) as u64);
            let coarsest_ns = if coarsest_ns < finest_ns { finest_ns } else { coarsest_ns };
            Self { shared: CachePadded(Shared::new(finest_ns)), source, finest_ns, coarsest_ns }
        }
    }

    /// The current granularity.
    #[must_use]
    pub fn granularity(&self) -> Duration {
        Duration::from_nanos(self.shared.0.granularity_ns.load(Relaxed))
    }

    /// The latest time that [`now`](Self::now) has returned on any thread: one load, no clock read.
    #[must_use]
    #[inline(always)]
    pub fn recent(&self) -> Instant {
        Instant::from_nanos(self.shared.0.last.load(Acquire))
    }

    #[inline(always)]
    fn now_of(&self, source: &impl TickSource) -> Instant {
        let now = source.read();
        let seen = self.shared.0.last.load(Acquire);
        let granularity_ns = self.shared.0.granularity_ns.load(Relaxed) as i64;
        if (now.wrapping_sub(seen) as i64) < granularity_ns {
            return Instant::from_nanos(seen);
        }
        self.advance(seen, now)
    }

    #[inline(never)]
    fn advance(&self, mut seen: u64, now: u64) -> Instant {
        loop {
            match self.shared.0.last.compare_exchange(seen, now, AcqRel, Acquire) {
                Ok(_) => {
                    self.calm_down();
                    return Instant::from_nanos(now);
                }
                Err(observed) => {
                    let granularity_ns = self.give_way();
                    if (now.wrapping_sub(observed) as i64) < granularity_ns as i64 {
                        return Instant::from_nanos(observed);
                    }
                    seen = observed;
                }
            }
        }
    }

    /// After a write. If another reader writes at the same moment, one of the two counts is lost, which does no harm.
    fn calm_down(&self) {
        let shared = &self.shared.0;
        let calm_writes = shared.calm_writes.load(Relaxed) + 1;
        if calm_writes < CALM_WRITES {
            return shared.calm_writes.store(calm_writes, Relaxed);
        }
        shared.calm_writes.store(0, Relaxed);
        let granularity_ns = shared.granularity_ns.load(Relaxed);
        if granularity_ns > self.finest_ns {
            shared.granularity_ns.store((granularity_ns - granularity_ns.div_ceil(8)).max(self.finest_ns), Relaxed);
        }
    }

    /// After a collision: coarsens the granularity, and returns it.
    #[cold]
    fn give_way(&self) -> u64 {
        let shared = &self.shared.0;
        let granularity_ns = (shared.granularity_ns.load(Relaxed) * 2).min(self.coarsest_ns);
        shared.granularity_ns.store(granularity_ns, Relaxed);
        shared.calm_writes.store(0, Relaxed);
        granularity_ns
    }
}

impl<S: TickSource> Adaptive<S> {
    /// The time now, stale by less than the current granularity.
    #[must_use]
    #[inline(always)]
    pub fn now(&self) -> Instant {
        self.now_of(&self.source)
    }
}

impl<S: TickSource + Now> Now for Adaptive<S> {
    #[inline(always)]
    fn now(&self) -> Instant {
        Adaptive::now(self)
    }

    fn reading(&self) -> Reading {
        let own = self.source.reading();
        own.at(self.now_of(&Shown(own.instant()))).with_step(own.step() + Duration::from_nanos(self.coarsest_ns))
    }
}

impl<S: TickSource> TickSource for Adaptive<S> {
    #[inline(always)]
    fn read(&self) -> u64 {
        Adaptive::now(self).as_nanos()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::FakeClock;

    const FINEST: Duration = Duration::from_nanos(100);
    const COARSEST: Duration = Duration::from_micros(2);

    #[cfg_attr(miri, ignore = "hundreds of thousands of reads, and nothing in them is unsafe")]
    #[test]
    fn collisions_coarsen_and_calm_refines() {
        let source = FakeClock::new();
        source.advance(Duration::from_millis(1));
        source.set_read_cost(Duration::from_nanos(100));
        let clock = Adaptive::over(&source, FINEST, COARSEST);
        for _ in 0..3 {
            clock.give_way();
        }
        assert_eq!(clock.granularity(), 8 * FINEST);
        for _ in 0..9 {
            clock.give_way();
        }
        assert_eq!(clock.granularity(), COARSEST);
        let mut last = clock.now();
        for _ in 0..20 * 30 * CALM_WRITES {
            let next = clock.now();
            assert!(next >= last);
            last = next;
        }
        assert_eq!(clock.granularity(), FINEST);
        assert_eq!(clock.recent(), last);
    }

    #[test]
    fn a_source_that_goes_back_is_not_shown() {
        let source = FakeClock::new();
        source.advance(Duration::from_millis(1));
        let clock = Adaptive::over(&source, FINEST, COARSEST);
        let shown = clock.now();
        source.step_back(Duration::from_micros(500));
        assert_eq!(clock.now(), shown);
        let coarsest_is_finer = Adaptive::new(COARSEST, FINEST);
        assert_eq!(coarsest_is_finer.granularity(), COARSEST);
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use crate::sync::Ordering::Release;
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicU64 as Word;
    use loom::thread;

    struct Skewed(Arc<Word>, u64);

    impl TickSource for Skewed {
        fn read(&self) -> u64 {
            self.0.fetch_add(7, Relaxed) + self.1
        }
    }

    #[test]
    fn loom_adaptive_reads_are_causal_over_skewed_counters() {
        loom::model(|| {
            let clock = Arc::new(Adaptive::over((), Duration::from_nanos(10), Duration::from_nanos(600)));
            let (counter, board) = (Arc::new(Word::new(1_000)), Arc::new(Word::new(0)));
            let ahead = {
                let (clock, counter, board) = (clock.clone(), counter.clone(), board.clone());
                thread::spawn(move || board.store(clock.now_of(&Skewed(counter, 500)).as_nanos(), Release))
            };
            let own = Skewed(counter, 0);
            let mine = clock.now_of(&own);
            let shown = board.load(Acquire);
            let next = clock.now_of(&own);
            assert!(next >= mine && next.as_nanos() >= shown, "{next:?} after {mine:?} and {shown}");
            ahead.join().unwrap();
        });
    }
}
