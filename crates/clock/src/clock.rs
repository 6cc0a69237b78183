use core::sync::atomic::{AtomicU8, Ordering::Relaxed};
use core::time::Duration;

use crate::arch::Counter;
use crate::discipline::{Discipline, OnDistrust, System};
use crate::os;
use crate::sync::process_wide;
use crate::trust::{Distrust, RateSource, Reason, Reasons, Trust};
use crate::{Anchor, Instant, Now, TickSource, Ticks, Uncertainty};

process_wide! {
    /// The process's clock: one line of parameters that every thread reads.
    static PROCESS: Discipline<System> = Discipline::new(System::new());
}

/// The ordered clock: `CLOCK_MONOTONIC`'s time, monotonic and causal, cheaper than the system's own read of it.
///
/// # Units
/// 1 ns; on the timescale of `CLOCK_MONOTONIC`, whose slewing it follows. [`trust`](Self::trust) tells by how much it
/// may be off at the moment.
///
/// # Ordering
/// The read keeps its place in program order: it is not executed before an earlier load, and nothing that a thread was
/// shown through an acquire can be later than what the thread reads next.
///
/// # Guarantees
/// - *Monotonic*: on one thread, a read is never less than an earlier one.
/// - *Causal*: if a thread reads V and publishes it, and another sees V and then reads W, then W ≥ V. This rests on
///   counters that the cores keep in step, as the kernel checks before it uses them; [`Granular`](crate::Granular)
///   does not need that.
/// - No thread in the background, no work before `main`, no waiting: a read that finds the parameters aged looks at the
///   reference (some 80 ns more, some ten thousand times a second at most) and never steps the time.
/// - Safe in a signal handler and after `fork`.
///
/// # Platform
/// Linux on x86-64 and aarch64. Elsewhere it reads the system's monotonic clock and says so.
///
/// # Sources
/// Intel SDM vol. 2B, RDTSC: `lfence; rdtsc` waits for earlier loads; Linux `rdtsc_ordered()`.
///
/// # Examples
/// ```
/// use chronoscope_clock::{Clock, TrustState};
///
/// let clock = Clock::or_system();
/// let start = clock.now();
/// let took = clock.now() - start;
/// println!("{took:?}, {}", clock.trust().state);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Clock {
    on_distrust: OnDistrust,
}

impl Clock {
    /// The clock over the CPU's counter, or over the system's clock wherever and whenever the counter cannot be trusted;
    /// [`trust`](Self::trust) says which it is.
    ///
    /// Reads nothing yet: the first read finds out, in some 30 µs.
    #[inline(always)]
    pub const fn or_system() -> Self {
        Self { on_distrust: OnDistrust::ReadSystem }
    }

    /// The clock over the CPU's counter and nothing else.
    ///
    /// If trust is lost later, its reads go on with the counter at the last known rate, and [`trust`](Self::trust) says
    /// so: this clock never reads the system's in its place.
    ///
    /// # Errors
    /// [`Distrust`] with its reasons where the counter cannot be trusted now.
    pub fn trusted() -> Result<Self, Distrust> {
        if PROCESS.is_counting() {
            Ok(Self { on_distrust: OnDistrust::KeepCounting })
        } else {
            let reasons = PROCESS.reasons();
            Err(Distrust::because(if reasons.is_empty() { Reasons::of(Reason::NotFoundYet) } else { reasons }))
        }
    }

    /// The time now.
    #[inline(always)]
    pub fn now(self) -> Instant {
        match Counter::assume() {
            Some(counter) => Instant::from_nanos(PROCESS.read(|| counter.ordered(), self.on_distrust)),
            None => Instant::from_nanos(PROCESS.read(|| 0, self.on_distrust)),
        }
    }

    /// The same time, read without a fence: cheaper, and not causal.
    #[inline(always)]
    pub const fn unordered(self) -> Unordered {
        Unordered { on_distrust: self.on_distrust }
    }

    /// The counter now, to be converted later; the unit of what [`anchor`](Self::anchor) converts.
    ///
    /// # Ordering
    /// As [`now`](Self::now).
    ///
    /// In fallback these are nanoseconds of the system's clock.
    #[inline(always)]
    pub fn ticks(self) -> Ticks {
        match Counter::assume() {
            Some(counter) if PROCESS.is_published() => Ticks::from_raw(counter.ordered()),
            _ => PROCESS.ticks(),
        }
    }

    /// This moment in counter ticks and in this clock's time: what an [`AnchorTable`](crate::AnchorTable) converts by.
    pub fn anchor(self) -> Anchor {
        PROCESS.anchor()
    }

    /// What the clock knows about itself now, at about the price of a few reads.
    pub fn trust(self) -> Trust {
        let known = PROCESS.knowledge();
        let mut reasons = known.reasons;
        let is_counting = known.source != RateSource::SystemClock;
        if is_counting && is_under_hypervisor() {
            reasons = reasons.with(Reason::Hypervisor);
        }
        Trust {
            state: known.state(),
            rate_source: known.source,
            reasons,
            error_bound: Duration::from_nanos(known.error_bound_ns),
            rate_error_ppb: known.rate_error_ppb,
            refresh_interval: Duration::from_nanos(known.segment_ns),
            counter_hz: known.rate.map(|rate| rate.hz()),
            looks: known.looks,
            jumps: known.jumps,
            worst_lag: Duration::from_nanos(known.worst_lag_ns),
            skew_not_excluded: PROCESS.skew_not_excluded_ns().map(Duration::from_nanos),
        }
    }

    /// Takes in what a measurement between cores found: the largest skew that it could not exclude, and whether a time
    /// was seen to come before one that had been shown.
    #[cfg(feature = "std")]
    pub(crate) fn learn_skew(not_excluded_ns: u64, is_broken: bool) {
        PROCESS.learn_skew(not_excluded_ns, is_broken);
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::or_system()
    }
}

impl Now for Clock {
    #[inline(always)]
    fn now(&self) -> Instant {
        Clock::now(*self)
    }

    fn uncertainty(&self) -> Uncertainty {
        uncertainty()
    }
}

impl TickSource for Clock {
    #[inline(always)]
    fn read(&self) -> u64 {
        Clock::now(*self).as_nanos()
    }
}

impl Instant {
    /// The time now, by the ordered clock: [`Clock::or_system`].
    #[inline(always)]
    pub fn now() -> Self {
        Clock::or_system().now()
    }

    /// The time since this instant, by the ordered clock; zero if it lies in the future.
    pub fn elapsed(self) -> Duration {
        Self::now().saturating_duration_since(self)
    }
}

/// The unordered clock: the cheapest read in nanoseconds, sane on one thread and **not causal** between threads.
///
/// # Ordering
/// None. The CPU may execute the read before an earlier load completes, so a time shown to a thread can be later than
/// what it reads next; by up to some microseconds, as `chronoscope causality` shows. On one thread, reads do not go back.
///
/// # Guarantees
/// As [`Clock`], less causality: same timescale, same bound.
///
/// # Examples
/// ```
/// use chronoscope_clock::Clock;
///
/// let unordered = Clock::or_system().unordered();
/// let start = unordered.now();
/// assert!(unordered.now() >= start, "on one thread");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unordered {
    on_distrust: OnDistrust,
}

impl Unordered {
    /// As [`Clock::or_system`].
    #[inline(always)]
    pub const fn or_system() -> Self {
        Clock::or_system().unordered()
    }

    /// The time now.
    #[inline(always)]
    pub fn now(self) -> Instant {
        match Counter::assume() {
            Some(counter) => Instant::from_nanos(PROCESS.read(|| counter.unordered(), self.on_distrust)),
            None => Instant::from_nanos(PROCESS.read(|| 0, self.on_distrust)),
        }
    }
}

impl Now for Unordered {
    #[inline(always)]
    fn now(&self) -> Instant {
        Unordered::now(*self)
    }

    fn uncertainty(&self) -> Uncertainty {
        uncertainty()
    }
}

/// Asked of the CPU once: in a virtual machine the answer costs microseconds.
fn is_under_hypervisor() -> bool {
    static ANSWER: AtomicU8 = AtomicU8::new(UNASKED);
    const UNASKED: u8 = u8::MAX;
    let answer = ANSWER.load(Relaxed);
    if answer != UNASKED {
        return answer != 0;
    }
    let is_under = Counter::assume().and_then(Counter::is_under_hypervisor) == Some(true);
    ANSWER.store(is_under.into(), Relaxed);
    is_under
}

fn uncertainty() -> Uncertainty {
    let known = PROCESS.knowledge();
    let resolution_ns = match known.source {
        RateSource::SystemClock => os::declared_resolution_ns(os::OsClock::Monotonic).unwrap_or(1),
        _ => known.rate.map_or(1, |rate| rate.length_ns(1).max(1)),
    };
    Uncertainty {
        resolution_ns,
        offset_ns: known.error_bound_ns,
        rate_ppb: known.rate_error_ppb + known.steering_ppb,
        jumps: known.jumps,
        state: known.state(),
    }
}

impl TickSource for Unordered {
    #[inline(always)]
    fn read(&self) -> u64 {
        Unordered::now(*self).as_nanos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TrustState;

    #[test]
    fn it_keeps_to_the_systems_clock_within_its_bound() {
        let clock = Clock::or_system();
        for _ in 0..if cfg!(miri) { 100 } else { 2_000 } {
            let before = crate::os::monotonic_ns();
            let shown = clock.now().as_nanos();
            let after = crate::os::monotonic_ns();
            let bound = clock.trust().error_bound.as_nanos() as u64;
            assert!(shown + bound >= before && shown <= after + bound, "{before} {shown} {after} ± {bound}");
        }
    }

    #[test]
    fn it_never_goes_back_on_one_thread() {
        let (clock, unordered) = (Clock::or_system(), Clock::or_system().unordered());
        let mut last = (clock.now(), unordered.now());
        for _ in 0..if cfg!(miri) { 100 } else { 200_000 } {
            let next = (clock.now(), unordered.now());
            assert!(next.0 >= last.0 && next.1 >= last.1);
            last = next;
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "looks at the counter")]
    fn trust_and_constructor_agree() {
        let trust = Clock::or_system().trust();
        assert_eq!(Clock::trusted().is_ok(), trust.state != TrustState::Fallback);
        assert_eq!(trust.counter_hz.is_some(), trust.state != TrustState::Fallback);
        assert!(trust.looks > 0 || trust.state == TrustState::Fallback);
    }
}
