//! The two clocks that the standard library reads on every system that has it.

use std::sync::OnceLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::Unavailable;
use crate::sync::{
    AtomicU32,
    Ordering::{AcqRel, Acquire, Relaxed},
    const_fn, process_wide,
};

process_wide! {
    static FIRST_READ: Origin<Instant> = Origin::new();
}

/// Nanoseconds since the process's first read.
pub(super) fn monotonic_ns() -> u64 {
    since(FIRST_READ.get_or_set(Instant::now))
}

pub(super) fn try_monotonic_ns() -> Result<u64, Unavailable> {
    Ok(monotonic_ns())
}

/// Nanoseconds since 1970.
pub(super) fn try_realtime_ns() -> Result<u64, Unavailable> {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .ok()
        .and_then(|since_1970| u64::try_from(since_1970.as_nanos()).ok())
        .ok_or(Unavailable::because("the system's wall clock is outside 1970–2554"))
}

/// The zero of the nanoseconds; None if readers could not agree on one.
pub(crate) fn zero_of_std() -> Option<Instant> {
    FIRST_READ.get_or_set(Instant::now)
}

fn since(origin: Option<Instant>) -> u64 {
    let Some(origin) = origin else { return 0 };
    crate::nanos::saturating(Instant::now().saturating_duration_since(origin))
}

/// How many first reads may be stopped midway forever before slots run out.
const SLOTS: usize = 16;
const NOT_PUBLISHED: u32 = 0;

/// A value set by the first caller for all.
///
/// A `OnceLock` alone makes others wait for the first caller, which may be stopped, interrupted by a signal handler that
/// reads the clock too, or gone in a forked child. Here every early caller fills its own slot and the first to publish
/// wins: nobody waits.
struct Origin<T> {
    claimed: AtomicU32,
    /// One more than the number of the slot that won.
    published: AtomicU32,
    slots: [OnceLock<T>; SLOTS],
}

impl<T: Copy> Origin<T> {
    const_fn! {
        fn new() -> Self {
            Self {
                claimed: AtomicU32::new(0),
                published: AtomicU32::new(NOT_PUBLISHED),
                slots: [const { OnceLock::new() }; SLOTS],
            }
        }
    }

    /// The value, set to `now()` by the first call. None if all slots are taken and nobody has published: then no caller has one.
    fn get_or_set(&self, now: impl FnOnce() -> T) -> Option<T> {
        let mut published = self.published.load(Acquire);
        if published == NOT_PUBLISHED {
            let claimed = self.claimed.fetch_add(1, Relaxed);
            // Nobody else has this slot, so this never waits.
            self.slots.get(claimed as usize)?.get_or_init(now);
            let mine = claimed + 1;
            published = match self.published.compare_exchange(NOT_PUBLISHED, mine, AcqRel, Acquire) {
                Ok(_) => mine,
                Err(winner) => winner,
            };
        }
        self.slots.get(published as usize - 1)?.get().copied()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn it_starts_at_the_first_read_and_passes_as_an_instant_does() {
        let origin = Origin::new();
        let before = Instant::now();
        let first = since(origin.get_or_set(Instant::now));
        assert!(Duration::from_nanos(first) <= before.elapsed());
        let start = Instant::now();
        std::thread::sleep(Duration::from_millis(5));
        let least = start.elapsed();
        let second = since(origin.get_or_set(Instant::now));
        assert!(Duration::from_nanos(second) >= least);
        assert!(Duration::from_nanos(second) <= before.elapsed());
    }

    #[test]
    fn the_zero_is_where_readings_are_counted_from() {
        let zero = zero_of_std().unwrap();
        let (before, ns, after) = (Instant::now(), monotonic_ns(), Instant::now());
        let shown = zero + Duration::from_nanos(ns);
        assert!(before <= shown && shown <= after, "{before:?} {shown:?} {after:?}");
    }

    /// The last of many reads, none of which is less than the one before.
    fn last_of_many() -> u64 {
        let mut last = monotonic_ns();
        for _ in 0..if cfg!(miri) { 50 } else { 20_000 } {
            let next = monotonic_ns();
            assert!(next >= last, "{last} {next}");
            last = next;
        }
        last
    }

    #[test]
    fn it_never_decreases_on_one_thread() {
        assert!(last_of_many() <= monotonic_ns());
    }

    #[cfg_attr(target_os = "wasi", ignore = "has no threads")]
    #[test]
    fn all_threads_read_one_timescale() {
        let before = monotonic_ns();
        let readers = [(); 4].map(|()| std::thread::spawn(last_of_many));
        for reader in readers {
            let last = reader.join().unwrap();
            assert!(before <= last && last <= monotonic_ns());
        }
    }

    #[test]
    fn a_first_read_that_is_stopped_keeps_nobody_waiting() {
        let origin = Origin::new();
        // The inner calls come while the outer one is half-way, as from a signal handler.
        let outer = origin.get_or_set(|| {
            assert_eq!(origin.get_or_set(|| 2), Some(2));
            assert_eq!(origin.get_or_set(|| 3), Some(2));
            1
        });
        assert_eq!(outer, Some(2));
    }

    #[test]
    fn when_all_slots_are_lost_nobody_gets_a_value_until_one_is_published() {
        let origin = Origin::new();
        let outer = origin.get_or_set(|| {
            // As many threads as there are slots but one, stopped after they claimed theirs.
            origin.claimed.fetch_add(SLOTS as u32 - 1, Relaxed);
            assert_eq!(origin.get_or_set(|| 2), None);
            1
        });
        assert_eq!(outer, Some(1));
        assert_eq!(origin.get_or_set(|| 3), Some(1));
        assert_eq!(since(None), 0);
    }

    #[test]
    fn the_wall_clock_is_that_of_the_standard_library() {
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        // Somebody may set the clock meanwhile, but not every time.
        let agrees = (0..3).any(|_| {
            let before = now();
            let read = Duration::from_nanos(try_realtime_ns().unwrap());
            (before..=now()).contains(&read)
        });
        assert!(agrees);
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;

    #[test]
    fn loom_all_first_reads_agree_on_one_origin() {
        loom::model(|| {
            let origin = Arc::new(Origin::new());
            let others = [1, 2].map(|value| {
                let origin = Arc::clone(&origin);
                loom::thread::spawn(move || origin.get_or_set(|| value))
            });
            let mine = origin.get_or_set(|| 3);
            assert!(mine.is_some());
            for other in others {
                assert_eq!(other.join().unwrap(), mine);
            }
        });
    }
}
