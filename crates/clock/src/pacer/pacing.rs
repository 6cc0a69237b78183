use core::iter::Peekable;
use core::time::Duration;

use super::backlog::{Backlog, Cause, spent};
use super::{Behind, Slot, Times};
use crate::pause::{Cancel, Pauser, SystemTimer, Timer, Waited};
use crate::{Instant, arch};

/// A gap between two readings of the clock that is longer than this is the machine's doing,
const GAP: Duration = Duration::from_micros(1);
/// and longer than so many times what a reading and the rest of the loop take, where the clock is a slow one.
const READINGS: u32 = 4;
/// The quickest of so many tells what they take.
const TRIES: u32 = 8;
/// The schedule of a pacer that starts now begins so much later: its first event is not late already.
const LEAD: Duration = Duration::from_micros(100);

/// Keeps a schedule of intended times, and says of each event when it should have started and when it did.
///
/// The schedule is absolute. It does not begin anew with each wait, so that no delay is forgotten by accident (which is how
/// coordinated omission happens): response times count from the intended start, and what was late, left out or moved is said.
///
/// A schedule is any iterator of times from the start that do not decrease: [`Pace::schedule`](super::Pace::schedule),
/// [`Pace::shard`](super::Pace::shard) for one of several threads, [`Poisson`](super::Poisson), or one of your own.
///
/// # Guarantees
/// - No event starts before its intended time.
/// - With [`Behind::CatchUp`] every event comes, and the rate in the long run is exactly that of the schedule.
/// - No allocation, no thread, no lock after construction.
///
/// # Sources
/// G. Tene, "How NOT to Measure Latency": coordinated omission, response and service time.
///
/// # Examples
/// ```
/// use chronoscope_clock::pacer::{Behind, Pace, Pacer};
///
/// let mut pacer = Pacer::new(Pace::per_second(20_000)?.schedule().take(100), Behind::CatchUp);
/// let mut longest = std::time::Duration::ZERO;
/// while let Some(slot) = pacer.next_slot() {
///     assert!(slot.started >= slot.intended);
///     // The work of event `slot.number`.
///     longest = longest.max(pacer.finish(&slot).response);
/// }
/// println!("the slowest took {longest:?}");
/// # Ok::<(), chronoscope_clock::pacer::ImpossiblePace>(())
/// ```
#[derive(Debug)]
pub struct Pacer<S: Iterator<Item = Duration>, T: Timer = SystemTimer> {
    /// The next event's time from the start.
    head: Option<Duration>,
    /// Those after it.
    rest: Peekable<S>,
    /// The next event's number.
    number: u64,
    behind: Behind,
    pauser: Pauser<T>,
    start: Instant,
    /// Events left out since the last that was started.
    skipped: u64,
    slipped: Duration,
    /// A gap that is longer is the machine's doing.
    gap: Duration,
    /// What the next event inherits.
    backlog: Backlog,
    /// When the last event was intended, and when it started; of the first, the schedule's zero.
    last_intended: Instant,
    last_started: Instant,
    /// How much of the time since is known to be work.
    worked: Option<Duration>,
    /// When one who waits by other means was last told to.
    asked: Option<Instant>,
}

/// What is to be done now; for those who wait by other means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// An event's turn has come.
    Now(Slot),
    /// Nothing before this instant: wait until then, and ask again.
    At(Instant),
    /// The schedule is over.
    Over,
}

impl<S: Iterator<Item = Duration>> Pacer<S> {
    /// Starts `schedule` a tenth of a millisecond from now, on the calling thread.
    pub fn new(schedule: S, behind: Behind) -> Self {
        let pauser = Pauser::new();
        let start = pauser.timer().glance().saturating_add(LEAD);
        Self::starting_at(start, schedule, behind, pauser)
    }
}

impl<S: Iterator<Item = Duration>, T: Timer> Pacer<S, T> {
    /// Starts `schedule` at `start`, which threads that share a pace have in common, and waits by `pauser`.
    pub fn starting_at(start: Instant, mut schedule: S, behind: Behind, pauser: Pauser<T>) -> Self {
        let head = schedule.next();
        let rest = schedule.peekable();
        let gap = GAP.max(loop_takes(pauser.timer()) * READINGS);
        Self {
            head,
            rest,
            number: 0,
            behind,
            pauser,
            start,
            skipped: 0,
            slipped: Duration::ZERO,
            gap,
            backlog: Backlog::NONE,
            last_intended: start,
            last_started: start,
            worked: None,
            asked: None,
        }
    }

    /// When the schedule's zero is.
    pub fn start(&self) -> Instant {
        self.start
    }

    /// Waits for the next event's turn. None when the schedule is over.
    pub fn next_slot(&mut self) -> Option<Slot> {
        self.wait(None)
    }

    /// The same; None also when `cancel` is cancelled, and then the event is still to come.
    pub fn next_slot_or(&mut self, cancel: &Cancel) -> Option<Slot> {
        self.wait(Some(cancel))
    }

    /// Whether an event's turn has come, without waiting: for asynchronous programs, which wait in their runtime's own way.
    /// What the runtime wakes them late by counts as the wait's: as [`Late::by_pacer`](super::Late::by_pacer).
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::pacer::{Behind, Due, Pace, Pacer};
    ///
    /// let mut pacer = Pacer::new(Pace::per_second(5_000)?.schedule().take(2), Behind::CatchUp);
    /// loop {
    ///     match pacer.due() {
    ///         Due::Now(slot) => assert!(slot.number < 2),
    ///         // `runtime::sleep_until(at).await` in an asynchronous program.
    ///         Due::At(at) => {
    ///             let _ = chronoscope_clock::pause::sleep_until(at);
    ///         }
    ///         Due::Over => break,
    ///     }
    /// }
    /// # Ok::<(), chronoscope_clock::pacer::ImpossiblePace>(())
    /// ```
    pub fn due(&mut self) -> Due {
        let now = self.pauser.timer().now();
        match self.turn(now) {
            None => Due::Over,
            Some(intended) if intended > now => {
                self.asked = Some(now);
                Due::At(intended)
            }
            Some(intended) => {
                let called = self.asked.unwrap_or(now);
                Due::Now(self.take(intended, called, now, Cause::Pacer))
            }
        }
    }

    /// Says that the event of `slot` has ended now.
    pub fn finish(&mut self, slot: &Slot) -> Times {
        slot.times(self.pauser.timer().now())
    }

    /// Says that no more than `work` of the time since the last event was handed out went into handling it, for those who can
    /// tell work from an interruption of it: who did nothing, or who measured the thread's CPU time. What is beyond it counts
    /// as the machine's in [`Late`](super::Late), or as the pacer's where it is short. To be said before the next event is
    /// asked for; holds for that one alone.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::pacer::{Behind, Pace, Pacer};
    /// use std::time::Duration;
    ///
    /// let mut pacer = Pacer::new(Pace::per_second(20_000)?.schedule().take(50), Behind::CatchUp);
    /// pacer.worked(Duration::ZERO);
    /// while let Some(slot) = pacer.next_slot() {
    ///     // Nothing is done, so that nothing is late for what was done.
    ///     pacer.worked(Duration::ZERO);
    ///     assert_eq!(slot.late.by_caller, Duration::ZERO);
    /// }
    /// # Ok::<(), chronoscope_clock::pacer::ImpossiblePace>(())
    /// ```
    pub fn worked(&mut self, work: Duration) {
        self.worked = Some(work);
    }

    /// What it waits by.
    pub fn pauser(&mut self) -> &mut Pauser<T> {
        &mut self.pauser
    }

    fn wait(&mut self, cancel: Option<&Cancel>) -> Option<Slot> {
        let called = self.pauser.timer().glance();
        let intended = self.turn(called)?;
        let waited = match cancel {
            None => self.pauser.wait_until(intended),
            Some(cancel) => self.pauser.wait_until_or(intended, cancel),
        };
        (!waited.cancelled).then(|| {
            let cause = self.late_wait(intended, called, &waited);
            self.take(intended, called, waited.ended, cause)
        })
    }

    /// When the event is intended whose turn is next for one who asks `now`.
    fn turn(&mut self, now: Instant) -> Option<Instant> {
        let mut intended = self.intended(self.head?);
        match self.behind {
            Behind::CatchUp => {}
            Behind::Slip => {
                self.slipped += now.saturating_duration_since(intended);
                intended = intended.max(now);
            }
            Behind::Skip => {
                while let Some(after) = self.rest.peek().copied() {
                    let later = self.intended(after);
                    if later > now {
                        break;
                    }
                    self.head = self.rest.next();
                    self.number += 1;
                    self.skipped += 1;
                    intended = later;
                }
            }
        }
        Some(intended)
    }

    fn intended(&self, offset: Duration) -> Instant {
        self.start.saturating_add(offset).saturating_add(self.slipped)
    }

    /// Whose doing it is that a wait ended late, or that one without anything to wait for took time.
    fn late_wait(&self, intended: Instant, called: Instant, waited: &Waited) -> Cause {
        let woken_late = waited.sleeps > 0 && waited.last_gap.is_zero();
        let late = waited.ended.saturating_duration_since(intended.max(called));
        if !woken_late && waited.last_gap.max(late) > self.gap { Cause::Machine } else { Cause::Pacer }
    }

    /// Hands out the next event, for which the caller came at `called`, and which could start at `started`; what lies between
    /// where it should have started already is the doing of `waiting`.
    fn take(&mut self, intended: Instant, called: Instant, started: Instant, waiting: Cause) -> Slot {
        let held = called.saturating_duration_since(self.last_started);
        let apart = intended.saturating_duration_since(self.last_intended);
        self.backlog.pass(spent(held, self.worked.take(), self.gap), apart);
        self.backlog.add(started.saturating_duration_since(intended.max(called)), waiting);
        let late = self.backlog.explain(started.saturating_duration_since(intended));
        let (skipped, slipped) = (core::mem::take(&mut self.skipped), self.slipped);
        let slot = Slot { number: self.number, intended, started, late, skipped, slipped };
        (self.last_intended, self.last_started, self.asked) = (intended, started, None);
        self.head = self.rest.next();
        self.number += 1;
        slot
    }
}

/// What one turn of a loop takes that waits by reading the clock.
fn loop_takes<T: Timer>(timer: &T) -> Duration {
    let turn = |_| {
        let before = timer.glance();
        arch::relax();
        timer.glance().saturating_duration_since(before)
    };
    (0..TRIES).map(turn).min().unwrap_or_default()
}

#[cfg(all(test, not(miri)))] // thousands of readings a wait: too slow to interpret
#[path = "pacing_tests.rs"]
mod tests;
