use core::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::SeqCst};
use core::time::Duration;

use crate::nanos::saturating as nanos;
use crate::pause::{Cancel, Sealed, Timer};
use crate::{Instant, Now, TickSource, Unavailable};

/// What a glance takes on a clock whose reads take nothing, so that a spin ends.
const GLANCE: Duration = Duration::from_nanos(10);

/// A clock fully controlled by a test, including everything a clock must not do.
///
/// Its time is frozen by default; it passes only by [`advance`](Self::advance), by reads that have a
/// [cost](Self::set_read_cost), and by waiting. It starts at the timescale's zero or [wherever you
/// choose](Self::starting_at).
///
/// # Units
/// Nanoseconds. Readings stay within the range of an [`Instant`].
///
/// # Guarantees
/// Deterministic on one thread: its readings depend only on the calls made.
///
/// Waits on it as a [`Timer`] end: a sleep lets its whole length pass, and each [`glance`](Timer::glance) of a spin takes
/// the cost of a read, or 10 ns if reads cost nothing. A loop of your own over [`now`](Now::now) never ends unless reads
/// have a cost.
///
/// # Examples
/// ```
/// use chronoscope_clock::{FakeClock, Instant, Now};
/// use core::time::Duration;
///
/// let clock = FakeClock::starting_at(Instant::from_nanos(5_000));
/// assert_eq!(clock.now(), clock.now(), "its time is frozen");
/// clock.advance(Duration::from_micros(1));
/// assert_eq!(clock.now(), Instant::from_nanos(6_000));
/// clock.step_back(Duration::from_micros(2));
/// assert_eq!(clock.now(), Instant::from_nanos(4_000));
/// ```
#[derive(Debug)]
pub struct FakeClock {
    start_ns: i64,
    elapsed_ns: AtomicU64,
    read_cost_ns: AtomicU64,
    granularity_ns: AtomicU64,
    offset_ns: AtomicI64,
    drift_ppm: AtomicI64,
    stalled_reads: AtomicU64,
    last: AtomicI64,
    oversleep_ns: AtomicU64,
    interrupted_sleeps: AtomicU64,
    signals_apart_ns: AtomicU64,
    failing_sleeps: AtomicU64,
    real_time: AtomicBool,
}

impl Default for FakeClock {
    fn default() -> Self {
        Self::new()
    }
}

impl FakeClock {
    /// A flawless clock, frozen at zero.
    #[must_use]
    pub const fn new() -> Self {
        Self::starting_at(Instant::ZERO)
    }

    /// A flawless clock, frozen at `start`.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::{FakeClock, Instant, Now};
    ///
    /// let now = Instant::now();
    /// assert_eq!(FakeClock::starting_at(now).now(), now);
    /// ```
    #[must_use]
    pub const fn starting_at(start: Instant) -> Self {
        Self {
            start_ns: start.as_nanos(),
            elapsed_ns: AtomicU64::new(0),
            read_cost_ns: AtomicU64::new(0),
            granularity_ns: AtomicU64::new(1),
            offset_ns: AtomicI64::new(0),
            drift_ppm: AtomicI64::new(0),
            stalled_reads: AtomicU64::new(0),
            last: AtomicI64::new(start.as_nanos()),
            oversleep_ns: AtomicU64::new(0),
            interrupted_sleeps: AtomicU64::new(0),
            signals_apart_ns: AtomicU64::new(0),
            failing_sleeps: AtomicU64::new(0),
            real_time: AtomicBool::new(false),
        }
    }

    /// Lets `duration` of true time pass, up to the end of the timescale.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::{FakeClock, Instant, Now};
    /// use core::time::Duration;
    ///
    /// let clock = FakeClock::new();
    /// clock.advance(Duration::from_secs(60));
    /// assert_eq!(clock.now(), Instant::ZERO + Duration::from_secs(60));
    /// ```
    pub fn advance(&self, duration: Duration) {
        self.pass(nanos(duration));
    }

    /// Each read takes `cost` of true time from now on; 0 at first.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::{FakeClock, Now};
    /// use core::time::Duration;
    ///
    /// let clock = FakeClock::new();
    /// clock.set_read_cost(Duration::from_nanos(20));
    /// let first = clock.now();
    /// assert_eq!(clock.now() - first, Duration::from_nanos(20));
    /// ```
    pub fn set_read_cost(&self, cost: Duration) {
        self.read_cost_ns.store(nanos(cost), SeqCst);
    }

    /// Rounds readings down to multiples of `granularity` from now on; 0 counts as 1 ns.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::{FakeClock, Instant, Now};
    /// use core::time::Duration;
    ///
    /// let clock = FakeClock::starting_at(Instant::from_nanos(1_999));
    /// clock.coarsen(Duration::from_micros(1));
    /// assert_eq!(clock.now(), Instant::from_nanos(1_000));
    /// ```
    pub fn coarsen(&self, granularity: Duration) {
        self.granularity_ns.store(nanos(granularity).max(1), SeqCst);
    }

    /// Sets the clock back by `duration` at once, before the zero if need be.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::{FakeClock, Now};
    /// use core::time::Duration;
    ///
    /// let clock = FakeClock::new();
    /// clock.advance(Duration::from_secs(1));
    /// let before = clock.now();
    /// clock.step_back(Duration::from_millis(1));
    /// assert_eq!(before - clock.now(), Duration::from_millis(1));
    /// ```
    pub fn step_back(&self, duration: Duration) {
        let by = i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
        let _ = self.offset_ns.fetch_update(SeqCst, SeqCst, |offset| Some(offset.saturating_sub(by)));
    }

    /// Runs `ppm` parts per million fast (negative: slow) against true time.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::{FakeClock, Instant, Now};
    /// use core::time::Duration;
    ///
    /// let clock = FakeClock::new();
    /// clock.drift(-50);
    /// clock.advance(Duration::from_secs(1));
    /// assert_eq!(clock.now(), Instant::from_nanos(999_950_000));
    /// ```
    pub fn drift(&self, ppm: i64) {
        self.drift_ppm.store(ppm, SeqCst);
    }

    /// Freezes the next `reads` readings, though true time passes.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::{FakeClock, Instant, Now};
    /// use core::time::Duration;
    ///
    /// let clock = FakeClock::new();
    /// clock.stall(1);
    /// clock.advance(Duration::from_nanos(7));
    /// assert_eq!([clock.now(), clock.now()], [Instant::ZERO, Instant::from_nanos(7)]);
    /// ```
    pub fn stall(&self, reads: u64) {
        self.stalled_reads.store(reads, SeqCst);
    }

    /// Each sleep ends this late from now on; 0 at first.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::{FakeClock, pause::Target, pause::Pauser};
    /// use core::time::Duration;
    ///
    /// let clock = FakeClock::new();
    /// clock.set_oversleep(Duration::from_millis(3));
    /// let waited = Pauser::with_timer(&clock, Target::default()).pause(Duration::from_millis(1));
    /// assert!(waited.late > Duration::from_millis(2), "nobody can expect that");
    /// ```
    pub fn set_oversleep(&self, oversleep: Duration) {
        self.oversleep_ns.store(nanos(oversleep), SeqCst);
    }

    /// Ends the next `sleeps` sleeps halfway, as a signal would.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::{FakeClock, pause::Target, pause::Pauser};
    /// use core::time::Duration;
    ///
    /// let clock = FakeClock::new();
    /// clock.interrupt_sleeps(2);
    /// let waited = Pauser::with_timer(&clock, Target::default()).pause(Duration::from_millis(1));
    /// assert!(waited.sleeps > 2);
    /// ```
    pub fn interrupt_sleeps(&self, sleeps: u64) {
        self.interrupted_sleeps.store(sleeps, SeqCst);
    }

    /// Sends a signal every `period` of true time, like a profiler's timer, which ends the current sleep. Zero, the
    /// default: none.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::{FakeClock, pause::Pauser, pause::Target};
    /// use core::time::Duration;
    ///
    /// let clock = FakeClock::new();
    /// clock.interrupt_sleeps_every(Duration::from_micros(500));
    /// let waited = Pauser::with_timer(&clock, Target::default()).pause(Duration::from_millis(100));
    /// assert!(waited.sleeps > 150 && waited.late < Duration::from_micros(1));
    /// ```
    pub fn interrupt_sleeps_every(&self, period: Duration) {
        self.signals_apart_ns.store(nanos(period), SeqCst);
    }

    /// Fails the next `sleeps` sleeps at once, as a sandbox would.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::{FakeClock, pause::Pauser, pause::Target};
    /// use core::time::Duration;
    ///
    /// let clock = FakeClock::new();
    /// clock.fail_sleeps(u64::MAX);
    /// let waited = Pauser::with_timer(&clock, Target::default()).pause(Duration::from_millis(1));
    /// assert!(waited.failed_sleeps > 0 && waited.sleeps == 0 && waited.late < Duration::from_micros(1));
    /// ```
    pub fn fail_sleeps(&self, sleeps: u64) {
        self.failing_sleeps.store(sleeps, SeqCst);
    }

    /// Whether waiters are told that they are real-time; false at first.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::{FakeClock, pause::Timer};
    ///
    /// let clock = FakeClock::new();
    /// clock.set_real_time(true);
    /// assert!(clock.is_real_time());
    /// ```
    pub fn set_real_time(&self, real_time: bool) {
        self.real_time.store(real_time, SeqCst);
    }

    /// True time since the start, whatever the clock shows.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::FakeClock;
    /// use core::time::Duration;
    ///
    /// let clock = FakeClock::new();
    /// clock.advance(Duration::from_secs(2));
    /// clock.step_back(Duration::from_secs(1));
    /// assert_eq!(clock.elapsed(), Duration::from_secs(2));
    /// ```
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        Duration::from_nanos(self.elapsed_ns.load(SeqCst))
    }

    /// The same clock as another core sees it, `skew_ns` ahead (negative: behind).
    #[must_use]
    pub const fn view(&self, skew_ns: i64) -> FakeView<'_> {
        FakeView { clock: self, skew_ns }
    }

    /// Lets `ns` pass and returns how much has passed since the start.
    fn pass(&self, ns: u64) -> u64 {
        let sum = |elapsed: u64| elapsed.saturating_add(ns);
        self.elapsed_ns.fetch_update(SeqCst, SeqCst, |elapsed| Some(sum(elapsed))).map_or_else(sum, sum)
    }

    fn read_skewed(&self, skew_ns: i64) -> Instant {
        let elapsed = self.pass(self.read_cost_ns.load(SeqCst));
        if self.stalled_reads.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)).is_ok() {
            return Instant::from_nanos(self.last.load(SeqCst));
        }
        let drift = i128::from(elapsed) * i128::from(self.drift_ppm.load(SeqCst)) / 1_000_000;
        let offsets = i128::from(self.offset_ns.load(SeqCst)) + i128::from(skew_ns);
        let exact = i128::from(self.start_ns) + i128::from(elapsed) + drift + offsets;
        let granularity = i128::from(self.granularity_ns.load(SeqCst));
        let rounded = exact - exact.rem_euclid(granularity);
        let shown = rounded.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        self.last.store(shown, SeqCst);
        Instant::from_nanos(shown)
    }
}

impl Sealed for FakeClock {}

impl Timer for FakeClock {
    /// Lets the time pass until `deadline`, and by what it was told to oversleep.
    fn sleep_until(&self, deadline: Instant, cancel: Option<&Cancel>) -> Result<(), Unavailable> {
        if cancel.is_some_and(Cancel::is_cancelled) {
            return Ok(());
        }
        if self.failing_sleeps.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)).is_ok() {
            return Err(Unavailable::because("told to fail"));
        }
        let left = deadline.saturating_duration_since(Now::now(self));
        let until_signal_ns = match self.signals_apart_ns.load(SeqCst) {
            0 => u64::MAX,
            apart_ns => apart_ns - self.elapsed_ns.load(SeqCst) % apart_ns,
        };
        if self.interrupted_sleeps.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)).is_ok() {
            self.advance(left / 2);
        } else if until_signal_ns < nanos(left) {
            self.pass(until_signal_ns);
        } else {
            self.advance(left);
            self.pass(self.oversleep_ns.load(SeqCst));
        }
        Ok(())
    }

    fn is_real_time(&self) -> bool {
        self.real_time.load(SeqCst)
    }

    /// The time after a read's cost, or after 10 ns where reads cost nothing: so a spin ends.
    fn glance(&self) -> Instant {
        if self.read_cost_ns.load(SeqCst) == 0 {
            self.advance(GLANCE);
        }
        Now::now(self)
    }
}

impl Now for FakeClock {
    fn now(&self) -> Instant {
        self.read_skewed(0)
    }
}

impl TickSource for FakeClock {
    fn read(&self) -> u64 {
        self.read_skewed(0).to_bits()
    }
}

/// A [`FakeClock`] seen from another core. See [`FakeClock::view`].
///
/// # Examples
/// ```
/// use chronoscope_clock::{FakeClock, Instant, Now};
///
/// let clock = FakeClock::starting_at(Instant::from_nanos(1_000));
/// let shown = clock.now();
/// assert!(clock.view(-500).now() < shown, "a core that lags is not causal");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FakeView<'a> {
    clock: &'a FakeClock,
    skew_ns: i64,
}

impl Now for FakeView<'_> {
    fn now(&self) -> Instant {
        self.clock.read_skewed(self.skew_ns)
    }
}

impl TickSource for FakeView<'_> {
    fn read(&self) -> u64 {
        self.clock.read_skewed(self.skew_ns).to_bits()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ns(ns: u64) -> Duration {
        Duration::from_nanos(ns)
    }

    #[test]
    fn it_stands_still_unless_told() {
        let clock = FakeClock::starting_at(Instant::from_nanos(77));
        assert_eq!([clock.read(), clock.read(), clock.view(0).read()], [77; 3]);
        assert_eq!(clock.elapsed(), Duration::ZERO);
        clock.advance(ns(3));
        assert_eq!((clock.read(), clock.elapsed()), (80, ns(3)));
    }

    #[test]
    fn a_stall_freezes_the_reading_and_not_the_time() {
        let clock = FakeClock::new();
        clock.set_read_cost(ns(10));
        let before = clock.read();
        clock.stall(3);
        assert_eq!([clock.read(), clock.read(), clock.read()], [before; 3]);
        assert_eq!(clock.read(), before + 40);
        let fresh = FakeClock::starting_at(Instant::from_nanos(5));
        fresh.stall(1);
        assert_eq!(fresh.read(), 5);
    }

    #[test]
    fn coarse_readings_are_multiples() {
        let clock = FakeClock::new();
        clock.coarsen(ns(100));
        clock.set_read_cost(ns(30));
        let readings = core::array::from_fn::<u64, 8, _>(|_| clock.read());
        assert_eq!(readings, [0, 0, 0, 100, 100, 100, 200, 200]);
        clock.coarsen(Duration::ZERO);
        assert_eq!(clock.read(), 270);
    }

    #[test]
    fn drift_scales_with_elapsed_time_and_not_with_the_start() {
        let clock = FakeClock::starting_at(Instant::from_nanos(1_000_000_000));
        clock.drift(-50);
        clock.advance(ns(1_000_000_000));
        assert_eq!(clock.read(), 1_999_950_000);
    }

    #[test]
    fn a_view_is_ahead_by_its_skew() {
        let clock = FakeClock::starting_at(Instant::from_nanos(10_000));
        assert_eq!(clock.view(250).read(), 10_250);
        assert_eq!(clock.view(-250).read(), 9_750);
    }

    #[test]
    fn it_stops_at_the_ends_of_the_timescale() {
        let (first, last) = (Instant::from_nanos(i64::MIN), Instant::from_nanos(i64::MAX));
        let clock = FakeClock::starting_at(Instant::from_nanos(-1));
        clock.step_back(Duration::MAX);
        assert_eq!((clock.now(), clock.view(i64::MIN).now()), (first, first));
        clock.step_back(Duration::MAX);
        clock.advance(Duration::MAX);
        clock.advance(Duration::MAX);
        assert_eq!(clock.elapsed(), ns(u64::MAX));
        clock.set_read_cost(Duration::MAX);
        assert_eq!((clock.view(1).now(), clock.view(2).now()), (last, last));
    }

    #[test]
    fn before_boot_time_passes_as_after_it() {
        let clock = FakeClock::starting_at(Instant::from_nanos(-1_050));
        clock.coarsen(ns(100));
        assert_eq!(clock.now(), Instant::from_nanos(-1_100), "rounded down");
        clock.advance(ns(1_060));
        assert_eq!(clock.now(), Instant::ZERO);
        clock.step_back(ns(50));
        assert_eq!((clock.now(), clock.read()), (Instant::from_nanos(-100), -100_i64 as u64));
    }

    #[test]
    fn a_wait_ends_though_reads_take_nothing() {
        let clock = FakeClock::starting_at(Instant::from_nanos(1 << 40));
        let deadline = clock.now() + ns(1_000);
        let glances = core::iter::from_fn(|| Some(clock.glance())).take_while(|now| *now < deadline).count();
        assert_eq!(glances, 99);
        clock.set_read_cost(ns(25));
        let before = clock.now();
        assert_eq!(clock.glance() - before, ns(25));
        clock.set_read_cost(Duration::ZERO);
        clock.set_oversleep(ns(7));
        let deadline = clock.now() + ns(500);
        assert_eq!(clock.sleep_until(deadline, None), Ok(()));
        assert_eq!(clock.now(), deadline + ns(7));
    }
}
