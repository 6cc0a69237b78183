use core::time::Duration;

use crate::sync::{
    AtomicU64, CachePadded,
    Ordering::{AcqRel, Acquire},
    const_fn, process_wide,
};
use crate::tick_source::Shown;
use crate::{Instant, Now, Reading, TickSource, Unordered};

/// The granularity of [`Granular::process`], in nanoseconds.
pub(crate) const DEFAULT_GRANULARITY_NS: u64 = 1_000;

/// A monotonic and causal clock without a fence, over a counter that need not agree between cores.
///
/// All readings share one word: the largest time that any has returned. A reader whose own clock is ahead of the word by
/// less than the granularity g returns the word and writes nothing; one further ahead advances it. The promise is one object's: two
/// copies of this crate in a process (two versions, a C library in a Rust program) have a [`process`](Self::process) each, and
/// from one to the other a reading can step back by up to g.
///
/// # Units
/// 1 ns, in steps of about the granularity.
///
/// # Ordering
/// The word is loaded with acquire and advanced with release: whatever happened before a time was first returned is
/// visible to all who get that time.
///
/// # Guarantees
/// - *Monotonic and causal* across all threads that read the same object: every value returned has been in the shared
///   word, and the word only grows. This rests on cache coherence alone, not on fences or the source, which may be
///   unordered, skewed between cores, or even go back. It never went back in an emulated machine whose CPUs' counters were
///   59 ms apart, where `CLOCK_MONOTONIC` did (scenario `skew` of the laboratory).
/// - The word starts at the timescale's zero: no reading is before it.
/// - *Staleness* below g: the value is less than g behind the caller's own read of the source. So it may be less than an
///   earlier reading of another clock, or of another `Granular`: compare stamps from one object only.
/// - A source that once jumps far ahead holds this clock there until it catches up: the price of never going back.
/// - With g = 0 every reader writes, and the word becomes a hotspot: see `chronoscope contention`.
/// - Lock-free: a reader stopped anywhere holds nobody up.
///
/// # Sources
/// D. Dice, "Mitigating the Java nanoTime coherence hotspot" (MonoTime).
///
/// # Examples
/// ```
/// use chronoscope_clock::Granular;
/// use core::time::Duration;
///
/// static CLOCK: Granular = Granular::new(Duration::from_micros(1));
/// let shown = CLOCK.now();
/// let seen = std::thread::spawn(|| CLOCK.now()).join().unwrap();
/// assert!(seen >= shown);
/// ```
#[derive(Debug)]
pub struct Granular<S = Unordered> {
    shared: CachePadded<AtomicU64>,
    source: S,
    /// At least 1, so that one comparison tells whether to write.
    granularity_ns: i64,
}

process_wide! {
    static PROCESS: Granular = Granular::new(Duration::from_nanos(DEFAULT_GRANULARITY_NS));
}

impl Granular {
    const_fn! {
        /// A clock with its own shared word, over the process's unordered clock. Granularities above an hour count as an
        /// hour.
        #[must_use]
        pub fn new(granularity: Duration) -> Self {
            Self::over(Unordered::or_system(), granularity)
        }
    }

    /// The process's own clock, with a granularity of 1 µs.
    #[must_use]
    pub fn process() -> &'static Self {
        &PROCESS
    }
}

impl<S: TickSource> Granular<S> {
    /// The time now, stale by less than the granularity.
    #[must_use]
    #[inline(always)]
    pub fn now(&self) -> Instant {
        self.now_of(&self.source)
    }
}

impl<S> Granular<S> {
    const_fn! {
        /// The same clock over `source`, which must count nanoseconds.
        #[must_use]
        pub fn over(source: S, granularity: Duration) -> Self {
            Self { shared: CachePadded(AtomicU64::new(0)), source, granularity_ns: bounded(granularity) }
        }
    }

    #[inline(always)]
    fn now_of(&self, source: &impl TickSource) -> Instant {
        let now = source.read();
        // After the source: whatever that showed, the word is no less than any time that the caller has been shown.
        let seen = self.shared.0.load(Acquire);
        if (now.wrapping_sub(seen) as i64) < self.granularity_ns {
            return Instant::from_bits(seen);
        }
        self.advance(seen, now)
    }

    /// The latest time that [`now`](Self::now) has returned on any thread: one load, no clock read.
    ///
    /// # Guarantees
    /// Monotonic and causal, as `now` is. As stale as the last call of `now`.
    #[must_use]
    #[inline(always)]
    pub fn recent(&self) -> Instant {
        Instant::from_bits(self.shared.0.load(Acquire))
    }

    /// The granularity; 0 counts as the 1 ns of the unit.
    #[must_use]
    pub const fn granularity(&self) -> Duration {
        Duration::from_nanos(self.granularity_ns as u64)
    }

    /// Advances the shared word to `now`, unless another reader has brought it near enough. Not inlined: few readers get
    /// here, and the common path stays short.
    #[cold]
    #[inline(never)]
    fn advance(&self, mut seen: u64, now: u64) -> Instant {
        loop {
            match self.shared.0.compare_exchange(seen, now, AcqRel, Acquire) {
                Ok(_) => return Instant::from_bits(now),
                // What another reader has just put there is nearly always fresh, so one attempt is enough.
                Err(observed) if (now.wrapping_sub(observed) as i64) < self.granularity_ns => {
                    return Instant::from_bits(observed);
                }
                Err(observed) => seen = observed,
            }
        }
    }
}

impl<S: TickSource + Now> Now for Granular<S> {
    #[inline(always)]
    fn now(&self) -> Instant {
        Granular::now(self)
    }

    fn reading(&self) -> Reading {
        let own = self.source.reading();
        own.at(self.now_of(&Shown(own.instant()))).with_step(own.step() + self.granularity())
    }
}

impl<S: TickSource> TickSource for Granular<S> {
    #[inline(always)]
    fn read(&self) -> u64 {
        Granular::now(self).to_bits()
    }
}

/// A granularity in nanoseconds: at least 1, at most an hour.
const fn bounded(granularity: Duration) -> i64 {
    const LONGEST_NS: u128 = 3_600_000_000_000;
    let ns = granularity.as_nanos();
    if ns == 0 {
        1
    } else if ns > LONGEST_NS {
        LONGEST_NS as i64
    } else {
        ns as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FakeClock;
    use proptest::prelude::*;

    #[test]
    fn within_the_granularity_nothing_is_written() {
        let source = FakeClock::new();
        source.advance(Duration::from_micros(10));
        source.set_read_cost(Duration::from_nanos(100));
        let clock = Granular::over(&source, Duration::from_micros(1));
        let first = clock.now();
        for _ in 0..9 {
            assert_eq!(clock.now(), first);
        }
        assert_eq!(clock.now(), first + Duration::from_micros(1));
        assert_eq!(clock.recent(), first + Duration::from_micros(1));
    }

    #[test]
    fn a_readings_bound_holds_the_granularity() {
        let source = FakeClock::new();
        source.advance(Duration::from_micros(10));
        let reading = Granular::over(&source, Duration::from_micros(1)).reading();
        assert_eq!(reading.error_bound().as_nanos(), 1_001);
    }

    #[test]
    fn a_granularity_of_zero_still_returns_what_was_published() {
        let source = FakeClock::new();
        source.advance(Duration::from_micros(10));
        let clock = Granular::over(&source, Duration::ZERO);
        let first = clock.now();
        assert_eq!(clock.now(), first);
        source.step_back(Duration::from_nanos(500));
        assert_eq!(clock.now(), first);
    }

    proptest! {
        #[test]
        fn any_source_becomes_monotonic_and_stays_near(
            steps in proptest::collection::vec((0_u64..5_000, 0_u64..3_000), 1..200), g in 0_u64..2_000,
        ) {
            let source = FakeClock::new();
            source.advance(Duration::from_millis(1));
            let clock = Granular::over(&source, Duration::from_nanos(g));
            let mut last = Instant::ZERO;
            let mut latest = 0;
            for (forward, back) in steps {
                source.advance(Duration::from_nanos(forward));
                source.step_back(Duration::from_nanos(back));
                let now = clock.now();
                prop_assert!(now >= last);
                let shown = TickSource::read(&source);
                latest = latest.max(shown);
                prop_assert!(now.to_bits() <= latest && now.to_bits() + g.max(1) > shown);
                last = now;
            }
        }
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use crate::sync::Ordering::{Relaxed, Release};
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicU64 as Shared;
    use loom::thread;

    /// A counter that each core sees with a skew of its own, and that is executed in no order.
    struct Skewed {
        ticks: Shared,
    }

    impl Skewed {
        fn read_on(&self, skew: u64) -> u64 {
            self.ticks.fetch_add(7, Relaxed) + skew
        }
    }

    struct View(Arc<Skewed>, u64);

    impl TickSource for View {
        fn read(&self) -> u64 {
            self.0.read_on(self.1)
        }
    }

    /// Reads through `shared` as a core with this skew.
    fn read(shared: &Arc<Granular<()>>, counter: &Arc<Skewed>, skew: u64) -> Instant {
        shared.now_of(&View(counter.clone(), skew))
    }

    #[test]
    fn loom_granular_reads_are_causal_over_skewed_counters() {
        // Below, about and above what the cores differ by.
        for granularity_ns in [0, 10, 600] {
            loom::model(move || {
                let clock = Arc::new(Granular::over((), Duration::from_nanos(granularity_ns)));
                let counter = Arc::new(Skewed { ticks: Shared::new(1_000) });
                let board = Arc::new(Shared::new(0));
                let ahead = {
                    let (clock, counter, board) = (clock.clone(), counter.clone(), board.clone());
                    thread::spawn(move || {
                        let shown = read(&clock, &counter, 500);
                        board.store(shown.to_bits(), Release);
                        assert!(read(&clock, &counter, 500) >= shown);
                    })
                };
                let mine = read(&clock, &counter, 0);
                let shown = board.load(Acquire);
                let next = read(&clock, &counter, 0);
                assert!(next >= mine && next.to_bits() >= shown, "{next:?} after {mine:?} and {shown}");
                assert!(clock.recent() >= next);
                ahead.join().unwrap();
            });
        }
    }
}
