use core::sync::atomic::{AtomicI64, AtomicU64, Ordering::SeqCst};

use crate::pause::{Cancel, Timer};
use crate::{Instant, Now, TickSource};

/// A clock that does what a test tells it to, including everything a clock must not do.
///
/// # Units
/// Nanoseconds.
///
/// # Guarantees
/// Deterministic on one thread: its readings depend only on the calls made. It starts at 0 and each read takes
/// [`read_cost_ns`](Self::set_read_cost_ns) nanoseconds, 1 at first.
///
/// # Examples
/// ```
/// use chronoscope_clock::{FakeClock, TickSource};
///
/// let clock = FakeClock::new();
/// clock.advance(1_000);
/// assert_eq!(clock.read(), 1_001);
/// clock.step_back(500);
/// assert_eq!(clock.read(), 502);
/// ```
#[derive(Debug)]
pub struct FakeClock {
    elapsed_ns: AtomicU64,
    read_cost_ns: AtomicU64,
    granularity_ns: AtomicU64,
    offset_ns: AtomicI64,
    drift_ppm: AtomicI64,
    stalled_reads: AtomicU64,
    last: AtomicU64,
    oversleep_ns: AtomicU64,
    interrupted_sleeps: AtomicU64,
}

impl Default for FakeClock {
    fn default() -> Self {
        Self::new()
    }
}

impl FakeClock {
    /// A flawless clock at 0 whose reads take 1 ns.
    pub const fn new() -> Self {
        Self {
            elapsed_ns: AtomicU64::new(0),
            read_cost_ns: AtomicU64::new(1),
            granularity_ns: AtomicU64::new(1),
            offset_ns: AtomicI64::new(0),
            drift_ppm: AtomicI64::new(0),
            stalled_reads: AtomicU64::new(0),
            last: AtomicU64::new(0),
            oversleep_ns: AtomicU64::new(0),
            interrupted_sleeps: AtomicU64::new(0),
        }
    }

    /// Lets `ns` of true time pass.
    pub fn advance(&self, ns: u64) {
        self.elapsed_ns.fetch_add(ns, SeqCst);
    }

    /// Lets each read from now on take `ns` of true time.
    pub fn set_read_cost_ns(&self, ns: u64) {
        self.read_cost_ns.store(ns, SeqCst);
    }

    /// Coarsens the clock: readings become multiples of `ns` (0 counts as 1).
    pub fn coarsen(&self, ns: u64) {
        self.granularity_ns.store(ns.max(1), SeqCst);
    }

    /// Sets the clock back by `ns` at once.
    pub fn step_back(&self, ns: u64) {
        self.offset_ns.fetch_sub(ns as i64, SeqCst);
    }

    /// Lets the clock run `ppm` parts per million fast (negative: slow) against true time.
    pub fn drift(&self, ppm: i64) {
        self.drift_ppm.store(ppm, SeqCst);
    }

    /// Freezes the reading for the next `reads` reads, though true time passes.
    pub fn stall(&self, reads: u64) {
        self.stalled_reads.store(reads, SeqCst);
    }

    /// Lets each sleep on this clock from now on end so many nanoseconds late.
    pub fn set_oversleep_ns(&self, ns: u64) {
        self.oversleep_ns.store(ns, SeqCst);
    }

    /// Lets the next `sleeps` sleeps on this clock end halfway, as a signal does.
    pub fn interrupt_sleeps(&self, sleeps: u64) {
        self.interrupted_sleeps.store(sleeps, SeqCst);
    }

    /// True time: the sum of all that passed, untouched by any fault.
    pub fn elapsed_ns(&self) -> u64 {
        self.elapsed_ns.load(SeqCst)
    }

    /// The same clock as another core sees it, `skew_ns` ahead (negative: behind).
    pub fn view(&self, skew_ns: i64) -> FakeView<'_> {
        FakeView { clock: self, skew_ns }
    }

    fn read_skewed(&self, skew_ns: i64) -> u64 {
        let cost = self.read_cost_ns.load(SeqCst);
        let elapsed = self.elapsed_ns.fetch_add(cost, SeqCst) + cost;
        if self.stalled_reads.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)).is_ok() {
            return self.last.load(SeqCst);
        }
        let drift = i128::from(elapsed) * i128::from(self.drift_ppm.load(SeqCst)) / 1_000_000;
        let exact = i128::from(elapsed) + drift + i128::from(self.offset_ns.load(SeqCst)) + i128::from(skew_ns);
        let granularity = i128::from(self.granularity_ns.load(SeqCst));
        let shown = (exact - exact.rem_euclid(granularity)) as u64;
        self.last.store(shown, SeqCst);
        shown
    }
}

impl Timer for FakeClock {
    /// Lets the time pass until `deadline`, and by what it was told to oversleep.
    fn sleep_until(&self, deadline: Instant, cancel: Option<&Cancel>) {
        if cancel.is_some_and(Cancel::is_cancelled) {
            return;
        }
        let left_ns = deadline.as_nanos().saturating_sub(Now::now(self).as_nanos());
        if self.interrupted_sleeps.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)).is_ok() {
            self.advance(left_ns / 2);
        } else {
            self.advance(left_ns + self.oversleep_ns.load(SeqCst));
        }
    }
}

impl TickSource for FakeClock {
    fn read(&self) -> u64 {
        self.read_skewed(0)
    }
}

/// A [`FakeClock`] seen from another core. See [`FakeClock::view`].
///
/// # Examples
/// ```
/// use chronoscope_clock::{FakeClock, TickSource};
///
/// let clock = FakeClock::new();
/// clock.advance(1_000);
/// let shown = clock.read();
/// assert!(clock.view(-500).read() < shown, "a core that lags is not causal");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FakeView<'a> {
    clock: &'a FakeClock,
    skew_ns: i64,
}

impl TickSource for FakeView<'_> {
    fn read(&self) -> u64 {
        self.clock.read_skewed(self.skew_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stall_freezes_the_reading_and_not_the_time() {
        let clock = FakeClock::new();
        clock.set_read_cost_ns(10);
        let before = clock.read();
        clock.stall(3);
        assert_eq!([clock.read(), clock.read(), clock.read()], [before; 3]);
        assert_eq!(clock.read(), before + 40);
    }

    #[test]
    fn coarse_readings_are_multiples() {
        let clock = FakeClock::new();
        clock.coarsen(100);
        clock.set_read_cost_ns(30);
        let readings = core::array::from_fn::<u64, 8, _>(|_| clock.read());
        assert_eq!(readings, [0, 0, 0, 100, 100, 100, 200, 200]);
    }

    #[test]
    fn drift_scales_with_elapsed_time() {
        let clock = FakeClock::new();
        clock.set_read_cost_ns(0);
        clock.drift(-50);
        clock.advance(1_000_000_000);
        assert_eq!(clock.read(), 999_950_000);
    }

    #[test]
    fn a_view_is_ahead_by_its_skew() {
        let clock = FakeClock::new();
        clock.set_read_cost_ns(0);
        clock.advance(10_000);
        assert_eq!(clock.view(250).read(), 10_250);
        assert_eq!(clock.view(-250).read(), 9_750);
    }
}
