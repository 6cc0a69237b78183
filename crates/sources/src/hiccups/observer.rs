use core::time::Duration;

use super::HiccupInterval;
use super::looks::Looks;
use super::nanos;
use chronoscope_clock::pause::{Cancel, SystemTimer, Timer, TimerSlack};
use chronoscope_clock::{Clock, Instant, raw};

/// Looks of a thread that sleeps: as many as jHiccup's.
const SLEEPING_EVERY: Duration = Duration::from_millis(1);
/// Looks of a thread that spins: ten in the shortest interruption that is worth a name.
const SPINNING_EVERY: Duration = Duration::from_micros(10);
const INTERVAL: Duration = Duration::from_secs(1);
/// Looks closer together would measure the clock.
const MOST_OFTEN: Duration = Duration::from_micros(1);
/// A real-time thread that has spun for so long rests: nobody else may get its CPU otherwise, not even to end it. Of the two less than
/// the 95 % of the time after which the kernel throttles such threads.
const LONGEST_SPIN: Duration = Duration::from_millis(90);
const REST: Duration = Duration::from_millis(10);

/// Looks out for hiccups: on an absolute schedule, at a random moment of each period, sleeping or spinning between looks.
///
/// # Guarantees
/// Every look of the schedule counts, also those that a hiccup prevented: they are as late as they were.
///
/// # Examples
/// For as long as this thread lives, on the thread itself:
/// ```
/// use std::time::Duration;
///
/// use chronoscope_sources::hiccups::HiccupObserver;
/// use chronoscope_clock::pause::Cancel;
///
/// let cancel = Cancel::new();
/// HiccupObserver::spinning().interval(Duration::from_millis(20)).observe(&cancel, |seen| {
///     println!("held up by {:?} at most", seen.longest());
///     cancel.cancel();
/// });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HiccupObserver {
    sleeps: bool,
    every: Duration,
    interval: Duration,
}

impl HiccupObserver {
    /// A look every millisecond, asleep between looks: it sees what a thread sees that is woken, timers included. Next to no CPU time.
    #[must_use]
    pub const fn sleeping() -> Self {
        Self { sleeps: true, every: SLEEPING_EVERY, interval: INTERVAL }
    }

    /// A look every 10 µs, reading the clock in between: it sees what a thread sees that only computes. Takes a whole CPU; under a
    /// real-time policy nine tenths of it, so that others can end it, and does not look out in the rest of the time.
    #[must_use]
    pub const fn spinning() -> Self {
        Self { sleeps: false, every: SPINNING_EVERY, interval: INTERVAL }
    }

    /// So much time between looks, at least 1 µs.
    #[must_use]
    pub fn every(self, every: Duration) -> Self {
        Self { every: every.max(MOST_OFTEN), ..self }
    }

    /// An interval of this length, about: it ends with the first look after it.
    #[must_use]
    pub const fn interval(self, interval: Duration) -> Self {
        Self { interval, ..self }
    }

    /// Whether it sleeps between looks.
    #[must_use]
    pub const fn sleeps(&self) -> bool {
        self.sleeps
    }

    /// The time between looks.
    #[must_use]
    pub const fn period(&self) -> Duration {
        self.every
    }

    /// Looks out on the calling thread until `cancel` is cancelled, and shows each interval as it ends, the last one too. What
    /// `each` takes holds up looks like anything else; so does emptying the interval after it, some 10 µs.
    /// [`HiccupRecorder`](super::HiccupRecorder) does neither on the thread that looks.
    pub fn observe(&self, cancel: &Cancel, each: impl FnMut(&HiccupInterval)) {
        let _slack = self.slack();
        let clock = Clock::or_system();
        let start = clock.now();
        let (wait, draws) = (self.waits(start, cancel), Draws::from(start).any());
        self.observe_by(|| clock.now(), wait, || cancel.is_cancelled(), draws, each);
    }

    /// Looks out on the calling thread until `cancel` is cancelled, and hands over the looks of each wake-up; `begins` gets the moment
    /// from which on. Returns when it ended.
    pub(super) fn watch(&self, begins: impl FnOnce(Instant), cancel: &Cancel, see: impl FnMut(&Looks)) -> Instant {
        let _slack = self.slack();
        let clock = Clock::or_system();
        begins(clock.now());
        // What it took to come here is not the machine's doing.
        let start = clock.now();
        let (wait, draws) = (self.waits(start, cancel), Draws::from(start).any());
        self.watch_by(start, || clock.now(), wait, || cancel.is_cancelled(), draws, see)
    }

    /// Sleeps shall end when they should. Set once: that is a system call.
    fn slack(&self) -> Option<TimerSlack> {
        self.sleeps.then(|| TimerSlack::set(Duration::from_nanos(1)).ok()).flatten()
    }

    /// What waits until a moment, or rests instead and says so.
    fn waits<'a>(&self, start: Instant, cancel: &'a Cancel) -> impl FnMut(Instant) -> bool + use<'a> {
        let (sleeps, timer, mut rests) = (self.sleeps, SystemTimer::new(), Rests { last: start });
        move |until| {
            let now = timer.glance();
            let is_due = !sleeps && rests.are_due(now, || timer.is_real_time());
            if is_due {
                raw::sleep_until_or(now.saturating_add(REST), cancel);
            } else if sleeps {
                raw::sleep_until_or(until, cancel);
            } else {
                // Looks too early if that is long.
                raw::spin_until_or(until.min(rests.next()), cancel);
            }
            is_due
        }
    }

    /// As `observe`, with a clock, waits and an end of the caller's.
    fn observe_by(
        &self,
        now: impl Fn() -> Instant,
        wait: impl FnMut(Instant) -> bool,
        is_over: impl Fn() -> bool,
        place: impl FnMut(u64) -> u64,
        mut each: impl FnMut(&HiccupInterval),
    ) {
        let mut current = HiccupInterval::starting_at(now());
        let end = self.watch_by(current.start(), now, wait, is_over, place, |looks| {
            current.record(looks);
            if looks.woke.saturating_duration_since(current.start()) >= self.interval {
                each(&current);
                current.restart_at(looks.woke);
            }
        });
        current.end_at(end);
        each(&current);
    }

    /// As `watch`, with a clock, waits and an end of the caller's. `place` says where in a period of so many nanoseconds its look is
    /// due, from 1 to all of it.
    fn watch_by(
        &self,
        start: Instant,
        now: impl Fn() -> Instant,
        mut wait: impl FnMut(Instant) -> bool,
        is_over: impl Fn() -> bool,
        mut place: impl FnMut(u64) -> u64,
        mut see: impl FnMut(&Looks),
    ) -> Instant {
        let every_ns = nanos(self.every);
        let mut within = |period: Instant| period.saturating_add(Duration::from_nanos(place(every_ns)));
        let mut period = start;
        let mut due = within(period);
        loop {
            let ends = is_over();
            if !ends && wait(due) {
                // What was due meanwhile was not held up.
                period = now();
                due = within(period);
                continue;
            }
            let woke = now();
            if let Some(looks) = Looks::due(due, woke, self.every) {
                period = period.saturating_add(looks.span());
                due = within(period);
                see(&looks);
            }
            if ends {
                return woke;
            }
        }
    }
}

/// When a thread that spins rests, asked before each look.
struct Rests {
    /// When it last had the chance to.
    last: Instant,
}

impl Rests {
    fn next(&self) -> Instant {
        self.last.saturating_add(LONGEST_SPIN)
    }

    fn are_due(&mut self, now: Instant, is_real_time: impl FnOnce() -> bool) -> bool {
        let is_due = now >= self.next();
        if is_due {
            self.last = now;
        }
        is_due && is_real_time()
    }
}

/// Places within a period, so that what comes as regularly as the looks is seen as often as it is there, and not always or never.
struct Draws(u64);

impl Draws {
    fn from(start: Instant) -> Self {
        Self(start.as_nanos() as u64)
    }

    /// Each nanosecond as often.
    ///
    /// # Sources
    /// The step of G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
    fn any(mut self) -> impl FnMut(u64) -> u64 {
        move |period_ns| {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            1 + (mixed ^ (mixed >> 31)) % period_ns.max(1)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// Looks every millisecond for `looks` wake-ups, of which each takes as much longer than it should as `late` says.
    fn seen(looks: u32, interval: Duration, late: impl Fn(u32) -> Duration) -> Vec<HiccupInterval> {
        let (time, woken) = (Cell::new(Instant::from_nanos(0)), Cell::new(0));
        let wait = |until: Instant| {
            time.set(time.get().max(until).saturating_add(late(woken.get())));
            woken.set(woken.get() + 1);
            false
        };
        let seen = RefCell::new(Vec::new());
        let observer = HiccupObserver::sleeping().interval(interval);
        observer.observe_by(
            || time.get(),
            wait,
            || woken.get() >= looks,
            |period_ns| period_ns,
            |interval| seen.borrow_mut().push(interval.clone()),
        );
        seen.into_inner()
    }

    fn is_about(value: u64, ns: u64) -> bool {
        value.abs_diff(ns) <= ns / 1_000
    }

    #[test]
    fn looks_in_time_are_not_late() {
        let found = seen(50, 10 * MS, |_| Duration::ZERO);
        assert_eq!(found.len(), 6);
        assert!(found[..5].iter().all(|one| one.histogram().len() == 10 && one.longest() <= Duration::from_nanos(1)));
        assert!(found.windows(2).all(|pair| pair[0].end() == pair[1].start()));
    }

    #[test]
    fn every_look_that_a_hiccup_prevented_counts() {
        let found = seen(20, 1_000 * MS, |look| if look == 9 { 5 * MS } else { Duration::ZERO });
        let histogram = found[0].histogram();
        assert_eq!(histogram.len(), 25);
        for ms in 1..=5 {
            let ns = ms * 1_000_000;
            assert_eq!(histogram.count_between(ns - ns / 500, ns + ns / 500), 1, "{ms} ms");
        }
        assert!(is_about(histogram.max(), 5_000_000));
    }

    /// The share of looks later than 10 µs of a machine that stops for `stop` every millisecond, from this moment of it on.
    fn share_held_up(stop: Duration, from: Duration) -> f64 {
        let time = Cell::new(Instant::from_nanos(1_000_000_000).saturating_add(from));
        let every_ns = 1_000_000;
        let wait = |until: Instant| {
            let woken = time.get().max(until);
            let within_ns = woken.as_nanos() as u64 % every_ns;
            let left = stop.saturating_sub(Duration::from_nanos(within_ns));
            time.set(woken.saturating_add(left));
            false
        };
        let mut seen = Vec::new();
        let (until, draws) = (Instant::from_nanos(3_000_000_000), Draws::from(time.get()).any());
        let observer = HiccupObserver::spinning().interval(Duration::from_secs(60));
        let is_over = || time.get() >= until;
        observer.observe_by(|| time.get(), wait, is_over, draws, |interval| seen.push(interval.clone()));
        let found = seen[0].histogram();
        found.count_between(10_010, found.high()) as f64 / found.len() as f64
    }

    #[test]
    #[cfg_attr(miri, ignore)] // too slow
    fn what_comes_as_regularly_as_the_looks_is_seen_as_often_as_it_is_there() {
        for from in [0, 3, 7, 14, 500, 995] {
            let share = share_held_up(Duration::from_micros(15), Duration::from_micros(from));
            assert!((share / 0.005 - 1.0).abs() < 0.15, "{share} instead of 0.5 %, from {from} µs on");
        }
    }

    #[test]
    fn places_are_all_over_a_period_and_within_it() {
        let mut place = Draws::from(Instant::from_nanos(5)).any();
        let drawn: Vec<u64> = (0..1_000).map(|_| place(4)).collect();
        assert!((1..=4).all(|at| drawn.iter().filter(|drawn| **drawn == at).count() > 200));
        assert!(drawn.iter().all(|at| (1..=4).contains(at)) && place(0) == 1);
    }

    /// The only CPU is a real-time thread's: whoever ends it runs only while it sleeps.
    #[test]
    fn a_real_time_spinner_lets_others_end_it_and_does_not_count_that() {
        let (time, is_over) = (Cell::new(Instant::from_nanos(1_000)), Cell::new(false));
        let mut rests = Rests { last: time.get() };
        let wait = |until| {
            let rests = rests.are_due(until, || true);
            time.set(time.get().max(until) + if rests { REST } else { Duration::ZERO });
            is_over.set(rests && time.get() > Instant::from_nanos(500_000_000));
            rests
        };
        let mut longest = Duration::ZERO;
        let begun = time.get();
        HiccupObserver::spinning().observe_by(
            || time.get(),
            wait,
            || is_over.get() || time.get() > Instant::from_nanos(60_000_000_000),
            Draws::from(begun).any(),
            |seen| longest = longest.max(seen.longest()),
        );
        assert!(time.get() - begun < 2 * Duration::from_millis(500), "it ends");
        assert!(longest <= Duration::from_nanos(1), "{longest:?}");
    }

    #[test]
    fn only_a_real_time_thread_rests() {
        let at = |ms: i64| Instant::from_nanos(ms * 1_000_000);
        let mut rests = Rests { last: at(0) };
        assert!(!rests.are_due(at(89), || unreachable!("it is not asked in each look")));
        assert!(
            !rests.are_due(at(90), || false) && !rests.are_due(at(179), || true) && rests.are_due(at(180), || true)
        );
    }

    #[test]
    fn merged_intervals_are_one() {
        let mut found = seen(30, 10 * MS, |look| if look == 25 { 3 * MS } else { Duration::ZERO });
        let last = found.remove(2);
        let mut first = found.remove(0);
        first.merge(&last);
        assert_eq!((first.start(), first.end()), (Instant::from_nanos(0), last.end()));
        assert!(is_about(first.histogram().max(), 3_000_000) && first.histogram().len() >= 20);
    }

    #[test]
    fn no_observer_looks_more_often_than_it_can() {
        assert_eq!(HiccupObserver::spinning().every(Duration::ZERO).period(), MOST_OFTEN);
    }

    #[test]
    #[cfg_attr(miri, ignore)] // makes system calls that Miri does not know
    fn a_wait_of_an_hour_ends_when_it_is_cancelled() {
        for observer in [HiccupObserver::sleeping(), HiccupObserver::spinning()] {
            let cancel = Cancel::new();
            std::thread::scope(|scope| {
                let watching = scope.spawn(|| {
                    let mut seen = 0;
                    observer
                        .every(Duration::from_secs(3_600))
                        .observe(&cancel, |interval| seen += interval.histogram().len());
                    seen
                });
                std::thread::sleep(MS);
                cancel.cancel();
                assert_eq!(watching.join().unwrap(), 0);
            });
        }
    }

    #[test]
    #[cfg_attr(miri, ignore)] // makes system calls that Miri does not know
    fn a_thread_that_is_held_up_sees_it() {
        for observer in [HiccupObserver::sleeping(), HiccupObserver::spinning()] {
            let (cancel, mut longest) = (Cancel::new(), Duration::ZERO);
            let mut held_up = false;
            observer.interval(5 * MS).observe(&cancel, |seen| {
                longest = longest.max(seen.longest());
                if held_up {
                    cancel.cancel();
                } else {
                    held_up = true;
                    std::thread::sleep(20 * MS);
                }
            });
            // The first look that is prevented may be due up to two periods after it began.
            assert!(longest >= 18 * MS, "{longest:?} {observer:?}");
        }
    }
}
