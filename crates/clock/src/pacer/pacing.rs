use core::time::Duration;

use super::backlog::Cause;
use super::course::Course;
use super::{Behind, LEAD, Slot, TARGET, Times, gap_of};
use crate::Instant;
use crate::pause::{Cancel, Pauser, SystemTimer, Timer, Waited};

/// Keeps a schedule of intended times, and reports for each event when it should have started and when it did.
///
/// The schedule is absolute: no wait restarts it, so no delay is forgotten by accident, which is how coordinated omission
/// happens. Response times count from the intended start; what was late, left out or moved is reported.
///
/// A schedule is any iterator of non-decreasing times from the start that ends or passes every time, and whose clones
/// advance independently: [`Pace::schedule`](super::Pace::schedule), [`Pace::shard`](super::Pace::shard) for one of
/// several threads, [`Poisson`](super::Poisson), or your own.
///
/// # Guarantees
/// - No event starts before its intended time.
/// - With [`Behind::CatchUp`] every event comes, at exactly the schedule's rate in the long run.
/// - No thread or lock after construction, and no allocation, but for one when it finds that it shares its CPU.
/// - As long as another thread wants its CPU all the time, this thread has time slices of 0.1 ms, as a [`Pauser`] says.
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
pub struct Pacer<S, T: Timer = SystemTimer> {
    course: Course<S>,
    pauser: Pauser<T>,
}

impl<S: Iterator<Item = Duration> + Clone> Pacer<S> {
    /// Starts `schedule` in a tenth of a millisecond, on the calling thread, with [`TARGET`].
    pub fn new(schedule: S, behind: Behind) -> Self {
        let pauser = Pauser::with_target(TARGET);
        let start = pauser.timer().glance().saturating_add(LEAD);
        Self::starting_at(start, schedule, behind, pauser)
    }
}

impl<S: Iterator<Item = Duration> + Clone, T: Timer> Pacer<S, T> {
    /// Starts `schedule` at `start`, the same for all threads that share a pace, waiting by `pauser`, whose target should
    /// be [`TARGET`] or stricter.
    pub fn starting_at(start: Instant, schedule: S, behind: Behind, mut pauser: Pauser<T>) -> Self {
        pauser.keep_schedule();
        let gap = gap_of(|| pauser.timer().glance());
        Self { course: Course::new(start, schedule, behind, gap), pauser }
    }

    /// The schedule's zero.
    pub fn start(&self) -> Instant {
        self.course.start()
    }

    /// Waits for the next event's turn. None once the schedule is over.
    #[must_use = "an event that is not started is one that was omitted"]
    pub fn next_slot(&mut self) -> Option<Slot> {
        self.wait(None)
    }

    /// As [`next_slot`](Self::next_slot); None also once `cancel` is cancelled, with the event still to come.
    ///
    /// # Examples
    /// A thread that feeds a channel until it is stopped:
    /// ```
    /// use chronoscope_clock::Instant;
    /// use chronoscope_clock::pacer::{Behind, Pace, Pacer};
    /// use chronoscope_clock::pause::Cancel;
    /// use std::sync::{Arc, mpsc};
    /// use std::thread;
    ///
    /// let pace = Pace::per_second(20_000)?;
    /// let stop = Arc::new(Cancel::new());
    /// let (slots, work) = mpsc::channel();
    /// let pacing = thread::spawn({
    ///     let stop = Arc::clone(&stop);
    ///     move || {
    ///         let mut pacer = Pacer::new(pace.schedule(), Behind::CatchUp); // stays on the thread that makes it
    ///         while let Some(slot) = pacer.next_slot_or(&stop) {
    ///             if slots.send(slot).is_err() {
    ///                 break;
    ///             }
    ///         }
    ///     }
    /// });
    /// for slot in work.iter().take(10) {
    ///     // The work of event `slot.number`.
    ///     println!("response time {:?}", slot.times(Instant::now()).response);
    /// }
    /// stop.cancel();
    /// pacing.join().unwrap();
    /// # Ok::<(), chronoscope_clock::pacer::ImpossiblePace>(())
    /// ```
    #[must_use = "an event that is not started is one that was omitted"]
    pub fn next_slot_or(&mut self, cancel: &Cancel) -> Option<Slot> {
        self.wait(Some(cancel))
    }

    /// How long the event of `slot` took if it ends now, by the pacer's clock: [`Slot::times`]. Optional; the pacer keeps
    /// nothing.
    #[must_use = "it only returns the times"]
    pub fn finish(&self, slot: &Slot) -> Times {
        slot.times(self.pauser.timer().now())
    }

    /// States that at most `work` of the time since the last event went into handling it, for callers that can tell work
    /// from interruption: those that did nothing, or measured CPU time. The rest counts as the machine's in
    /// [`Late`](super::Late), or as the pacer's if short. Call before asking for the next event; applies to that one
    /// only.
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
        self.course.worked(work);
    }

    /// Its pauser.
    pub fn pauser(&mut self) -> &mut Pauser<T> {
        &mut self.pauser
    }

    fn wait(&mut self, cancel: Option<&Cancel>) -> Option<Slot> {
        let called = self.pauser.timer().glance();
        let intended = self.course.turn(called)?;
        let waited = match cancel {
            None => self.pauser.wait_until(intended),
            Some(cancel) => self.pauser.wait_until_or(intended, cancel),
        };
        (!waited.cancelled).then(|| {
            let cause = self.late_wait(intended, called, &waited);
            self.course.take(intended, called, waited.ended, cause)
        })
    }

    /// Who made a wait end late, or take time with nothing to wait for.
    fn late_wait(&self, intended: Instant, called: Instant, waited: &Waited) -> Cause {
        let woken_late = waited.sleeps > 0 && waited.last_gap.is_zero();
        let late = waited.ended.saturating_duration_since(intended.max(called));
        if !woken_late && waited.last_gap.max(late) > self.course.gap() { Cause::Machine } else { Cause::Pacer }
    }
}

#[cfg(all(test, not(miri)))] // thousands of readings a wait: too slow to interpret
#[path = "pacing_tests.rs"]
mod tests;
