use core::time::Duration;

use super::allowance::Allowance;
use super::budget::Budget;
use super::lateness::Margin;
use super::oversubscription::{Oversubscription, Usage, lost_slice};
use super::probes::Probes;
use super::relax::relax;
use super::sched_guards::{NotRestored, RealTime, TimeSlice, TimerSlack};
use super::sleep_cost::SleepCost;
use super::sleeps::{Sleep, Sleeps};
use super::spin::spin_until;
use super::wakeup_model::{LONG_NS, WakeupModel};
use super::{Cancel, Internal, SystemTimer, Target, Timer, Waited};
use crate::nanos::saturating as nanos;
use crate::{Instant, Unavailable};

/// The margin of a sleep whose lateness is unknown.
const UNKNOWN_NS: u64 = 100_000;
/// The largest margin: rare long delays are not worth spinning for.
const MOST_MARGIN_NS: u64 = 120_000;
/// Range of the first margin of a long wait. A second sleep follows, so what the first is early is slept, not spun.
const FIRST_MARGIN_NS: (u64, u64) = (60_000, 150_000);
/// What the first sleep must leave for the second.
const SECOND_NS: u64 = 30_000;
/// One first sleep in a thousand may be later than its margin, unless that takes more than the largest margin.
const FIRST_QUANTILE: f32 = 0.999;
/// A probing sleep trusts twice the median.
const PROBE_MARGIN: u64 = 2;
/// Each probe lets earlier sleeps count this much: some sixty punctual ones outweigh one bad episode.
const PROBE_FADE: f32 = 0.9;
/// The quantile while another thread wants this CPU all the time.
const OVERSUBSCRIBED_QUANTILE: f32 = 0.75;
/// Shorter waits are spun, whatever sleeps cost.
const SHORTEST_SLEEP_NS: u64 = 5_000;
/// A schedule that shares its CPU rests for as long as it has kept it, with so many times what a sleep costs, less what the last sleep
/// was late: a thread that sleeps for less than it has run has used up its fair share, and waits for the other's whole time slice.
const REST_COSTS: u64 = 2;
/// Added to that: with less, one rest in a few hundred loses a slice (measured on two machines, Linux 6.18).
const LEAST_REST_NS: u64 = 30_000;
/// The longest rest.
const LONGEST_REST_NS: u64 = 500_000;
/// A spin this long loses the CPU if another thread wants it all the time: longer than a time slice and two ticks.
const LOOK: Duration = Duration::from_millis(12);
/// Between looks whether it did.
const SHORT_SPIN: Duration = Duration::from_micros(100);
/// Sleeps measured at the start, and their length.
const MEASURED: (u32, Duration) = (3, Duration::from_micros(20));

/// Waits that end on time and keep the CPU no longer than needed: learns how late this thread wakes, sleeps until that
/// much before the deadline, and spins the rest.
///
/// Use one per waiting thread. It learns from every wait; [`calibrate`](Self::calibrate) gives it a start.
///
/// # Units
/// Deadlines are on the timescale of [`Clock`](crate::Clock).
///
/// # Guarantees
/// - Never early by its own clock; lateness is reported in [`Waited`].
/// - Never yields: a thread that yields to another gets its CPU back after a whole time slice, 4 ms and more.
/// - On an oversubscribed CPU it spins less, since spinning would cost it whole time slices. Where each wait begins when the last one
///   should have ended, as a [`Pacer`](crate::pacer::Pacer)'s do, it sleeps past deadlines that are near: most waits are
///   then late by tens of microseconds instead of half of them by milliseconds.
/// - One bad episode does not leave it spinning: old lateness is forgotten, no spun margin exceeds 120 µs (the first of
///   two sleeps may end 150 µs early), and while it spins it retries a sleep every 20 ms, or so rarely that the waits
///   this makes late are a twentieth of those allowed.
/// - Sleeps only where that saves CPU time; the cost of a sleep is measured now and then.
/// - Signals never end a wait. Where the system refuses to sleep, it spins, and says so.
/// - Under a real-time policy, whoever set it, waits keep the CPU for at most four fifths of the time plus 50 ms; then
///   they sleep, even if that makes them late, because the kernel throttles real-time threads that never sleep. They spin
///   on only where the system refuses to sleep.
/// - Memory of fixed size (about 10 KB). A wait allocates nothing, starts no thread and takes no lock; only a pacer's may allocate once, for
///   the guard of its slices.
/// - While it lives, the kernel delays this thread's timers as little as it can (a [`TimerSlack`] of 1 ns, Linux with the
///   feature `std`; threads started meanwhile inherit it), a pacer's thread has short slices as long as it shares its CPU (a
///   [`TimeSlice`] of 0.1 ms, likewise, unless the thread has one already), and the thread is real-time if told to
///   [be](Pauser::enter_real_time). Dropping it restores what was before, in any order of drops, except as [`RealTime`] says of
///   unprivileged threads. Nothing else about the thread changes.
///
/// # Platform
/// As [`SystemTimer`]. On Linux a wait that lost the CPU for a millisecond asks getrusage(2) whether another thread took it.
///
/// # Sources
/// Measured: lateness depends on a sleep's length and on what preceded it, and is predicted by a quantile, not by a mean.
/// For this machine see `chronoscope pauses`.
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
    allowance: Allowance,
    wakeups: WakeupModel,
    cost: SleepCost,
    probes: Probes,
    oversubscription: Oversubscription,
    /// Whether a lost time slice makes later waits late, too.
    keeps_schedule: bool,
    /// When this thread got the CPU back, and for how long others had it although this thread wanted it.
    woken: Instant,
    overslept: Duration,
    /// Limits spinning under a real-time policy.
    budget: Budget,
    /// Guards restore what was in any order.
    real_time: Option<RealTime>,
    slice: Option<TimeSlice>,
    _slack: Option<TimerSlack>,
}

/// What a wait does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Sleeps until `margin_ns` before the deadline.
    Sleep { margin_ns: u64 },
    /// Sleeps for so long, past the deadline.
    Rest { ns: u64 },
    /// The same, to see whether sleeps are still that late.
    Probe { margin_ns: u64 },
    /// Keeps the CPU.
    Spin,
}

impl Default for Pauser {
    fn default() -> Self {
        Self::new()
    }
}

impl Pauser {
    /// For the calling thread, with the default [`Target`]. Takes some 0.2 ms to measure what a sleep costs.
    #[must_use]
    pub fn new() -> Self {
        Self::with_target(Target::default())
    }

    /// For the calling thread, with this target.
    #[must_use]
    pub fn with_target(target: Target) -> Self {
        // Before the first sleep is measured. If it cannot be set, sleeps are seen to be later.
        let slack = TimerSlack::set(Duration::from_nanos(1)).ok();
        let mut pauser = Self::with_timer(SystemTimer::new(), target);
        pauser._slack = slack;
        pauser.measure_sleeps();
        pauser
    }

    /// Runs this thread under the real-time policy FIFO until it [leaves](Self::leave_real_time) or this is dropped; see
    /// [`RealTime`]. Entering twice changes nothing.
    ///
    /// # Platform
    /// As [`RealTime`].
    ///
    /// # Errors
    /// [`Unavailable`] with the reason; nothing has changed then.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::pause::Pauser;
    /// use std::time::Duration;
    ///
    /// let mut pauser = Pauser::new();
    /// if let Err(unavailable) = pauser.enter_real_time() {
    ///     println!("waits may lose the CPU to others: {unavailable}");
    /// }
    /// let _ = pauser.pause(Duration::from_micros(100));
    /// match pauser.leave_real_time() {
    ///     Err(left) if !left.is_only_reset_on_fork() => panic!("{left}"),
    ///     _ => println!("as it was, but for a flag perhaps"),
    /// }
    /// ```
    pub fn enter_real_time(&mut self) -> Result<(), Unavailable> {
        // The new one first: if it is refused, the old one stays.
        self.real_time = Some(RealTime::enter()?);
        Ok(())
    }

    /// Leaves real time: the thread is scheduled as before it entered, unless another [`RealTime`] lives on it. Does
    /// nothing if it did not enter.
    ///
    /// # Errors
    /// [`NotRestored`] says what stays changed, and why; see [`RealTime::restore`].
    ///
    /// # Examples
    /// See [`enter_real_time`](Self::enter_real_time).
    pub fn leave_real_time(&mut self) -> Result<(), NotRestored> {
        self.real_time.take().map_or(Ok(()), RealTime::restore)
    }
}

impl<T: Timer> Pauser<T> {
    /// Waits on another timer: for tests.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::FakeClock;
    /// use chronoscope_clock::pause::{Pauser, Target};
    /// use std::time::Duration;
    ///
    /// let clock = FakeClock::new();
    /// clock.set_oversleep(Duration::from_micros(70));
    /// let mut pauser = Pauser::with_timer(&clock, Target::default());
    /// let waited = pauser.pause(Duration::from_millis(1));
    /// assert!(waited.sleeps > 0 && waited.late < Duration::from_nanos(100));
    /// ```
    pub fn with_timer(timer: T, target: Target) -> Self {
        let probes = Probes::after(timer.glance());
        Self {
            timer,
            target,
            allowance: Allowance::of(target.late),
            wakeups: WakeupModel::NOTHING,
            cost: SleepCost::UNKNOWN,
            probes,
            oversubscription: Oversubscription::NONE,
            keeps_schedule: false,
            woken: Instant::ZERO,
            overslept: Duration::ZERO,
            budget: Budget::unspent(Instant::ZERO),
            real_time: None,
            slice: None,
            _slack: None,
        }
    }

    /// Learns from some 40 ms of short sleeps, so that the first waits are as good as later ones, and from a spin of 12 ms
    /// whether another thread wants this CPU. A pacer's schedule does not wait for that: calibrate before
    /// [`Pacer::starting_at`](crate::pacer::Pacer::starting_at).
    pub fn calibrate(&mut self) {
        const SLEEPS: [(Duration, u32); 7] = [
            (Duration::from_micros(20), 30),
            (Duration::from_micros(40), 60),
            (Duration::from_micros(80), 50),
            (Duration::from_micros(160), 30),
            (Duration::from_micros(300), 15),
            (Duration::from_millis(1), 8),
            (Duration::from_millis(3), 2),
        ];
        /// The second of two sleeps is as long as the margin of the first.
        const SECOND: Duration = Duration::from_micros(80);
        for (length, times) in SLEEPS {
            for _ in 0..times {
                self.learn(length, false);
                if nanos(length) >= LONG_NS {
                    self.learn(SECOND, true);
                }
            }
        }
        self.look_for_others();
    }

    /// Spins until that costs the CPU twice, or it does not.
    fn look_for_others(&mut self) {
        for _ in 0..2 {
            let mut waited = Waited::nothing(self.timer.glance());
            let end = waited.ended.saturating_add(LOOK);
            let (mut last, mut largest_gap) = (waited.ended, Duration::ZERO);
            while last < end && !lost_slice(largest_gap) {
                spin_until(|| self.timer.glance(), last.saturating_add(SHORT_SPIN), None, &mut waited);
                largest_gap = waited.largest_gap;
                last = waited.ended;
            }
            self.note_spin(Duration::ZERO, &Waited { largest_gap, spun: largest_gap, ..waited });
            if !lost_slice(largest_gap) {
                return;
            }
        }
    }

    /// Sleeps to see how late that ends.
    fn learn(&mut self, length: Duration, after_long: bool) {
        let aim = self.timer.glance().saturating_add(length);
        let has_slept = self.sleep_until(aim, None, false).is_ok();
        let woken = self.timer.glance();
        if let Some(late) = woken.checked_duration_since(aim).filter(|_| has_slept) {
            self.wakeups.of(nanos(length), after_long).record(nanos(late), woken);
        }
    }

    /// Waits for `length` from now. Lengths beyond the timescale's end are as good as forever.
    pub fn pause(&mut self, length: Duration) -> Waited {
        self.wait_until(self.timer.glance().saturating_add(length))
    }

    /// As [`pause`](Self::pause); `cancel` ends it early.
    pub fn pause_or(&mut self, length: Duration, cancel: &Cancel) -> Waited {
        self.wait_until_or(self.timer.glance().saturating_add(length), cancel)
    }

    /// Waits until `deadline`; returns at once if it has passed.
    pub fn wait_until(&mut self, deadline: Instant) -> Waited {
        self.wait(deadline, None)
    }

    /// As [`wait_until`](Self::wait_until); `cancel` ends it early.
    pub fn wait_until_or(&mut self, deadline: Instant, cancel: &Cancel) -> Waited {
        self.wait(deadline, Some(cancel))
    }

    /// Its timer.
    pub fn timer(&self) -> &T {
        &self.timer
    }

    /// Says that each wait begins when the last one should have ended.
    pub(crate) fn keep_schedule(&mut self) {
        self.keeps_schedule = true;
        self.share(self.timer.glance());
    }

    /// Asks for short time slices while a schedule shares its CPU: a thread that wakes with a shorter slice than the other's preempts it.
    fn share(&mut self, now: Instant) {
        let shares = self.keeps_schedule && self.oversubscription.is_oversubscribed(now);
        if !shares {
            self.slice = None;
        } else if self.slice.is_none() {
            self.slice = self.timer.shorten_slices(Internal);
        }
    }

    /// Learns from a spin, before which the thread `slept`, whether another thread wants the CPU.
    fn note_spin(&mut self, slept: Duration, waited: &Waited) {
        let (gap, now) = (waited.largest_gap, waited.ended);
        let changes = self.oversubscription.note(slept, gap, || usage(&self.timer), now);
        if changes {
            self.share(now);
        }
        if lost_slice(gap) && self.oversubscription.is_oversubscribed(now) {
            // The rest of the spin may have followed the gap.
            (self.woken, self.overslept) = (now.saturating_sub(waited.spun.saturating_sub(gap)), gap);
        }
    }

    fn wait(&mut self, deadline: Instant, cancel: Option<&Cancel>) -> Waited {
        let mut waited = Waited::nothing(deadline);
        let mut after_long = false;
        let (mut is_probe, mut rests) = (false, false);
        let mut sleeps = Sleeps::NONE;
        let began = self.timer.glance();
        let mut now = began;
        let whole = deadline.saturating_duration_since(now);
        let had_passed = now >= deadline;
        while now < deadline && !sleeps.are_given_up() && !cancel.is_some_and(Cancel::is_cancelled) {
            let step = self.next_step(deadline, now, after_long, whole, waited.sleeps > 0);
            (is_probe, rests) = (is_probe || matches!(step, Step::Probe { .. }), matches!(step, Step::Rest { .. }));
            let aim = match step {
                Step::Sleep { margin_ns } | Step::Probe { margin_ns } => {
                    deadline.saturating_sub(Duration::from_nanos(margin_ns))
                }
                Step::Rest { ns } => now.saturating_add(Duration::from_nanos(ns)),
                Step::Spin => break,
            };
            let outcome = self.sleep_until(aim, cancel, is_probe);
            let woken = self.timer.glance();
            let is_cancelled = cancel.is_some_and(Cancel::is_cancelled);
            let has_slept = sleeps.note(outcome, Sleep { began: now, aim, ended: woken, is_cancelled }, &mut waited);
            if let Some(late) = woken.checked_duration_since(aim).filter(|_| has_slept) {
                let left_ns = nanos(deadline.max(aim).saturating_duration_since(now));
                self.wakeups.of(left_ns, after_long).record(nanos(late), woken);
            }
            (self.woken, self.overslept) = (woken, woken.saturating_duration_since(aim));
            after_long |= has_slept && nanos(woken.saturating_duration_since(now)) >= LONG_NS;
            now = woken;
        }
        let woken_late = now.saturating_duration_since(deadline);
        spin_until(|| self.timer.glance(), deadline, cancel, &mut waited);
        // What a rest makes late is the price of sharing, which no stricter sleep would save.
        self.allowance.note(had_passed, waited.sleeps > 0 && !woken_late.is_zero() && !rests);
        if is_probe {
            self.probes.note(whole, woken_late, self.target.late, waited.ended);
        }
        self.note_spin(waited.slept, &waited);
        let kept = waited.ended.saturating_duration_since(began).saturating_sub(waited.slept);
        self.budget.spend(kept, waited.ended);
        waited
    }

    fn sleep_until(&mut self, aim: Instant, cancel: Option<&Cancel>, is_probe: bool) -> Result<(), Unavailable> {
        let before = if self.cost.is_due() || is_probe { self.timer.cpu_time() } else { None };
        self.timer.sleep_until(aim, cancel)?;
        if let Some((before, after)) = before.and_then(|before| Some((before, self.timer.cpu_time()?))) {
            self.cost.record(after.saturating_sub(before));
        }
        Ok(())
    }

    /// What to do with the time left `now`.
    fn next_step(
        &mut self,
        deadline: Instant,
        now: Instant,
        after_long: bool,
        whole: Duration,
        has_slept: bool,
    ) -> Step {
        let left_ns = nanos(deadline.saturating_duration_since(now));
        if self.budget.is_exhausted(now) {
            if self.timer.is_real_time() {
                return Step::Sleep { margin_ns: 0 };
            }
            // Nobody limits it. Ask again after as much spinning, a quarter of a second at least.
            self.budget = Budget::unspent(now);
        }
        let oversubscribed = self.oversubscription.is_oversubscribed(now);
        let rest_ns = self.rest_ns(now).filter(|_| oversubscribed && !has_slept);
        if left_ns <= SHORTEST_SLEEP_NS {
            return rest_ns.map_or(Step::Spin, |ns| Step::Rest { ns });
        }
        self.wakeups.of(left_ns, after_long).age(now);
        let most_ns = MOST_MARGIN_NS.min((nanos(whole) as f64 * f64::from(self.target.cpu)) as u64);
        let wanted = 1.0 - self.allowance.next();
        let quantile = if oversubscribed { wanted.min(OVERSUBSCRIBED_QUANTILE) } else { wanted };
        let unknown = Margin { ns: UNKNOWN_NS.min(most_ns), left_ns: UNKNOWN_NS.min(most_ns) };
        let cost_ns = self.cost.ns();
        let known = self.wakeups.of(left_ns, after_long);
        let at_once = known.margin(quantile, most_ns);
        let margin = at_once.unwrap_or(unknown);
        if left_ns >= LONG_NS && !after_long {
            let (least, most) = FIRST_MARGIN_NS;
            let first_ns = known.cautious_ns(FIRST_QUANTILE).unwrap_or(UNKNOWN_NS);
            let first_ns = first_ns.clamp(least, most).min(left_ns - SECOND_NS);
            let left_after_first_ns = known.left_of_ns(first_ns);
            let comes_after_long = left_ns - first_ns >= LONG_NS;
            let second = self.wakeups.of(left_after_first_ns, comes_after_long).margin(quantile, most_ns);
            // Unless two sleeps are known to be dearer than one.
            let in_one = at_once.zip(second).is_some_and(|(margin, second)| margin.left_ns <= cost_ns + second.left_ns);
            return Step::Sleep { margin_ns: if in_one { margin.ns } else { first_ns } };
        }
        if let Some(ns) = rest_ns.filter(|rest_ns| left_ns < margin.ns.saturating_add(*rest_ns)) {
            return Step::Rest { ns };
        }
        // A sleep must not cost more CPU time than it saves, unless keeping the CPU would cost a time slice.
        let saves = |margin: Margin| {
            let taken_ns = if oversubscribed { margin.ns + SHORTEST_SLEEP_NS } else { margin.left_ns + cost_ns };
            left_ns > margin.ns.saturating_add(SHORTEST_SLEEP_NS) && left_ns > taken_ns
        };
        if saves(margin) {
            return Step::Sleep { margin_ns: margin.ns };
        }
        // Better late by part of the wait than by a time slice.
        if oversubscribed && left_ns > 2 * SHORTEST_SLEEP_NS {
            return Step::Sleep { margin_ns: left_ns / 3 };
        }
        // Whatever keeps it from sleeping may be long over, or no wait was ever long enough to learn from.
        let known = self.wakeups.of(left_ns, after_long);
        let usual_ns = known.quantile_ns(0.5).unwrap_or(SHORTEST_SLEEP_NS) * PROBE_MARGIN;
        let may_be_on_time = left_ns > usual_ns + SHORTEST_SLEEP_NS;
        let is_long_enough = may_be_on_time || left_ns > 2 * SHORTEST_SLEEP_NS;
        if is_long_enough && self.probes.is_due(now, may_be_on_time) {
            known.fade(PROBE_FADE);
            return Step::Probe { margin_ns: usual_ns.min(most_ns).min(left_ns / 2) };
        }
        Step::Spin
    }

    /// How long the next sleep of a schedule that shares its CPU must be, so that it need not wait when it wakes.
    fn rest_ns(&self, now: Instant) -> Option<u64> {
        let kept_ns = nanos(now.saturating_duration_since(self.woken));
        let owed_ns = kept_ns.saturating_add(REST_COSTS * self.cost.ns());
        let rest_ns = owed_ns.saturating_sub(nanos(self.overslept)).saturating_add(LEAST_REST_NS);
        self.keeps_schedule.then_some(rest_ns.min(LONGEST_REST_NS))
    }

    /// Measures what a sleep costs.
    fn measure_sleeps(&mut self) {
        relax();
        let (sleeps, length) = MEASURED;
        let cost = |_| {
            let before = self.timer.cpu_time()?;
            self.timer.sleep_until(self.timer.glance().saturating_add(length), None).ok()?;
            Some(self.timer.cpu_time()?.saturating_sub(before))
        };
        if let Some(cheapest) = (0..sleeps).filter_map(cost).min() {
            self.cost = SleepCost::of(cheapest);
        }
    }
}

fn usage(timer: &impl Timer) -> Usage {
    Usage { cpu: timer.cpu_time(), preemptions: timer.preemptions(Internal) }
}

#[cfg(all(test, not(miri)))] // thousands of readings a wait: too slow to interpret
#[path = "pauser_tests.rs"]
mod tests;
