use core::time::Duration;

use super::learnt::{LONG_NS, Learnt};
use super::levers::{RealTime, TimerSlack};
use super::spin::spin_until;
use super::{Cancel, SystemTimer, Target, Timer, Waited};
use crate::{Instant, Unavailable};

/// A sleep of unknown lateness ends so long before the deadline.
const UNKNOWN_NS: u64 = 100_000;
/// No sleep that is followed by spinning ends earlier before the deadline than this: rare long delays are not worth spinning
/// for.
const MOST_MARGIN_NS: u64 = 120_000;
/// The first sleep of a long wait ends within these before the deadline, and a second one follows: what it is early is slept,
/// not spun.
const FIRST_MARGIN_NS: (u64, u64) = (60_000, 150_000);
/// What must be left for the second.
const SECOND_NS: u64 = 30_000;
/// Of first sleeps one in a thousand may be later than that, unless that takes a margin beyond the most.
const FIRST_QUANTILE: f32 = 0.999;
/// A wait sleeps so often at most, whatever signals arrive.
const MOST_SLEEPS: u32 = 64;
/// A margin of so many times the median is one that a bad episode may have left.
const INFLATED: u64 = 3;
/// How often it may be questioned, by a sleep that trusts the median.
const PROBE_APART: Duration = Duration::from_millis(20);
/// What was last seen so long ago or longer counts half.
const STALE: Duration = Duration::from_millis(100);
/// A gap so long while it spins is a time slice that went to somebody else; two of them so near to each other are the doing of
/// one who wants this CPU all the time.
const LOST_SLICE: Duration = Duration::from_millis(1);
const LOST_AGAIN: Duration = Duration::from_millis(50);
/// Then it spins less for a while, twice as long each time that it finds the other one still there.
const CROWDED: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(30));
/// As many may be late then.
const CROWDED_QUANTILE: f32 = 0.75;
/// What a sleep takes if it could not be measured.
const SLEEP_COST_NS: u64 = 5_000;
/// Real-time threads may spin this share of the time and a tenth of a window more, lest the kernel takes the CPU from them (it
/// leaves them 95 % of a second, usually).
const REAL_TIME_SHARE: f64 = 0.8;
const WINDOW: Duration = Duration::from_millis(500);

/// Waits that end on time and keep the CPU only as long as it takes: it learns how late this thread is woken, sleeps until
/// that much before the deadline, and spins the rest.
///
/// One for each thread that waits. It learns by every wait; [`calibrate`](Self::calibrate) lets it begin with knowledge.
///
/// # Units
/// Deadlines are on the timescale of [`Clock`](crate::Clock).
///
/// # Guarantees
/// - Never early, by the clock that it waits on; see [`Waited`]. What it is late is reported, not lost.
/// - It never yields: a thread that yields to another one on its CPU gets it back after a whole time slice, 4 ms and more.
/// - Beside one who wants its CPU all the time it spins less, since it would lose the CPU for whole time slices.
/// - One bad episode does not leave it spinning: what was learnt is forgotten, no margin that is spun exceeds 120 µs
///   (the first of two sleeps may end 150 µs early), and one that is much longer than what is usual is questioned by a sleep
///   every 20 ms.
/// - Memory of fixed size (about 10 KB), no allocation, no thread, no lock.
/// - While it lives, the kernel delays this thread's timers as little as it can (timer slack of 1 ns, Linux); what it was
///   before is restored on drop. Everything else of the thread is left as it is.
///
/// # Platform
/// As [`SystemTimer`].
///
/// # Sources
/// Lateness depends on the sleep's length and on what came before, and a distribution's quantile predicts it where a mean
/// does not: measured, see `chronoscope pause` for this machine.
///
/// # Examples
/// ```
/// use chronoscope_clock::pause::Pauser;
/// use std::time::Duration;
///
/// let mut pauser = Pauser::new();
/// let waited = pauser.pause(Duration::from_micros(300));
/// println!("late by {:?}, slept {:?}, spun {:?}", waited.late, waited.slept, waited.spun);
/// ```
#[derive(Debug)]
pub struct Pauser<T: Timer = SystemTimer> {
    timer: T,
    target: Target,
    learnt: Learnt,
    sleep_cost_ns: u64,
    last_probe: Instant,
    crowd: Crowd,
    /// How much of a window was spun away, where that is limited.
    budget: Option<Budget>,
    /// Dropped after use; what they changed is restored in this order.
    _real_time: Option<RealTime>,
    _slack: Option<TimerSlack>,
}

/// A share of time that may be spun away.
#[derive(Clone, Copy, Debug)]
struct Budget {
    window_began: Instant,
    spun: Duration,
}

/// Whether somebody else wants this CPU all the time. A thread that mostly sleeps is let run when it wakes; one that spins uses
/// up its share and then waits for a whole time slice of the other one's.
#[derive(Clone, Copy, Debug)]
struct Crowd {
    last_lost: Option<Instant>,
    until: Instant,
    next: Duration,
}

impl Crowd {
    const NONE: Self = Self { last_lost: None, until: Instant::ZERO, next: CROWDED.0 };

    fn is_there(&self, now: Instant) -> bool {
        now < self.until
    }

    /// Takes in what a spin that ended `now` met.
    fn note(&mut self, largest_gap: Duration, now: Instant) {
        if largest_gap < LOST_SLICE {
            return;
        }
        let again = self.last_lost.is_some_and(|last| now.saturating_duration_since(last) < LOST_AGAIN);
        self.last_lost = Some(now);
        if again && !self.is_there(now) {
            // Long quiet since the last time is a new beginning.
            if now.saturating_duration_since(self.until) > self.next {
                self.next = CROWDED.0;
            }
            self.until = now.saturating_add(self.next);
            self.next = (self.next * 2).min(CROWDED.1);
        }
    }
}

impl Default for Pauser {
    fn default() -> Self {
        Self::new()
    }
}

impl Pauser {
    /// For the calling thread, with the usual [`Target`]. Takes some 50 µs: it measures what a sleep costs.
    pub fn new() -> Self {
        Self::with_target(Target::default())
    }

    /// For the calling thread and this target.
    pub fn with_target(target: Target) -> Self {
        // Before the first sleep is measured. Where it cannot be set the lateness that is learnt says so.
        let slack = TimerSlack::set(Duration::from_nanos(1)).ok();
        let mut pauser = Self::with_timer(SystemTimer::new(), target);
        pauser._slack = slack;
        pauser.measure_sleep();
        pauser
    }

    /// Runs this thread under the real-time policy first in, first out from now on, until this is dropped. Once it has spun four
    /// fifths of the time and 50 ms more it sleeps, even at the price of being late, since the kernel takes the CPU from
    /// threads that never sleep. Waits that are shorter than a sleep takes are always spun.
    ///
    /// # Platform
    /// Linux, with `CAP_SYS_NICE` or a limit for real-time priorities above 1.
    ///
    /// # Errors
    /// [`Unavailable`] with the reason; nothing has changed then.
    pub fn enter_real_time(&mut self) -> Result<(), Unavailable> {
        self._real_time = Some(RealTime::enter()?);
        self.limit_spinning();
        Ok(())
    }
}

impl<T: Timer> Pauser<T> {
    /// On another timer: for tests.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::FakeClock;
    /// use chronoscope_clock::pause::{Pauser, Target};
    /// use std::time::Duration;
    ///
    /// let clock = FakeClock::new();
    /// clock.set_oversleep_ns(70_000);
    /// let mut pauser = Pauser::with_timer(&clock, Target::default());
    /// let waited = pauser.pause(Duration::from_millis(1));
    /// assert!(waited.sleeps > 0 && waited.late < Duration::from_nanos(100));
    /// ```
    pub fn with_timer(timer: T, target: Target) -> Self {
        Self {
            timer,
            target,
            learnt: Learnt::NOTHING,
            sleep_cost_ns: SLEEP_COST_NS,
            last_probe: Instant::ZERO,
            crowd: Crowd::NONE,
            budget: None,
            _real_time: None,
            _slack: None,
        }
    }

    /// Learns by some 30 ms of short waits, so that the first ones that count are no worse than later ones.
    pub fn calibrate(&mut self) {
        const SLEEPS: [(Duration, u32); 6] = [
            (Duration::from_micros(40), 60),
            (Duration::from_micros(80), 40),
            (Duration::from_micros(160), 30),
            (Duration::from_micros(300), 12),
            (Duration::from_millis(1), 6),
            (Duration::from_millis(3), 2),
        ];
        for (length, times) in SLEEPS {
            for _ in 0..times {
                let _ = self.pause(length);
            }
        }
    }

    /// Waits for `length` from now on. Lengths beyond the timescale's end are as good as forever.
    pub fn pause(&mut self, length: Duration) -> Waited {
        self.wait_until(self.timer.glance().saturating_add(length))
    }

    /// The same; ends early when `cancel` is.
    pub fn pause_or(&mut self, length: Duration, cancel: &Cancel) -> Waited {
        self.wait_until_or(self.timer.glance().saturating_add(length), cancel)
    }

    /// Waits until `deadline`; returns at once where it has passed.
    pub fn wait_until(&mut self, deadline: Instant) -> Waited {
        self.wait(deadline, None)
    }

    /// The same; ends early when `cancel` is.
    pub fn wait_until_or(&mut self, deadline: Instant, cancel: &Cancel) -> Waited {
        self.wait(deadline, Some(cancel))
    }

    /// The timer that it waits by.
    pub fn timer(&self) -> &T {
        &self.timer
    }

    fn wait(&mut self, deadline: Instant, cancel: Option<&Cancel>) -> Waited {
        let mut waited = Waited::nothing(deadline);
        let mut after_long = false;
        let mut now = self.timer.glance();
        let whole = deadline.saturating_duration_since(now);
        while now < deadline && waited.sleeps < MOST_SLEEPS && !cancel.is_some_and(Cancel::is_cancelled) {
            let Some(margin_ns) = self.margin_ns(deadline, now, after_long, whole) else { break };
            let aim = deadline.saturating_sub(Duration::from_nanos(margin_ns));
            self.timer.sleep_until(aim, cancel);
            let woken = self.timer.glance();
            let slept = woken.saturating_duration_since(now);
            waited.slept += slept;
            waited.sleeps += 1;
            if let Some(late) = woken.checked_duration_since(aim) {
                let left_ns = nanos(deadline.saturating_duration_since(now));
                self.learnt.of(left_ns, after_long).record(nanos(late), woken);
            }
            after_long |= nanos(slept) >= LONG_NS;
            now = woken;
        }
        spin_until(|| self.timer.glance(), deadline, cancel, &mut waited);
        self.crowd.note(waited.largest_gap, waited.ended);
        if let Some(budget) = &mut self.budget {
            budget.spend(waited.spun, waited.ended);
        }
        waited
    }

    /// How long before the deadline the next sleep is to end; None if the rest is to be spun away.
    fn margin_ns(&mut self, deadline: Instant, now: Instant, after_long: bool, whole: Duration) -> Option<u64> {
        let left_ns = nanos(deadline.saturating_duration_since(now));
        if left_ns <= self.sleep_cost_ns {
            return None;
        }
        let exhausted = self.budget.as_ref().is_some_and(|budget| budget.is_exhausted(now));
        if exhausted {
            return Some(0);
        }
        let known = self.learnt.of(left_ns, after_long);
        if now.saturating_duration_since(known.last) > STALE && known.last > Instant::ZERO {
            known.fade(0.5);
            known.last = now;
        }
        let most_ns = MOST_MARGIN_NS.min((nanos(whole) as f64 * f64::from(self.target.cpu)) as u64);
        if left_ns >= LONG_NS && !after_long {
            let (least, most) = FIRST_MARGIN_NS;
            let late_ns = known.cautious_ns(FIRST_QUANTILE).unwrap_or(UNKNOWN_NS);
            return Some(late_ns.clamp(least, most).min(left_ns - SECOND_NS));
        }
        let crowded = self.crowd.is_there(now);
        let wanted = 1.0 - self.target.late;
        let quantile = if crowded { wanted.min(CROWDED_QUANTILE) } else { wanted };
        let margin_ns = known.cautious_ns(quantile).unwrap_or(UNKNOWN_NS).min(most_ns);
        let sleeps = |margin_ns: u64| left_ns > margin_ns + self.sleep_cost_ns;
        if sleeps(margin_ns) {
            return Some(margin_ns);
        }
        // To keep the CPU would cost a time slice: late by a part of the wait is better.
        if crowded && left_ns > 2 * self.sleep_cost_ns {
            return Some(left_ns / 3);
        }
        // What keeps it from sleeping may be long over; or nothing is known since no wait was ever long enough.
        let usual_ns = known.quantile_ns(0.5).unwrap_or(self.sleep_cost_ns) * 2;
        let inflated = margin_ns * 2 > usual_ns * INFLATED;
        if inflated && sleeps(usual_ns) && now.saturating_duration_since(self.last_probe) > PROBE_APART {
            known.fade(0.25);
            self.last_probe = now;
            return Some(usual_ns.min(most_ns));
        }
        None
    }

    fn measure_sleep(&mut self) {
        crate::arch::relax();
        const SLEEPS: u32 = 8;
        let took = |_| {
            let before = self.timer.glance();
            self.timer.sleep_until(before, None);
            self.timer.glance().saturating_duration_since(before)
        };
        // A sleep whose end has passed costs the system call; one that gives the CPU away costs two switches as well.
        let call_ns = (0..SLEEPS).map(took).min().map_or(0, nanos);
        self.sleep_cost_ns = (call_ns * 4).clamp(2_000, 20_000).max(SLEEP_COST_NS);
    }

    fn limit_spinning(&mut self) {
        self.budget = Some(Budget { window_began: self.timer.glance(), spun: Duration::ZERO });
    }
}

impl Budget {
    fn spend(&mut self, spun: Duration, now: Instant) {
        self.spun += spun;
        let elapsed = now.saturating_duration_since(self.window_began);
        if elapsed >= WINDOW {
            // What was spent too much is carried over.
            self.spun = self.spun.saturating_sub(elapsed.mul_f64(REAL_TIME_SHARE));
            self.window_began = now;
        }
    }

    fn is_exhausted(&self, now: Instant) -> bool {
        let elapsed = now.saturating_duration_since(self.window_began);
        // A tenth of a window is free: at its beginning little has elapsed.
        self.spun > elapsed.mul_f64(REAL_TIME_SHARE) + WINDOW / 10
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(all(test, not(miri)))] // thousands of readings a wait: too slow to interpret
#[path = "pauser_tests.rs"]
mod tests;
