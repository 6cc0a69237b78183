use core::sync::atomic::{
    AtomicU8,
    Ordering::{Acquire, Relaxed},
    fence,
};
use core::time::Duration;

use crate::anchor::narrowest;
use crate::arch::Counter;
use crate::exact::{Exact, Monotonic, Rate, Realtime, Taken, ThisMachine};
use crate::os::{self, OsClock};
use crate::sync::{CachePadded, process_wide};
use crate::trust::{Distrust, RateSource, Reason, Reasons, Trust, TrustState};
use crate::{Anchor, Instant, Now, Reading, TickSource, Ticks};

process_wide! {
    /// The process's clock. It keeps no time: only the place of the kernel's data, and the step measured.
    static PROCESS: Exact<ThisMachine> = Exact::new(ThisMachine);
}

/// The ordered clock: `CLOCK_MONOTONIC`, computed as the kernel computes it, and cheaper than the system's own read.
///
/// # Units
/// 1 ns, on the timescale of `CLOCK_MONOTONIC`.
///
/// # Ordering
/// No read runs before an earlier load (on aarch64: an earlier acquire load), so a thread never reads a time earlier than one
/// it was shown through an acquire. Later instructions may run before the read, loads included: on a Zen 4 guest, 84 of 6.8
/// million did (2026-11-25).
///
/// # Guarantees
/// - *Exact*: a reading is what `clock_gettime(CLOCK_MONOTONIC)` returns for the same counter value, at any slew, but for
///   two faults of kernels: those before 6.10 are wrong after ten minutes without an update, and those for aarch64 do not
///   clamp a counter that lags. While the kernel's data are unreadable or being updated, the reading is `clock_gettime`'s.
/// - *Monotonic and causal* exactly as far as `CLOCK_MONOTONIC` is. Monotonic: no read on a thread is less than an
///   earlier one. Causal: if a thread reads V and publishes it, and another sees V and then reads W, then W ≥ V. Both
///   need counters in step across cores, which the kernel checks, and slews no larger than NTP's; under far larger ones
///   `clock_gettime` itself has been seen to go back. [`Granular`](crate::Granular) needs neither. Where the kernel's check
///   is off or has missed a skew, this clock inherits the system clock's steps back between CPUs, and stalls where
///   that does; `chronoscope causality` shows both.
/// - Nothing can go stale: no background thread, no work before `main`, no lock, no waiting for another thread. A thread
///   stopped at any instruction, a fork, or a signal handler that reads inside a read changes no reading.
/// - After [`warm_up`](Self::warm_up) no read makes a system call, unless `clock_gettime` itself does. `errno` is
///   preserved.
///
/// # Platform
/// Linux on x86-64 (clocksources tsc, kvm-clock, Hyper-V's page) and aarch64. Elsewhere it reads the system's monotonic
/// clock; [`trust`](Self::trust) says so.
///
/// On Linux the system's clock is read by the vDSO's function, not by the C library's symbol `clock_gettime`: a library that
/// defines that symbol by this clock never calls itself, and one that shows programs another time, such as libfaketime, does
/// not change this one. Without the feature `kernel-data`, reads go through the symbol.
///
/// # Sources
/// lib/vdso/gettimeofday.c of Linux. Order of the counter: Intel SDM vol. 2B, RDTSCP; AMD APM vol. 3, RDTSCP; Linux
/// `rdtsc_ordered()`; Arm ARM, "Reading the counter": a counter read behind an `isb` does not execute before an earlier
/// load on whose value reaching the `isb` depends. Here that is the load of the sequence number, which follows every
/// earlier acquire.
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
pub struct Clock(());

impl Clock {
    /// The clock over the CPU's counter, or over the system's clock while the counter cannot give the time;
    /// [`trust`](Self::trust) says which.
    ///
    /// Costs nothing; the first read sets up, in 10 to 30 µs. Call [`warm_up`](Self::warm_up) to do that at a time of your
    /// choice.
    #[must_use]
    #[inline(always)]
    pub const fn or_system() -> Self {
        Self(())
    }

    /// The same clock, if readings come from the CPU's counter now. Should the kernel give up the counter later, readings
    /// come from the system's clock: still `CLOCK_MONOTONIC`, but slower.
    ///
    /// # Errors
    /// [`Distrust`], with the reason, if readings come from the system's clock.
    pub fn trusted() -> Result<Self, Distrust> {
        if Counter::assume().is_none() && os::try_read_ns(OsClock::Monotonic).is_err() {
            return Err(Distrust::because(Reasons::NONE.with(Reason::SystemNotSupported)));
        }
        let clock = Self::or_system();
        let trust = clock.trust();
        if trust.rate_source == RateSource::SystemClock { Err(Distrust::because(trust.reasons)) } else { Ok(clock) }
    }

    /// Sets up now, and afresh, what later reads need. Makes some ten system calls (`prctl`, `open`, `ioctl` or `read`,
    /// `rt_sigprocmask`, `close`), which a sandbox may forbid afterwards: from then on no read makes one of these. Without it, a first read
    /// that failed for a reason that may pass (no file descriptor or memory left, a thread that may not read the counter) is tried
    /// again by a read 1 s later, then 4 s, up to 17 minutes; and one under a hypervisor's clocksource opens a file.
    ///
    /// Call it again once the process may read something it was forbidden. Safe in a signal handler with a few KiB of
    /// stack. Permission to read the counter (`PR_SET_TSC`) is per thread, and this decides for the whole process: call
    /// it on a representative thread.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::Clock;
    ///
    /// Clock::warm_up();
    /// // … enter a sandbox …
    /// assert!(Clock::or_system().now() <= Clock::or_system().now());
    /// ```
    pub fn warm_up() {
        PROCESS.look_again();
        let _ = (step_ns(PROCESS.take::<true>()), is_under_hypervisor(), ticks_are_counter());
        let _ = PROCESS.read_as::<Realtime, true>();
    }

    /// From now on and for the life of the process, every time is the system's: for a program that meets a kernel whose data it
    /// does not trust. [`ticks`](Self::ticks) remain what they were; [`duration_of`](Self::duration_of) gives None.
    ///
    /// An operator has the same switch: the environment variable `CHRONOSCOPE_CLOCK=system`, read once, at the first reading, as
    /// it was when the process was started; a process that runs with more rights than its caller ignores it, and one that
    /// overwrites its environment to show a title, or is started by naming the dynamic loader, may lose it. [`trust`](Self::trust) then gives
    /// [`SwitchedOff`](Reason::SwitchedOff).
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::{Clock, Reason};
    ///
    /// Clock::use_system();
    /// Clock::warm_up();
    /// assert!(cfg!(not(target_os = "linux")) || Clock::or_system().trust().reasons.contains(Reason::SwitchedOff));
    /// ```
    pub fn use_system() {
        PROCESS.switch_off();
    }

    /// The time now.
    #[must_use]
    #[inline(always)]
    pub fn now(self) -> Instant {
        Instant::from_bits(PROCESS.read::<true>())
    }

    /// The time now, ordered both ways: nothing after the read runs before it.
    ///
    /// For the end of what is timed, or a stamp that must not be later than what follows it. Costs a fence more than
    /// [`now`](Self::now).
    ///
    /// # Ordering
    /// The counter is read after every earlier load and before every later load and store; on x86-64 after and before every
    /// other instruction, too. An earlier *store* has been executed, but other CPUs may see it only after the read, as with
    /// any clock: put a `fence(SeqCst)` between the two if that matters.
    ///
    /// # Sources
    /// Intel SDM vol. 2A, LFENCE, and vol. 2B, RDTSCP; AMD APM vol. 3, LFENCE, which waits where the system has set it to,
    /// as Linux has. Arm ARM, DMB: an `ishld` orders earlier loads, of which the last depends on the counter, before later
    /// loads and stores.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::Clock;
    /// use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
    ///
    /// static SHARED: AtomicU64 = AtomicU64::new(0);
    /// let not_later = Clock::or_system().now_fenced();
    /// let seen = SHARED.load(Relaxed); // what it was at `not_later` or afterwards
    /// # let _ = (not_later, seen);
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn now_fenced(self) -> Instant {
        if cfg!(not(target_arch = "x86_64")) {
            fence(Acquire);
        }
        let now = self.now();
        match Counter::assume() {
            Some(counter) if cfg!(target_arch = "x86_64") => counter.fence(),
            // A load of the read itself depends on the counter, and a barrier follows it.
            _ => {}
        }
        now
    }

    /// The time now, its seconds and nanoseconds apart: for a C `timespec`.
    ///
    /// The same time as [`now`](Self::now), as the time since the clock's zero. The kernel's data hold the seconds, so nothing
    /// is multiplied to be divided again.
    ///
    /// # Ordering
    /// As [`now`](Self::now).
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::Clock;
    ///
    /// let time = Clock::or_system().monotonic();
    /// let (tv_sec, tv_nsec) = (time.as_secs(), time.subsec_nanos());
    /// assert!(tv_nsec < 1_000_000_000);
    /// # let _ = tv_sec;
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn monotonic(self) -> Duration {
        PROCESS.read_as::<Monotonic, true>()
    }

    /// `CLOCK_REALTIME` now, since 1970-01-01 00:00 UTC without leap seconds: the wall clock, which people and NTP set.
    ///
    /// # Ordering
    /// As [`now`](Self::now).
    ///
    /// # Guarantees
    /// What `clock_gettime(CLOCK_REALTIME)` returns for the same counter value, from the same data as [`now`](Self::now)'s
    /// and where those can be read; else the system's own read. It steps whenever the system's does: to keep order and
    /// distances, convert instants by a [`WallAnchor`](crate::WallAnchor); for how far it may be from UTC, ask
    /// [`utc`](crate::utc()).
    ///
    /// # Platform
    /// Linux before 4.20: the system's read. macOS and Windows: as [`WallAnchor`](crate::WallAnchor).
    ///
    /// # Panics
    /// Where the system has no clock at all.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::Clock;
    ///
    /// let since_1970 = Clock::or_system().realtime();
    /// # #[cfg(feature = "std")]
    /// assert!(std::time::SystemTime::now() >= std::time::UNIX_EPOCH + since_1970);
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn realtime(self) -> Duration {
        PROCESS.read_as::<Realtime, true>()
    }

    /// The time now and its error bound, from one read. The first one also measures the step in which the clock moves, by 96
    /// readings, unless [`warm_up`](Self::warm_up) did; one after a pause of 20 ms, and one each second, by 32.
    #[must_use]
    #[inline]
    pub fn reading(self) -> Reading {
        reading::<true>()
    }

    /// The same time without a fence: cheaper, and not causal.
    #[must_use]
    #[inline(always)]
    pub const fn unordered(self) -> Unordered {
        Unordered(())
    }

    /// The counter now, to convert later between [anchors](Self::anchor).
    ///
    /// # Units
    /// Ticks of the CPU's counter if the kernel kept time by it when the process first asked for ticks or an anchor;
    /// otherwise nanoseconds of this clock. Fixed for the life of the process: if the process later forbids itself the
    /// counter (`PR_TSC_SIGSEGV`), this kills it, as `clock_gettime` does.
    ///
    /// # Ordering
    /// As [`now`](Self::now).
    #[must_use]
    #[inline(always)]
    pub fn ticks(self) -> Ticks {
        if TICKS.0.load(Relaxed) == TICKS_OF_COUNTER {
            if let Some(ticks) = PROCESS.ticks() {
                return Ticks::from_raw(ticks);
            }
        }
        ticks_otherwise()
    }

    /// How long so many [ticks](Self::ticks) take at the rate by which the kernel converts the counter now: for a difference of
    /// two, or a sum of such differences.
    ///
    /// None if the kernel no longer keeps time by the counter. More than 584 years count as those.
    ///
    /// # Guarantees
    /// The ticks at that rate, rounded down once to 1 ns. The kernel changes its rate by a fraction of a ppm at each of its own
    /// ticks, and as it is told to slew: by NTP up to 500 ppm, by `adjtime` as much again. So a sum over hours is converted
    /// better between anchors, by an [`AnchorTable`](crate::AnchorTable). Where ticks are nanoseconds of this clock, they are
    /// returned as they are. Waits for the kernel only as `clock_gettime` does, while it changes its data.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::Clock;
    ///
    /// let clock = Clock::or_system();
    /// let unordered = clock.unordered();
    /// let mut ticks = 0;
    /// for _ in 0..1_000 {
    ///     let start = unordered.ticks().as_raw();
    ///     std::hint::black_box(7_u64.pow(3)); // what is timed, once for each row
    ///     ticks += unordered.ticks().as_raw().saturating_sub(start);
    /// }
    /// if let Some(took) = clock.duration_of(ticks) {
    ///     println!("{took:?}");
    /// }
    /// ```
    #[must_use]
    pub fn duration_of(self, ticks: u64) -> Option<Duration> {
        let ns = if ticks_are_counter() { PROCESS.ns_of_ticks(ticks)? } else { ticks };
        Some(Duration::from_nanos(ns))
    }

    /// This moment in [`ticks`](Self::ticks) and in this clock's time, for an [`AnchorTable`](crate::AnchorTable).
    ///
    /// If the kernel no longer keeps time by the counter, the anchor has no bound: [`error_ns`](Anchor::error_ns) is
    /// `u64::MAX`. Where the kernel's data are unreadable, `anchor` reads a small file in `/sys` to find out: the one
    /// system call left after [`warm_up`](Self::warm_up).
    #[must_use]
    pub fn anchor(self) -> Anchor {
        if !ticks_are_counter() {
            let ns = PROCESS.take::<true>().ns;
            return Anchor::exact(ns, ns);
        }
        let taken = PROCESS.take::<true>();
        match (taken.ticks, Counter::assume()) {
            (Some(ticks), _) => Anchor { error_ns: step_ns(taken), ..Anchor::exact(ticks, taken.ns) },
            (None, Some(counter)) => {
                let bracket = narrowest(
                    || counter.bracket(),
                    &crate::tick_source::Function(os::system_ns::<MONOTONIC>),
                    ANCHOR_ATTEMPTS,
                );
                // While the kernel is changing its data it still keeps time by the counter.
                let is_vouched_for = match PROCESS.reason() {
                    None | Some(Reason::KernelDataChanging) => true,
                    // The counter may be another machine's by now.
                    Some(Reason::Restored) => false,
                    Some(_) => os::clocksource_is_counter() == Some(true),
                };
                Anchor { error_ns: if is_vouched_for { step_ns(taken) } else { u64::MAX }, ..bracket }
            }
            (None, None) => unreachable!("ticks of a counter that this processor does not have"),
        }
    }

    /// What the clock knows about itself now. Costs a few reads.
    #[must_use]
    pub fn trust(self) -> Trust {
        let taken = PROCESS.take::<true>();
        let mut reasons = Reasons::NONE;
        if taken.source == RateSource::SystemClock {
            reasons = reasons.with(PROCESS.reason().unwrap_or(Reason::KernelDataChanging));
        } else if is_under_hypervisor() {
            reasons = reasons.with(Reason::Hypervisor);
        }
        let is_counting = taken.source != RateSource::SystemClock;
        if PROCESS.step_ns(&taken).is_none() {
            reasons = reasons.with(Reason::StepDeclared);
        }
        Trust {
            state: state_of(taken),
            rate_source: taken.source,
            reasons,
            error_bound: reading_of(taken).error_bound(),
            counter_hz: if is_counting { PROCESS.counter_hz() } else { None },
        }
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

    #[inline]
    fn reading(&self) -> Reading {
        Clock::reading(*self)
    }
}

impl TickSource for Clock {
    #[inline(always)]
    fn read(&self) -> u64 {
        Clock::now(*self).to_bits()
    }
}

impl Instant {
    /// The time now by [`Clock::or_system`].
    #[must_use]
    #[inline(always)]
    pub fn now() -> Self {
        Clock::or_system().now()
    }

    /// The time since this instant; zero if it lies in the future.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        Self::now().saturating_duration_since(*self)
    }
}

/// The unordered clock: the cheapest read in nanoseconds, **not causal** between threads.
///
/// # Ordering
/// None. The CPU may read before an earlier load completes, so a thread can read a time up to some microseconds earlier
/// than one it was shown; see `chronoscope causality`. No manual defines the order of two such reads on one thread, so
/// monotonicity is not promised, though no run here has seen it go back.
///
/// # Guarantees
/// The time of `CLOCK_MONOTONIC`, as [`Clock`]'s is, near the read's place in the program: no earlier than the oldest
/// instruction that was incomplete when the read executed, and no later than the read's completion.
///
/// # Examples
/// ```
/// use chronoscope_clock::Clock;
///
/// let unordered = Clock::or_system().unordered();
/// let start = unordered.now();
/// println!("{:?}", unordered.now().saturating_duration_since(start));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unordered(());

impl Unordered {
    /// As [`Clock::or_system`].
    #[must_use]
    #[inline(always)]
    pub const fn or_system() -> Self {
        Clock::or_system().unordered()
    }

    /// The time now.
    #[must_use]
    #[inline(always)]
    pub fn now(self) -> Instant {
        Instant::from_bits(PROCESS.read::<false>())
    }

    /// As [`Clock::monotonic`], in this clock's order.
    #[must_use]
    #[inline(always)]
    pub fn monotonic(self) -> Duration {
        PROCESS.read_as::<Monotonic, false>()
    }

    /// As [`Clock::realtime`], in this clock's order.
    #[must_use]
    #[inline(always)]
    pub fn realtime(self) -> Duration {
        PROCESS.read_as::<Realtime, false>()
    }

    /// The counter now, at the cost of the bare instruction: in the unit of [`Clock::ticks`], in no order.
    ///
    /// Convert a difference of two, or the sum of many, by [`Clock::duration_of`]. No manual
    /// promises that a later one is not less, so subtract with saturation.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::Clock;
    ///
    /// let clock = Clock::or_system();
    /// let start = clock.unordered().ticks();
    /// let ticks = clock.unordered().ticks().as_raw().saturating_sub(start.as_raw());
    /// println!("{:?}", clock.duration_of(ticks));
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn ticks(self) -> Ticks {
        match Counter::assume() {
            Some(counter) if TICKS.0.load(Relaxed) == TICKS_OF_COUNTER => Ticks::from_raw(counter.unordered_in_place()),
            _ => ticks_otherwise(),
        }
    }
}

impl Now for Unordered {
    #[inline(always)]
    fn now(&self) -> Instant {
        Unordered::now(*self)
    }

    #[inline]
    fn reading(&self) -> Reading {
        reading::<false>()
    }
}

impl TickSource for Unordered {
    #[inline(always)]
    fn read(&self) -> u64 {
        Unordered::now(*self).to_bits()
    }
}

const MONOTONIC: i32 = os::id(OsClock::Monotonic);

/// Brackets from which the narrowest becomes the anchor, where the kernel's data do not give one.
const ANCHOR_ATTEMPTS: u32 = 9;

/// Whether ticks are the counter's or nanoseconds: decided once for the life of the process, by whoever asks first.
static TICKS: CachePadded<AtomicU8> = CachePadded(AtomicU8::new(TICKS_UNDECIDED));
const TICKS_UNDECIDED: u8 = 0;
const TICKS_OF_COUNTER: u8 = 1;
const TICKS_OF_SYSTEM: u8 = 2;

#[cold]
fn ticks_otherwise() -> Ticks {
    match Counter::assume() {
        Some(counter) if ticks_are_counter() => Ticks::from_raw(counter.ordered()),
        _ => Ticks::from_raw(PROCESS.take::<true>().ns),
    }
}

fn ticks_are_counter() -> bool {
    let decided = TICKS.0.load(Relaxed);
    if decided != TICKS_UNDECIDED {
        return decided == TICKS_OF_COUNTER;
    }
    let is_forbidden = || PROCESS.reason() == Some(Reason::CounterForbidden);
    let is_counter = PROCESS.take::<true>().ticks.is_some()
        || Counter::assume().is_some() && !is_forbidden() && os::clocksource_is_counter() == Some(true);
    let wanted = if is_counter { TICKS_OF_COUNTER } else { TICKS_OF_SYSTEM };
    // Whoever was first decided for all.
    let decided =
        TICKS.0.compare_exchange(TICKS_UNDECIDED, wanted, Relaxed, Relaxed).map_or_else(|other| other, |_| wanted);
    decided == TICKS_OF_COUNTER
}

#[inline(always)]
fn reading<const ORDERED: bool>() -> Reading {
    match PROCESS.read_with_step::<ORDERED>() {
        Some((ns, step_ns)) => Reading::in_steps_of(step_ns, Instant::from_bits(ns)),
        None => reading_otherwise::<ORDERED>(),
    }
}

#[cold]
#[inline(never)]
fn reading_otherwise<const ORDERED: bool>() -> Reading {
    reading_of(PROCESS.take::<ORDERED>())
}

fn reading_of(taken: Taken) -> Reading {
    Reading::in_steps_of(step_ns(taken), Instant::from_bits(taken.ns)).with_state(state_of(taken))
}

fn state_of(taken: Taken) -> TrustState {
    match taken.source {
        RateSource::SystemClock => TrustState::Fallback,
        _ => TrustState::Verified,
    }
}

fn step_ns(taken: Taken) -> u64 {
    PROCESS.step_ns(&taken).unwrap_or_else(|| declared_step_ns(taken))
}

/// Of a clock that stood still while it was to be measured.
#[cold]
fn declared_step_ns(taken: Taken) -> u64 {
    let declared_ns = || os::declared_resolution_ns(OsClock::Monotonic).unwrap_or(os::UNDECLARED_STEP_NS).max(1);
    taken.rate.map_or_else(declared_ns, Rate::tick_ns)
}

/// Whether this process is in no time namespace, as far as the kernel's data tell, which a namespace replaces. False where they
/// cannot be read.
pub(crate) fn is_outside_time_namespaces() -> bool {
    PROCESS.is_outside_time_namespaces()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "makes a system call that Miri does not know")]
    fn it_is_the_systems_clock() {
        let clock = Clock::or_system();
        for _ in 0..20_000 {
            let before = crate::os::monotonic_ns();
            let reading = clock.reading();
            let plain = clock.now().to_bits();
            let after = crate::os::monotonic_ns();
            let shown = reading.instant().to_bits();
            assert!(before <= shown && shown <= plain && plain <= after, "{before} {shown} {plain} {after}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "makes a system call that Miri does not know")]
    fn every_reading_has_a_bound() {
        let reading = reading_of(Taken { ns: 1_000, source: RateSource::SystemClock, ticks: None, rate: None });
        assert!(reading.error_bound() > Duration::ZERO && reading.state() == TrustState::Fallback);
        assert!(Clock::or_system().reading().error_bound() > Duration::ZERO);
    }

    #[test]
    #[cfg_attr(miri, ignore = "makes a system call that Miri does not know")]
    fn the_wall_clock_is_the_systems() {
        let system_ns = os::system_ns::<{ os::id(OsClock::Realtime) }>;
        let is_right = |_: &u32| {
            let before = system_ns();
            let shown = [Clock::or_system().realtime(), Clock::or_system().unordered().realtime()];
            let after = system_ns();
            let [ordered, unordered] = shown.map(|since_1970| since_1970.as_nanos() as u64);
            before <= ordered && ordered <= unordered && unordered <= after
        };
        // Somebody may set it meanwhile, but not often.
        assert!((0..20_000).filter(is_right).count() >= 19_990);
    }

    #[test]
    #[cfg_attr(miri, ignore = "looks at the counter")]
    fn a_difference_of_ticks_is_the_time_between_them() {
        let clock = Clock::or_system();
        let (before, start) = (clock.now_fenced(), clock.unordered().ticks());
        std::thread::sleep(Duration::from_millis(20));
        let (ticks, after) = (clock.ticks().as_raw() - start.as_raw(), clock.now_fenced());
        let (took, around) = (clock.duration_of(ticks).unwrap(), after - before);
        // Whatever it was slewed by, it was not by a thousandth; and the brackets are seldom a millisecond wide.
        assert!(took <= around.mul_f64(1.001), "{took:?} {around:?}");
        assert!(took >= Duration::from_millis(19), "{took:?}");
        assert_eq!(clock.duration_of(0), Some(Duration::ZERO));
    }

    #[test]
    fn it_never_goes_back_on_one_thread() {
        let clock = Clock::or_system();
        let mut last = clock.now();
        for _ in 0..if cfg!(miri) { 100 } else { 200_000 } {
            let next = clock.now();
            assert!(next >= last);
            last = next;
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "looks at the counter")]
    fn trust_and_constructor_agree() {
        Clock::warm_up();
        let trust = Clock::or_system().trust();
        assert_eq!(Clock::trusted().is_ok(), trust.state != TrustState::Fallback);
        assert_eq!(trust.counter_hz.is_some(), trust.state != TrustState::Fallback);
        assert_eq!(trust.reasons.state() == TrustState::Fallback, trust.state == TrustState::Fallback);
    }

    #[test]
    #[cfg_attr(miri, ignore = "looks at the counter")]
    fn anchors_and_ticks_are_of_one_unit() {
        let clock = Clock::or_system();
        for _ in 0..1_000 {
            let (begin, ticks, end) = (clock.anchor(), clock.ticks().as_raw(), clock.anchor());
            let width = begin.half_width_ticks + end.half_width_ticks;
            assert!(begin.ticks <= ticks + width && ticks <= end.ticks + width, "{begin:?} {ticks} {end:?}");
            assert!(begin.reference_ns <= end.reference_ns);
        }
    }
}
