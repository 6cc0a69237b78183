use core::fmt;
use core::hint::black_box;
use core::sync::atomic::{
    AtomicI64, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use core::time::Duration;

use crate::arch::Counter;
use crate::{Clock, Instant, Now, Reading, TrustState, nanos};

/// Empty intervals from which the cost of a stopwatch is taken.
const EMPTY_INTERVALS: usize = 64;

/// The cost of a stopwatch on [`Clock`], in parts of a nanosecond, and when it was learnt last.
static COST: AtomicU64 = AtomicU64::new(0);
static LEARNT_AT_NS: AtomicI64 = AtomicI64::new(NEVER);
const NEVER: i64 = i64::MIN / 2;
/// How long a cost is believed: it follows the CPU's frequency and what runs on the other half of its core, by half and more within
/// milliseconds.
const BELIEVED_NS: i64 = 10_000_000;
const PARTS: u64 = 1 << 16;
/// One part in so many of a remembered cost is forgotten in each of those times, so that a slow spell counts for up to half a second.
const FORGOTTEN_PART: u64 = 128;
/// A remembered cost exceeds the present one by one part in so many at most: a CPU at a tenth of its pace is no measure of the next.
const MOST_ABOVE_PART: u64 = 2;

/// Times intervals, and bounds the error of each.
///
/// # Ordering
/// Nothing after the start begins before it is read, and the end is read after everything before it is done: the interval
/// holds all of the work, plus the cost of one read.
///
/// # Guarantees
/// A clock that goes backwards gives an [`Err`](BackwardStep), never a silent zero.
///
/// # Examples
/// ```
/// use chronoscope_clock::Stopwatch;
///
/// let stopwatch = Stopwatch::start();
/// let sum: u64 = (0..1_000).sum();
/// match stopwatch.elapsed() {
///     Ok(elapsed) if elapsed.is_above_zero() => println!("{sum} in {elapsed}"),
///     Ok(elapsed) => println!("{sum} in less than this clock can tell: {elapsed}"),
///     Err(step) => println!("the clock went backwards: {step}"),
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch<C = Clock> {
    clock: C,
    cost_ns: u64,
    start: Reading,
    last_lap: Reading,
}

impl Stopwatch {
    /// Starts a stopwatch on the ordered clock, [`Clock::or_system`], for a reading, a fence and a look at the cost. If none did in the last 10 ms, it first
    /// times 64 empty intervals to learn the cost of all, which takes a few microseconds.
    #[must_use]
    pub fn start() -> Self {
        // Both before the reading: what follows it is in the interval.
        let (learnt_at_ns, cost) = (LEARNT_AT_NS.load(Acquire), COST.load(Relaxed));
        let mut stopwatch = Self::begin(Clock::or_system(), cost.div_ceil(PARTS));
        let now_ns = stopwatch.started().signed_nanos_since(Instant::ZERO);
        if now_ns.saturating_sub(learnt_at_ns) > BELIEVED_NS {
            stopwatch.learn_cost(learnt_at_ns, now_ns);
        }
        stopwatch
    }

    #[cold]
    fn learn_cost(&mut self, learnt_at_ns: i64, now_ns: i64) {
        let fresh_ns = cost_ns(&self.clock);
        let times = (now_ns.saturating_sub(learnt_at_ns) / BELIEVED_NS) as u64;
        let before = COST.fetch_update(Relaxed, Relaxed, |cost| Some(learnt(cost, times, fresh_ns)));
        self.cost_ns = before.map_or(fresh_ns, |cost| learnt(cost, times, fresh_ns).div_ceil(PARTS));
        LEARNT_AT_NS.fetch_max(now_ns, Release); // whoever sees it sees a cost
        self.restart();
    }
}

impl<C: Now> Stopwatch<C> {
    /// Starts a stopwatch on `clock`. First times 64 empty intervals to learn its own cost, which takes a few
    /// microseconds: [`restart`](Self::restart) it instead of starting another.
    ///
    /// # Examples
    /// The cheapest on one thread: the stopwatch itself keeps both reads in order.
    /// ```
    /// use chronoscope_clock::{Clock, Stopwatch};
    ///
    /// let mut stopwatch = Stopwatch::start_on(Clock::or_system().unordered());
    /// for _ in 0..3 {
    ///     stopwatch.restart();
    ///     println!("{:?}", stopwatch.elapsed());
    /// }
    /// ```
    #[must_use]
    pub fn start_on(clock: C) -> Self {
        let cost_ns = cost_ns(&clock);
        Self::begin(clock, cost_ns)
    }

    fn begin(clock: C, cost_ns: u64) -> Self {
        let start = read_then_fence(&clock);
        Self { clock, cost_ns, start, last_lap: start }
    }

    /// Restarts, for one reading and a fence. Its cost is not learnt again: on a machine whose pace changes, [`start`](Stopwatch::start)
    /// another now and then.
    #[inline]
    pub fn restart(&mut self) {
        self.start = read_then_fence(&self.clock);
        self.last_lap = self.start;
    }

    /// The time since the start.
    ///
    /// # Errors
    /// [`BackwardStep`] if the clock shows less than at the start.
    #[inline]
    pub fn elapsed(&self) -> Result<Elapsed, BackwardStep> {
        self.between(self.start, fence_then_read(&self.clock))
    }

    /// Ends a lap: the time since the previous lap or the start. The next lap begins where this one ends, so laps add up.
    ///
    /// # Errors
    /// [`BackwardStep`] if the clock shows less than when the lap began.
    #[inline]
    pub fn lap(&mut self) -> Result<Elapsed, BackwardStep> {
        let begun = self.last_lap;
        self.last_lap = fence_then_read(&self.clock);
        fence(); // the next lap begins here
        self.between(begun, self.last_lap)
    }

    /// When the stopwatch was started.
    #[must_use]
    pub const fn started(&self) -> Instant {
        self.start.instant()
    }

    fn between(&self, start: Reading, end: Reading) -> Result<Elapsed, BackwardStep> {
        let state = start.state().max(end.state());
        let Some(duration) = end.instant().checked_duration_since(start.instant()) else {
            return Err(BackwardStep { by: start.instant().saturating_duration_since(end.instant()), state });
        };
        // Each end is off by at most its own bound. Both steps count: the ends may be read on two CPUs.
        let ends = start.error_bound().saturating_add(end.error_bound());
        Ok(Elapsed { duration, error: ends.saturating_add(Duration::from_nanos(self.cost_ns)), state })
    }
}

/// The cost after one of `fresh_ns` was learnt, so many times [`BELIEVED_NS`] after `cost`: the greater of it and what is remembered.
fn learnt(cost: u64, times: u64, fresh_ns: u64) -> u64 {
    let fresh = fresh_ns.saturating_mul(PARTS);
    let remembered = cost.saturating_sub((cost / FORGOTTEN_PART).saturating_mul(times));
    remembered.clamp(fresh, fresh.saturating_add(fresh / MOST_ABOVE_PART))
}

/// What an empty interval takes: a twelfth more than the usual one, since caches and the CPU's frequency change.
fn cost_ns(clock: &impl Now) -> u64 {
    // By the very calls that a program makes, of a stopwatch in memory.
    let mut stopwatch = Stopwatch::begin(clock, 0);
    let mut empty_ns = [0; EMPTY_INTERVALS];
    for interval in &mut empty_ns {
        black_box(&mut stopwatch).restart();
        *interval = nanos::saturating(black_box(&stopwatch).elapsed().map_or_else(BackwardStep::by, Elapsed::duration));
    }
    empty_ns.sort_unstable();
    let usual = empty_ns[EMPTY_INTERVALS / 2];
    usual.saturating_add(usual.div_ceil(12)).min(i64::MAX as u64)
}

/// The end of an interval: everything before it is done when it is read, whatever the clock's own order.
#[inline(always)]
fn fence_then_read(clock: &impl Now) -> Reading {
    fence();
    clock.reading()
}

/// The start of an interval: nothing that follows begins before it is read.
#[inline(always)]
fn read_then_fence(clock: &impl Now) -> Reading {
    let reading = clock.reading();
    fence();
    reading
}

#[inline(always)]
fn fence() {
    if let Some(counter) = Counter::assume() {
        counter.fence();
    }
}

/// The length of an interval and its error bound, from a [`Stopwatch`].
///
/// # Guarantees
/// The value is what the clock showed, nothing subtracted. [`at_most`](Self::at_most) is a hard bound: an interval contains its work.
/// [`at_least`](Self::at_least) is a statistical one: it holds if a read costs at most a twelfth more than it usually did when the
/// cost was learnt. The interval exceeds the work by more if the work evicted the clock's data from the cache, if the CPU has become
/// slower since, or if the thread was interrupted inside a read, which no reader can see. How the compiler lays out the caller's code
/// may use up that twelfth. `bench/clock/run --only bounds` counts the intervals that are outside.
///
/// # Examples
/// ```
/// use chronoscope_clock::{FakeClock, Stopwatch};
/// use core::time::Duration;
///
/// let clock = FakeClock::new();
/// clock.set_read_cost(Duration::from_nanos(20));
/// let stopwatch = Stopwatch::start_on(&clock);
/// clock.advance(Duration::from_micros(1));
/// let elapsed = stopwatch.elapsed()?;
/// assert_eq!(elapsed.duration(), Duration::from_nanos(1_020));
/// assert_eq!(elapsed.error_bound(), Duration::from_nanos(24));
/// assert!(elapsed.is_above_zero());
/// # Ok::<(), chronoscope_clock::BackwardStep>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Elapsed {
    duration: Duration,
    #[cfg_attr(feature = "serde", serde(rename = "error_bound"))]
    error: Duration,
    state: TrustState,
}

impl Elapsed {
    /// What the clock showed.
    #[must_use]
    pub const fn duration(self) -> Duration {
        self.duration
    }

    /// How far the true length may be from [`duration`](Self::duration), either way: the cost of a read, and
    /// the error bounds of both readings.
    #[must_use]
    pub const fn error_bound(self) -> Duration {
        self.error
    }

    /// The shortest that the true length can be, unless a read was dearer than usual: a statistical bound, see [`Elapsed`].
    #[must_use]
    pub const fn at_least(self) -> Duration {
        self.duration.saturating_sub(self.error)
    }

    /// The longest that the true length can be by `CLOCK_MONOTONIC`: a hard bound, if the CPUs' counters agree.
    #[must_use]
    pub const fn at_most(self) -> Duration {
        self.duration.saturating_add(self.error)
    }

    /// Whether the interval can be told from an empty one: it exceeds its error by a quarter, as an empty one does only if it was
    /// disturbed or the CPU has become slower since the cost was learnt, and not if a read misses the nearest cache.
    #[must_use]
    pub fn is_above_zero(self) -> bool {
        self.duration > self.error.saturating_add(self.error / 4)
    }

    /// Whether the two intervals can be told apart: their ranges do not touch.
    #[must_use]
    pub fn differs_from(self, other: Self) -> bool {
        self.at_least() > other.at_most() || other.at_least() > self.at_most()
    }

    /// The worse of the two ends' trust states.
    #[must_use]
    pub const fn trust_state(self) -> TrustState {
        self.state
    }
}

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} ± {:?}", self.duration, self.error)?;
        match self.state {
            TrustState::Verified => Ok(()),
            state => write!(f, " ({state})"),
        }
    }
}

/// A clock showed less at the end of an interval than at its start.
///
/// # Examples
/// ```
/// use chronoscope_clock::{FakeClock, Stopwatch};
/// use core::time::Duration;
///
/// let clock = FakeClock::new();
/// clock.advance(Duration::from_millis(1));
/// let stopwatch = Stopwatch::start_on(&clock);
/// clock.step_back(Duration::from_nanos(500));
/// assert_eq!(stopwatch.elapsed().unwrap_err().by(), Duration::from_nanos(500));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackwardStep {
    by: Duration,
    state: TrustState,
}

impl BackwardStep {
    /// How far the clock went back.
    #[must_use]
    pub const fn by(self) -> Duration {
        self.by
    }

    /// The worse of the two ends' trust states.
    #[must_use]
    pub const fn trust_state(self) -> TrustState {
        self.state
    }
}

impl fmt::Display for BackwardStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the clock went backwards by {:?} within the interval ({})", self.by, self.state)
    }
}

impl core::error::Error for BackwardStep {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FakeClock;

    #[test]
    fn laps_add_up() {
        let clock = FakeClock::new();
        clock.set_read_cost(Duration::from_nanos(10));
        let mut stopwatch = Stopwatch::start_on(&clock);
        let laps: Duration = (1..=5)
            .map(|i| {
                clock.advance(Duration::from_nanos(100) * i);
                stopwatch.lap().unwrap().duration()
            })
            .sum();
        assert_eq!(laps, Duration::from_nanos(1_550));
        assert_eq!(stopwatch.elapsed().unwrap().duration(), laps + Duration::from_nanos(10));
    }

    #[cfg(feature = "serde")]
    #[test]
    fn an_interval_survives_being_written() {
        let clock = FakeClock::new();
        clock.set_read_cost(Duration::from_nanos(25));
        let elapsed = Stopwatch::start_on(&clock).elapsed().unwrap();
        let text = serde_json::to_string(&elapsed).unwrap();
        assert!(text.contains(r#""error_bound":{"secs":0,"nanos":30}"#) && text.contains("verified"), "{text}");
        assert_eq!(serde_json::from_str::<Elapsed>(&text).unwrap(), elapsed);
        let bytes = postcard::to_allocvec(&elapsed).unwrap();
        assert_eq!(postcard::from_bytes::<Elapsed>(&bytes).unwrap(), elapsed);
    }

    #[test]
    fn an_empty_interval_is_not_told_from_zero() {
        let clock = FakeClock::new();
        clock.set_read_cost(Duration::from_nanos(25));
        let stopwatch = Stopwatch::start_on(&clock);
        let empty = stopwatch.elapsed().unwrap();
        assert!(!empty.is_above_zero(), "{empty}");
        clock.advance(Duration::from_nanos(10));
        let short = stopwatch.elapsed().unwrap();
        assert!(!short.differs_from(empty), "{short} and {empty}");
        clock.advance(Duration::from_micros(1));
        let long = stopwatch.elapsed().unwrap();
        assert!(long.is_above_zero() && long.differs_from(empty));
        assert!(long.at_least() <= long.duration() && long.duration() <= long.at_most());
    }

    #[test]
    fn an_interval_is_above_zero_when_a_dear_empty_one_could_not_be_as_long() {
        let clock = FakeClock::new();
        clock.set_read_cost(Duration::from_nanos(20));
        let mut stopwatch = Stopwatch::start_on(&clock);
        let mut after = |ns| {
            stopwatch.restart();
            clock.advance(Duration::from_nanos(ns));
            stopwatch.elapsed().unwrap()
        };
        assert_eq!(after(0).error_bound(), Duration::from_nanos(24));
        assert!(!after(10).is_above_zero() && after(11).is_above_zero());
    }

    #[test]
    #[cfg_attr(miri, ignore = "makes a system call that Miri does not know")]
    fn the_cost_is_learnt_once_in_a_while_and_not_at_every_start() {
        let learnt_at_ns = || {
            let _ = Stopwatch::start();
            LEARNT_AT_NS.load(Relaxed)
        };
        let first_ns = learnt_at_ns();
        std::thread::sleep(Duration::from_nanos(BELIEVED_NS as u64 + 10_000_000));
        let second_ns = learnt_at_ns();
        assert!(second_ns - first_ns > BELIEVED_NS, "{first_ns} {second_ns}");
        let mut starts_ns: std::vec::Vec<i64> = (0..1_000).map(|_| learnt_at_ns()).collect();
        let took_ns = starts_ns[999] - starts_ns[0];
        starts_ns.dedup();
        // Another test's thread may have learnt at the same time.
        assert!(starts_ns.len() as i64 <= 2 + 2 * (took_ns / BELIEVED_NS), "{starts_ns:?}");
    }

    #[test]
    fn a_slow_spell_is_remembered_for_a_while_and_within_reason() {
        let after = |mut cost, learnings: &[u64]| {
            learnings.iter().for_each(|ns| cost = learnt(cost, 1, *ns));
            cost.div_ceil(PARTS)
        };
        assert_eq!(after(0, &[50]), 50);
        assert_eq!(learnt(70 * PARTS, 1_000, 50), 50 * PARTS, "nor after long");
        assert_eq!(after(0, &[50, 70]), 70, "a slower CPU counts at once");
        assert_eq!(after(0, &[70, 50]), 70, "and holds");
        assert_eq!(after(0, &[[70].as_slice(), &[50; 1_000]].concat()), 50, "but not for ever");
        assert_eq!(after(0, &[900, 50]), 75, "one at a tenth of its pace is no measure of the next");
        assert_eq!(after(0, &[u64::MAX, 50]), 75);
    }

    #[test]
    fn either_end_widens_the_bound_by_its_own_error() {
        /// Off by more at each reading.
        struct Off<'a>(&'a FakeClock, core::cell::Cell<u64>);
        impl Now for Off<'_> {
            fn now(&self) -> Instant {
                self.0.now()
            }
            fn reading(&self) -> Reading {
                let offset = Duration::from_nanos(self.1.replace(self.1.get() + 100));
                let state = if self.1.get() > 1_000 { TrustState::Fallback } else { TrustState::Verified };
                Reading::exact(self.0.now()).with_offset(offset).with_step(Duration::from_nanos(7)).with_state(state)
            }
        }
        let clock = FakeClock::new();
        clock.set_read_cost(Duration::ZERO);
        let off = Off(&clock, core::cell::Cell::new(0));
        let mut stopwatch = Stopwatch::start_on(&off);
        off.1.set(40);
        stopwatch.restart();
        clock.advance(Duration::from_millis(10));
        let elapsed = stopwatch.elapsed().unwrap();
        assert_eq!(elapsed.error_bound(), Duration::from_nanos(40 + 140 + 14));
        assert_eq!(std::format!("{elapsed}"), "10ms ± 194ns");
        off.1.set(5_000);
        assert_eq!(stopwatch.elapsed().unwrap().error_bound(), Duration::from_nanos(40 + 5_000 + 14));
        assert_eq!(stopwatch.elapsed().unwrap().trust_state(), TrustState::Fallback, "the worse");
    }

    #[test]
    #[cfg_attr(miri, ignore = "makes a system call that Miri does not know")]
    fn on_the_real_clock_an_interval_has_a_length_and_a_bound() {
        let stopwatch = Stopwatch::start();
        std::thread::sleep(Duration::from_millis(2));
        let elapsed = stopwatch.elapsed().unwrap();
        assert!(elapsed.at_most() >= Duration::from_millis(2), "{elapsed}");
        assert!(elapsed.is_above_zero() && elapsed.error_bound() > Duration::ZERO);
    }
}
