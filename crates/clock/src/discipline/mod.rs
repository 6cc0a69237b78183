//! Keeps a counter's clock to the system's: without a thread, without waiting, without a step.
//!
//! Readers use the current [`Segment`](published::Segment). The reader that finds itself past its end looks at the
//! [`Reference`] and publishes the next one; whoever else comes by meanwhile reads on at the least rate that the next
//! one may have. So times never go backwards, whatever the reference says and however long the writer is kept away.

mod baseline;
#[cfg(all(test, not(any(loom, miri))))] // seconds of a machine's life: too slow to interpret
mod fault_tests;
mod kept;
mod knowledge;
#[cfg(all(test, loom))]
mod loom_tests;
mod published;
mod reference;
mod steering;
mod system;
mod writer;

use kept::Kept;
use published::Published;
pub(crate) use reference::Reference;
use steering::shown_or_held;
pub(crate) use system::System;

use crate::sync::{Alone, Ordering::Acquire, const_fn};
use crate::trust::RateSource;
use crate::{Anchor, Ticks};

/// Turns of the slow path before it gives up and reads the system's clock.
const TURNS: u32 = 8;
/// Turns of waiting for another thread's foundation, of at least a few nanoseconds each.
const MOST_SPINS: u32 = 1_000_000;

/// A clock over a counter, kept to a [`Reference`].
#[derive(Debug)]
pub(crate) struct Discipline<R> {
    published: Published,
    kept: Alone<Kept>,
    reference: R,
}

/// What to do where the counter cannot be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum OnDistrust {
    /// Read the system's clock.
    ReadSystem,
    /// Go on with the counter at the last rate known.
    KeepCounting,
}

impl<R> Discipline<R> {
    const_fn! {
        /// A clock that has not been read yet; the first read lays its foundation.
        pub(crate) fn new(reference: R) -> Self {
            Self { published: Published::empty(), kept: Alone(Kept::new()), reference }
        }
    }
}

impl<R: Reference> Discipline<R> {
    /// The time in nanoseconds at the tick that `counter` returns.
    ///
    /// # Ordering
    /// As `counter`, as long as the segment lasts; the one read in a hundred microseconds that looks at the reference is
    /// ordered.
    #[inline(always)]
    pub(crate) fn read(&self, counter: impl FnOnce() -> u64, on_distrust: OnDistrust) -> u64 {
        match self.published.read(counter) {
            Ok(ns) => ns,
            Err(_) => self.read_past_end(on_distrust),
        }
    }

    /// The read that the current segment does not answer.
    #[cold]
    #[inline(never)]
    fn read_past_end(&self, on_distrust: OnDistrust) -> u64 {
        for _ in 0..TURNS {
            let source = self.kept.0.source();
            if source == Some(RateSource::SystemClock) {
                break;
            }
            if let Some(ticks) = self.try_lock() {
                let shown = self.shown_after(ticks);
                self.unlock(ticks);
                if let Some(ns) = shown {
                    // Read once more, so that an interval which begins here does not hold the look at the reference: where
                    // intervals are seldom timed, nearly every start takes a look, and hardly an end.
                    return self.published.read(|| self.reference.ticks()).unwrap_or(ns);
                }
            } else if let Some(last) = self.published.segment() {
                return shown_or_held(last, self.reference.ticks());
            } else if source.is_none() {
                // Another is about to make the first segment, which begins no earlier than what this shows.
                return self.reference.system_ns();
            }
        }
        self.read_without_counter(on_distrust)
    }

    /// The time by the system's clock, or by the counter alone for who asked for that; never less than was shown before.
    #[inline(never)]
    fn read_without_counter(&self, on_distrust: OnDistrust) -> u64 {
        let floor_ns = self.kept.0.floor_ns.load(Acquire);
        if on_distrust == OnDistrust::KeepCounting
            && let Some(gained_ns) = self.kept.0.gained_ns(|| self.reference.ticks())
        {
            return floor_ns.saturating_add(gained_ns);
        }
        let ns = self.reference.system_ns();
        if self.kept.0.is_recheck_due(ns) {
            self.look_again();
        }
        ns.max(floor_ns)
    }

    /// Lays the foundation if none was laid, and says whether times come from the counter. Waits some milliseconds at most
    /// while another thread lays it.
    pub(crate) fn is_counting(&self) -> bool {
        self.read(|| self.reference.ticks(), OnDistrust::ReadSystem);
        for _ in 0..MOST_SPINS {
            match self.kept.0.source() {
                None => core::hint::spin_loop(),
                Some(source) => return source != RateSource::SystemClock,
            }
        }
        false
    }

    /// Whether a segment is there, and so the counter known to be readable.
    #[inline(always)]
    pub(crate) fn is_published(&self) -> bool {
        self.published.is_some()
    }

    /// The counter, or where it does not count nanoseconds of the system's clock.
    #[cold]
    pub(crate) fn ticks(&self) -> Ticks {
        let is_counting = self.is_counting();
        Ticks::from_raw(if is_counting { self.reference.ticks() } else { self.reference.system_ns() })
    }

    /// An anchor of the counter to this clock's own time: for readings that are captured now and converted later.
    pub(crate) fn anchor(&self) -> Anchor {
        if self.is_counting()
            && let Some(segment) = self.published.segment()
        {
            let ticks = self.reference.ticks();
            return Anchor { ticks, reference_ns: shown_or_held(segment, ticks), half_width_ticks: 0 };
        }
        let ns = self.reference.system_ns();
        Anchor { ticks: ns, reference_ns: ns, half_width_ticks: 0 }
    }
}
