use core::time::Duration;

use super::HiccupInterval;
use super::looks::Looks;
use crate::pause::{self, Cancel, TimerSlack};
use crate::{Clock, Instant};

/// Looks of a thread that sleeps: as many as jHiccup's.
const SLEEPING_EVERY: Duration = Duration::from_millis(1);
/// Looks of a thread that spins: ten in the shortest interruption that is worth a name.
const SPINNING_EVERY: Duration = Duration::from_micros(10);
const INTERVAL: Duration = Duration::from_secs(1);
/// Looks closer together would measure the clock.
const MOST_OFTEN: Duration = Duration::from_micros(1);

/// Looks out for hiccups: on an absolute schedule, sleeping or spinning between looks.
///
/// # Guarantees
/// Every look of the schedule counts, also those that a hiccup prevented: they are as late as they were.
///
/// # Examples
/// For as long as this thread lives, on the thread itself:
/// ```
/// use std::time::Duration;
///
/// use chronoscope_clock::hiccups::HiccupObserver;
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

    /// A look every 10 µs, reading the clock in between: it sees what a thread sees that only computes. Takes a whole CPU.
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
        self.observe_by(|| clock.now(), |until| self.wait(until, cancel), || cancel.is_cancelled(), each);
    }

    /// Looks out on the calling thread from `start` until `cancel` is cancelled, and hands over the looks of each wake-up. Returns
    /// when it ended.
    pub(super) fn watch(&self, start: Instant, cancel: &Cancel, see: impl FnMut(&Looks)) -> Instant {
        let _slack = self.slack();
        let clock = Clock::or_system();
        self.watch_by(start, || clock.now(), |until| self.wait(until, cancel), || cancel.is_cancelled(), see)
    }

    /// Sleeps shall end when they should. Set once: that is a system call.
    fn slack(&self) -> Option<TimerSlack> {
        self.sleeps.then(|| TimerSlack::set(Duration::from_nanos(1)).ok()).flatten()
    }

    fn wait(&self, until: Instant, cancel: &Cancel) {
        if self.sleeps {
            pause::sleep_until_or(until, cancel);
        } else {
            pause::spin_until_or(until, cancel);
        }
    }

    /// As `observe`, with a clock, waits and an end of the caller's.
    fn observe_by(
        &self,
        now: impl Fn() -> Instant,
        wait: impl Fn(Instant),
        is_over: impl Fn() -> bool,
        mut each: impl FnMut(&HiccupInterval),
    ) {
        let mut current = HiccupInterval::starting_at(now());
        let end = self.watch_by(current.start(), now, wait, is_over, |looks| {
            current.record(looks);
            if looks.woke.saturating_duration_since(current.start()) >= self.interval {
                each(&current);
                current.restart_at(looks.woke);
            }
        });
        current.end_at(end);
        each(&current);
    }

    /// As `watch`, with a clock, waits and an end of the caller's.
    fn watch_by(
        &self,
        start: Instant,
        now: impl Fn() -> Instant,
        wait: impl Fn(Instant),
        is_over: impl Fn() -> bool,
        mut see: impl FnMut(&Looks),
    ) -> Instant {
        let mut due = start.saturating_add(self.every);
        let mut look = || {
            let woke = now();
            if let Some(looks) = Looks::due(due, woke, self.every) {
                due = due.saturating_add(looks.span());
                see(&looks);
            }
            (woke, due)
        };
        let mut next = start.saturating_add(self.every);
        while !is_over() {
            wait(next);
            next = look().1;
        }
        look().0
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};
    use std::vec::Vec;

    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// Looks every millisecond for `looks` wake-ups, of which each takes as much longer than it should as `late` says.
    fn seen(looks: u32, interval: Duration, late: impl Fn(u32) -> Duration) -> Vec<HiccupInterval> {
        let (time, woken) = (Cell::new(Instant::from_nanos(0)), Cell::new(0));
        let wait = |until: Instant| {
            time.set(time.get().max(until).saturating_add(late(woken.get())));
            woken.set(woken.get() + 1);
        };
        let seen = RefCell::new(Vec::new());
        let observer = HiccupObserver::sleeping().interval(interval);
        observer.observe_by(
            || time.get(),
            wait,
            || woken.get() >= looks,
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
        assert_eq!(found.len(), 6, "the last one is empty");
        assert!(found[..5].iter().all(|one| one.histogram().len() == 10 && one.longest() <= Duration::from_nanos(1)));
        assert!(found.windows(2).all(|pair| pair[0].end() == pair[1].start()));
    }

    #[test]
    fn every_look_that_a_hiccup_prevented_counts() {
        let found = seen(20, 1_000 * MS, |look| if look == 9 { 5 * MS } else { Duration::ZERO });
        let histogram = found[0].histogram();
        assert_eq!(histogram.len(), 25, "20 wake-ups, and 5 looks that were prevented");
        for ms in 1..=5 {
            let ns = ms * 1_000_000;
            assert_eq!(histogram.count_between(ns - ns / 500, ns + ns / 500), 1, "late by {ms} ms");
        }
        assert!(is_about(histogram.max(), 5_000_000));
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
                assert_eq!(watching.join().unwrap(), 0, "no look was due");
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
            assert!(longest >= 19 * MS, "{longest:?} {observer:?}");
        }
    }
}
