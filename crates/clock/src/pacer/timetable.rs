use core::future::Future;
use core::time::Duration;

use super::backlog::Cause;
use super::course::Course;
use super::{Behind, LEAD, Slot, Times, gap_of};
use crate::{Clock, Instant, Now};

/// A schedule of intended times, with an account of when its events really started, for callers that wait by other means:
/// an async runtime, an event loop, a frame of a game.
///
/// Like a [`Pacer`](super::Pacer) it keeps an absolute schedule: response times count from the intended start, so there
/// is no coordinated omission. Unlike a `Pacer` it never waits and is bound to no thread: it is [`Send`], and may live in
/// a task that moves between threads.
///
/// # Guarantees
/// - No event is handed out before its intended time, by the clock.
/// - With [`Behind::CatchUp`] every event comes, at exactly the schedule's rate in the long run.
/// - No allocation, no lock, no system call beyond the clock's.
/// - Events are as late as the wait: tokio's timers tick in milliseconds. For microseconds, wait on a thread with a
///   [`Pacer`](super::Pacer) and hand the events to tasks.
///
/// # Examples
/// ```
/// use chronoscope_clock::Instant;
/// use chronoscope_clock::pacer::{Behind, Due, Pace, Timetable};
///
/// let mut timetable = Timetable::new(Pace::per_second(5_000)?.schedule().take(3), Behind::CatchUp);
/// let paced = std::thread::spawn(move || {
///     let mut slowest = std::time::Duration::ZERO;
///     loop {
///         match timetable.due() {
///             Due::Now(slot) => {
///                 // The work of event `slot.number`.
///                 slowest = slowest.max(timetable.finish(&slot).response);
///             }
///             Due::At(at) => std::thread::sleep(at - Instant::now()),
///             Due::Over => break slowest,
///         }
///     }
/// });
/// println!("the slowest took {:?}", paced.join().unwrap());
/// # Ok::<(), chronoscope_clock::pacer::ImpossiblePace>(())
/// ```
#[derive(Clone, Debug)]
pub struct Timetable<S, C = Clock> {
    course: Course<S>,
    clock: C,
    /// When the one who waits was last told to.
    asked: Option<Instant>,
}

/// What to do now. These are all there will be: a caller has to act on each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "an event that is not started is one that was omitted"]
pub enum Due {
    /// An event's turn has come.
    Now(Slot),
    /// Nothing before this instant: wait until then, and ask again.
    At(Instant),
    /// The schedule is over.
    Over,
}

impl<S: Iterator<Item = Duration> + Clone> Timetable<S> {
    /// Starts `schedule` a tenth of a millisecond from now.
    pub fn new(schedule: S, behind: Behind) -> Self {
        let clock = Clock::or_system();
        Self::starting_at(clock.now().saturating_add(LEAD), schedule, behind, clock)
    }
}

impl<S: Iterator<Item = Duration> + Clone, C: Now> Timetable<S, C> {
    /// Starts `schedule` at `start` by `clock`.
    pub fn starting_at(start: Instant, schedule: S, behind: Behind, clock: C) -> Self {
        let gap = gap_of(|| clock.now());
        Self { course: Course::new(start, schedule, behind, gap), clock, asked: None }
    }

    /// The schedule's zero.
    pub fn start(&self) -> Instant {
        self.course.start()
    }

    /// Whether an event's turn has come. Never waits. How late the caller returns from a wait counts as
    /// [`Late::by_pacer`](super::Late::by_pacer).
    pub fn due(&mut self) -> Due {
        let now = self.clock.now();
        match self.course.turn(now) {
            None => Due::Over,
            Some(intended) if intended > now => {
                self.asked = Some(now);
                Due::At(intended)
            }
            Some(intended) => {
                let called = self.asked.take().unwrap_or(now);
                Due::Now(self.course.take(intended, called, now, Cause::Pacer))
            }
        }
    }

    /// The next event once its turn has come, awaiting what `wait_until` returns. None once the schedule is over. A wait
    /// that ends early is repeated. If this future is dropped, the event is still to come.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::Instant;
    /// use chronoscope_clock::pacer::{Behind, Pace, Timetable};
    ///
    /// // With tokio: `|at| tokio::time::sleep_until(std::time::Instant::from(at).into())`.
    /// let wait_until = |at: Instant| async move { std::thread::sleep(at - Instant::now()) };
    ///
    /// let mut timetable = Timetable::new(Pace::per_second(2_000)?.schedule().take(2), Behind::CatchUp);
    /// let generate = async move {
    ///     while let Some(slot) = timetable.next_slot(wait_until).await {
    ///         assert!(slot.started >= slot.intended);
    ///     }
    /// };
    /// # let mut generate = std::pin::pin!(generate);
    /// # let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    /// # assert!(generate.as_mut().poll(&mut context).is_ready());
    /// # use std::future::Future;
    /// # Ok::<(), chronoscope_clock::pacer::ImpossiblePace>(())
    /// ```
    #[must_use = "an event that is not started is one that was omitted"]
    pub async fn next_slot<F: Future<Output = ()>>(
        &mut self,
        mut wait_until: impl FnMut(Instant) -> F,
    ) -> Option<Slot> {
        loop {
            match self.due() {
                Due::Now(slot) => return Some(slot),
                Due::At(at) => wait_until(at).await,
                Due::Over => return None,
            }
        }
    }

    /// How long the event of `slot` took if it ends now, by the timetable's clock: [`Slot::times`]. Optional; the
    /// timetable keeps nothing.
    #[must_use = "it only returns the times"]
    pub fn finish(&self, slot: &Slot) -> Times {
        slot.times(self.clock.now())
    }

    /// As [`Pacer::worked`](super::Pacer::worked).
    pub fn worked(&mut self, work: Duration) {
        self.course.worked(work);
    }
}

#[cfg(all(test, not(miri)))] // thousands of readings a wait: too slow to interpret
mod tests {
    use std::vec::Vec;

    use super::*;
    use crate::FakeClock;
    use crate::pacer::{Pace, Steady};

    fn timetable(clock: &FakeClock) -> Timetable<Steady, &FakeClock> {
        clock.set_read_cost(Duration::from_nanos(10));
        let start = Instant::from_nanos(1_000_000);
        Timetable::starting_at(start, Pace::per_second(10_000).unwrap().schedule(), Behind::CatchUp, clock)
    }

    fn wait(clock: &FakeClock, at: Instant, late: Duration) {
        clock.advance(at - Now::now(clock) + late);
    }

    #[test]
    fn every_event_comes_in_its_turn() {
        let clock = FakeClock::new();
        let mut timetable = timetable(&clock);
        let mut numbers = Vec::new();
        while numbers.len() < 20 {
            match timetable.due() {
                Due::Now(slot) => {
                    assert!(slot.started >= slot.intended);
                    numbers.push(slot.number);
                }
                Due::At(at) => wait(&clock, at, Duration::from_micros(5)),
                Due::Over => unreachable!(),
            }
        }
        assert_eq!(numbers, (0..20).collect::<Vec<_>>());
    }

    #[test]
    fn who_waits_by_other_means_is_late_by_the_wait() {
        let clock = FakeClock::new();
        let mut timetable = timetable(&clock);
        let mut seen = 0;
        while seen < 200 {
            match timetable.due() {
                Due::Now(slot) => {
                    assert_eq!(
                        (slot.late.by_caller, slot.late.by_machine),
                        (Duration::ZERO, Duration::ZERO),
                        "{slot:?}"
                    );
                    seen += 1;
                }
                // A runtime that wakes its tasks 30 µs late, once by 5 ms.
                Due::At(at) => wait(&clock, at, Duration::from_micros(if seen == 50 { 5_000 } else { 30 })),
                Due::Over => unreachable!(),
            }
        }
    }

    #[test]
    fn a_task_may_take_it_to_another_thread() {
        fn is_send<T: Send + 'static>(_: &T) {}
        let mut timetable = Timetable::new(Pace::per_second(1_000).unwrap().schedule().take(3), Behind::CatchUp);
        is_send(&timetable);
        let task = async move {
            let mut seen = 0;
            while timetable.next_slot(|at| async move { std::thread::sleep(at - Instant::now()) }).await.is_some() {
                seen += 1;
            }
            seen
        };
        is_send(&task);
        let mut task = core::pin::pin!(task);
        let mut context = core::task::Context::from_waker(core::task::Waker::noop());
        assert_eq!(task.as_mut().poll(&mut context), core::task::Poll::Ready(3));
    }
}
