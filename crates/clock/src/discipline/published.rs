use crate::Line;
use crate::sync::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
    const_fn, fence,
};

/// A stretch of the counter on which one line holds: from `start` for `span` ticks, both ends included.
///
/// The end is part of a segment from its birth. So every reader decides by its own tick alone which segment it may use,
/// and nobody can use a line past the point where its successor takes over, however late the successor is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) line: Line,
    pub(super) start: u64,
    pub(super) span: u32,
}

impl Segment {
    /// The segment as readers will see it: the start's lowest bit says which slot holds it, and the span rides in the
    /// intercept's lowest 32 bits, where it raises the line by less than 2⁻²² ns.
    ///
    /// The intercept is rounded up, so that a segment never begins below the point it was made to continue from.
    fn packed(self, slot: u64) -> Self {
        let start = (self.start & !1) | slot;
        let start = if start > self.start { start.wrapping_sub(2) } else { start };
        let intercept = self.line.intercept().wrapping_add(u128::from(u32::MAX)) & !u128::from(u32::MAX);
        Self { line: Line::from_parts(self.line.slope(), intercept | u128::from(self.span)), start, span: self.span }
    }

    /// Whether its line shows the time at `ticks`: between its ends, or so little before its start that a core whose
    /// counter lags, or a read that was executed early, may be there.
    pub(super) fn holds_at(self, ticks: u64) -> bool {
        let before_start = self.start.wrapping_sub(ticks);
        ticks.wrapping_sub(self.start) <= u64::from(self.span)
            || before_start <= u64::MAX / 2 && self.line.length_ns(before_start) <= LARGEST_LEAD_NS
    }

    pub(super) fn end(self) -> u64 {
        self.start.wrapping_add(u64::from(self.span))
    }
}

/// The current segment, readable without a lock, without a write and without waiting, also from a signal handler that
/// interrupted the writer.
///
/// Two slots: while one is read the other is written. `start` is the sequence number: it differs for every segment, and
/// its lowest bit selects the slot. All of it fits one cache line.
#[derive(Debug)]
#[repr(C, align(128))]
pub(super) struct Published {
    start: AtomicU64,
    slots: [Slot; 2],
}

#[derive(Debug)]
struct Slot {
    slope: AtomicU64,
    intercept_high: AtomicU64,
    intercept_low_and_span: AtomicU64,
}

impl Slot {
    const_fn! {
        fn empty() -> Self {
            Self {
                slope: AtomicU64::new(0),
                intercept_high: AtomicU64::new(0),
                intercept_low_and_span: AtomicU64::new(0),
            }
        }
    }
}

const _: () = assert!(cfg!(loom) || size_of::<AtomicU64>() * 7 <= 64, "readers touch one cache line");

/// How far before its start a segment is still used: more than counters of two cores differ in a machine whose kernel
/// trusts them, less than a jump.
const LARGEST_LEAD_NS: u64 = 1_000_000;

/// A start that no counter comes near.
const NOWHERE: u64 = 1 << 63;

/// Why a read has no time to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Missed;

impl Published {
    const_fn! {
        /// Nothing is published yet: every read misses.
        pub(super) fn empty() -> Self {
            Self { start: AtomicU64::new(NOWHERE), slots: [Slot::empty(), Slot::empty()] }
        }
    }

    /// Whether there is a segment.
    #[inline(always)]
    pub(super) fn is_some(&self) -> bool {
        self.start.load(Acquire) & NOWHERE == 0
    }

    /// The time at the tick that `counter` returns, in nanoseconds.
    ///
    /// # Ordering
    /// As `counter`: the parameters are loaded after every load that an acquire ordered before this call, so a thread
    /// that was shown a time sees at least the segment behind that time.
    #[inline(always)]
    pub(super) fn read(&self, counter: impl FnOnce() -> u64) -> Result<u64, Missed> {
        let start = self.start.load(Acquire);
        if start & NOWHERE != 0 {
            return Err(Missed); // without a read: the counter may be forbidden
        }
        let slot = &self.slots[(start & 1) as usize];
        let slope = slot.slope.load(Relaxed);
        let high = slot.intercept_high.load(Relaxed);
        let low = slot.intercept_low_and_span.load(Relaxed);
        // The data before the second look at the sequence number.
        fence(Acquire);
        let is_torn = self.start.load(Relaxed) != start;
        let ticks = counter();
        let is_outside = ticks.wrapping_sub(start) > low & u64::from(u32::MAX);
        if is_torn | is_outside {
            return Err(Missed);
        }
        Ok(Line::from_parts(slope, (u128::from(high) << 64) | u128::from(low)).ns(ticks))
    }

    /// The current segment; None if it was replaced while it was read, or nothing is published.
    pub(super) fn segment(&self) -> Option<Segment> {
        let start = self.start.load(Acquire);
        let slot = &self.slots[(start & 1) as usize];
        let slope = slot.slope.load(Relaxed);
        let high = slot.intercept_high.load(Relaxed);
        let low = slot.intercept_low_and_span.load(Relaxed);
        fence(Acquire);
        let is_whole = self.start.load(Relaxed) == start && slope != 0;
        let line = Line::from_parts(slope, (u128::from(high) << 64) | u128::from(low));
        is_whole.then_some(Segment { line, start, span: low as u32 })
    }

    /// Replaces the current segment and returns the new one as readers see it. For one writer at a time.
    pub(super) fn publish(&self, segment: Segment) -> Segment {
        let current = self.start.load(Relaxed);
        let segment = segment.packed((current & 1) ^ 1);
        let slot = &self.slots[(segment.start & 1) as usize];
        // A reader that sees what is written below also sees that `start` moved on from the segment that lived here.
        fence(Release);
        slot.slope.store(segment.line.slope(), Relaxed);
        slot.intercept_high.store((segment.line.intercept() >> 64) as u64, Relaxed);
        slot.intercept_low_and_span.store(segment.line.intercept() as u64, Relaxed);
        self.start.store(segment.start, Release);
        segment
    }

    /// Publishes that there is no segment: every read misses.
    pub(super) fn withdraw(&self) {
        let current = self.start.load(Relaxed);
        let slot = &self.slots[((current & 1) ^ 1) as usize];
        fence(Release);
        slot.slope.store(0, Relaxed);
        slot.intercept_high.store(0, Relaxed);
        slot.intercept_low_and_span.store(0, Relaxed);
        self.start.store(NOWHERE | (current & 1) ^ 1, Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn segment(start: u64, span: u32, ns: u64) -> Segment {
        Segment { line: Line::with_frequency(2_000_000_000).unwrap().through(start, ns), start, span }
    }

    #[test]
    fn nothing_published_is_a_miss() {
        let published = Published::empty();
        assert_eq!(published.read(|| 1), Err(Missed));
        assert_eq!(published.segment(), None);
    }

    #[test]
    fn a_segment_holds_between_its_ends_only() {
        let published = Published::empty();
        let shown = published.publish(segment(1_000, 500, 70));
        assert_eq!(published.read(|| shown.start.wrapping_sub(1)), Err(Missed));
        assert_eq!(published.read(|| shown.end()), Ok(shown.line.ns(shown.end())));
        assert_eq!(published.read(|| shown.end() + 1), Err(Missed));
        published.withdraw();
        assert_eq!(published.read(|| shown.end()), Err(Missed));
        assert_eq!(published.segment(), None);
    }

    #[test]
    fn readers_never_see_halves_of_two_segments() {
        // Every published line shows its start's ns at its start; a mixture of two would not.
        let published = Published::empty();
        published.publish(segment(1_000, 1 << 30, 1_000));
        let done = core::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for i in 1..if cfg!(miri) { 20_u64 } else { 100_000 } {
                    published.publish(segment(1_000 + 64 * i, 1 << 30, 1_000 + 64 * i));
                }
                done.store(true, Relaxed);
            });
            while !done.load(Relaxed) {
                if let Some(seen) = published.segment() {
                    let shown = seen.line.ns(seen.start + 2);
                    assert!(shown.abs_diff(seen.start) <= 3, "{seen:?} shows {shown}");
                }
            }
        });
    }

    proptest! {
        #[test]
        fn packing_never_lowers_a_line(start in 2..1_u64 << 60, span in any::<u32>(), ns in 0..1_u64 << 60, slot in 0..2_u64) {
            let exact = segment(start, span, ns);
            let packed = exact.packed(slot);
            prop_assert_eq!(packed.start & 1, slot);
            prop_assert!(packed.start <= exact.start && exact.start - packed.start < 3);
            prop_assert!(packed.line.fixed(start) >= exact.line.fixed(start));
            prop_assert!(packed.line.fixed(start) - exact.line.fixed(start) < 1 << 33);
        }
    }
}
