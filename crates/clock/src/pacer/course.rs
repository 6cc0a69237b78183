use core::time::Duration;

use super::backlog::{Backlog, Cause, spent};
use super::{Behind, Slot};
use crate::Instant;

/// How far a schedule has got: which event is next, when it is intended, and why it is late. Knows no clock; it is told
/// the time.
#[derive(Clone, Debug)]
pub(super) struct Course<S> {
    /// The next event's time from the start.
    head: Option<Duration>,
    /// Those after it.
    rest: S,
    /// The next event's number.
    number: u64,
    behind: Behind,
    start: Instant,
    /// Events left out since the last that was started.
    skipped: u64,
    slipped: Duration,
    /// A gap between two readings of the clock that is longer is the machine's doing.
    gap: Duration,
    /// What the next event inherits.
    backlog: Backlog,
    /// When the last event was intended, and when it started; of the first, the schedule's zero.
    last_intended: Instant,
    last_started: Instant,
    /// How much of the time since is known to be work.
    worked: Option<Duration>,
}

impl<S: Iterator<Item = Duration> + Clone> Course<S> {
    pub(super) fn new(start: Instant, mut schedule: S, behind: Behind, gap: Duration) -> Self {
        Self {
            head: schedule.next(),
            rest: schedule,
            number: 0,
            behind,
            start,
            skipped: 0,
            slipped: Duration::ZERO,
            gap,
            backlog: Backlog::NONE,
            last_intended: start,
            last_started: start,
            worked: None,
        }
    }

    /// The intended time of the next event for a caller who asks `now`. None once the schedule is over.
    pub(super) fn turn(&mut self, now: Instant) -> Option<Instant> {
        let head = self.head?;
        match self.behind {
            Behind::CatchUp => {}
            Behind::CatchUpWithin(limit) => {
                let limit = now.saturating_sub(limit).checked_duration_since(self.start);
                if let Some(limit) = limit.filter(|limit| head < *limit) {
                    self.pass(|at| at < limit);
                    self.pass_one();
                }
            }
            Behind::Skip => {
                if let Some(now) = now.checked_duration_since(self.start) {
                    self.pass(|at| at <= now);
                }
            }
            Behind::Slip => {
                let intended = self.intended(head);
                self.slipped += now.saturating_duration_since(intended);
            }
        }
        self.head.map(|head| self.intended(head))
    }

    /// Hands out the next event: requested at `called`, able to start at `started`, the time it should have started until
    /// then charged to `waiting`.
    pub(super) fn take(&mut self, intended: Instant, called: Instant, started: Instant, waiting: Cause) -> Slot {
        let held = called.saturating_duration_since(self.last_started);
        let apart = intended.saturating_duration_since(self.last_intended);
        self.backlog.pass(spent(held, self.worked.take(), self.gap), apart);
        self.backlog.add(started.saturating_duration_since(intended.max(called)), waiting);
        let late = self.backlog.explain(started.saturating_duration_since(intended));
        let (skipped, slipped) = (core::mem::take(&mut self.skipped), self.slipped);
        let slot = Slot { number: self.number, intended, started, late, skipped, slipped };
        (self.last_intended, self.last_started) = (intended, started);
        if self.behind == Behind::Slip {
            // What the wait overslept moves the schedule, too: the next event keeps its distance from this one's start.
            self.slipped += started.saturating_duration_since(intended);
        }
        self.head = self.rest.next();
        self.number += 1;
        slot
    }

    pub(super) fn start(&self) -> Instant {
        self.start
    }

    pub(super) fn gap(&self) -> Duration {
        self.gap
    }

    pub(super) fn worked(&mut self, work: Duration) {
        self.worked = Some(work);
    }

    fn intended(&self, offset: Duration) -> Instant {
        self.start.saturating_add(offset).saturating_add(self.slipped)
    }

    /// Leaves out events up to the last after the next one that is `past`, doubling each step until one goes too far: for
    /// a schedule that jumps in constant time the cost hardly depends on how many are left out.
    fn pass(&mut self, past: impl Fn(Duration) -> bool) {
        let mut step = 1_usize;
        loop {
            let mut ahead = self.rest.clone();
            match ahead.nth(step - 1) {
                Some(at) if past(at) => {
                    self.rest = ahead;
                    self.leave_out(step, at);
                    step = step.saturating_mul(2);
                }
                _ if step == 1 => return,
                _ => step = 1,
            }
        }
    }

    /// Leaves out the next event unless it is the last: how many were left out is reported with an event.
    fn pass_one(&mut self) {
        if let Some(at) = self.rest.next() {
            self.leave_out(1, at);
        }
    }

    fn leave_out(&mut self, events: usize, next: Duration) {
        self.head = Some(next);
        self.number += events as u64;
        self.skipped += events as u64;
    }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;

    use proptest::prelude::*;
    use std::vec::Vec;

    use super::*;
    use crate::pacer::Pace;

    const START: Instant = Instant::from_nanos(1_000);

    fn course<S: Iterator<Item = Duration> + Clone>(schedule: S, behind: Behind) -> Course<S> {
        Course::new(START, schedule, behind, Duration::from_micros(1))
    }

    /// Counts how often a schedule is asked.
    #[derive(Clone)]
    struct Counted<'a> {
        schedule: crate::pacer::Steady,
        asked: &'a Cell<u32>,
    }

    impl Iterator for Counted<'_> {
        type Item = Duration;

        fn next(&mut self) -> Option<Duration> {
            self.asked.set(self.asked.get() + 1);
            self.schedule.next()
        }

        fn nth(&mut self, events: usize) -> Option<Duration> {
            self.asked.set(self.asked.get() + 1);
            self.schedule.nth(events)
        }
    }

    #[test]
    fn a_stall_of_an_hour_is_skipped_in_a_few_steps() {
        let pace = Pace::per_second(1_000_000).unwrap();
        for behind in [Behind::Skip, Behind::CatchUpWithin(Duration::from_millis(1))] {
            let asked = Cell::new(0);
            let mut course = course(Counted { schedule: pace.schedule(), asked: &asked }, behind);
            let now = START + Duration::from_secs(3_600);
            let intended = course.turn(now).unwrap();
            let slot = course.take(intended, now, now, Cause::Pacer);
            let expected = if behind == Behind::Skip { 3_600_000_000 } else { 3_599_999_000 };
            assert_eq!((slot.number, slot.skipped), (expected, expected), "{behind:?}");
            assert!(asked.get() < 1_000, "{} for {behind:?}", asked.get());
        }
    }

    #[test]
    fn slipping_keeps_the_distance_between_starts() {
        const PERIOD: Duration = Duration::from_millis(1);
        let mut course = course(Pace::every(PERIOD).unwrap().schedule(), Behind::Slip);
        let mut now = START;
        let mut last: Option<Instant> = None;
        for oversleep_us in [0, 5_000, 0, 20, 3, 9_000, 0, 0] {
            let intended = course.turn(now).unwrap();
            let started = intended.max(now) + Duration::from_micros(oversleep_us);
            let slot = course.take(intended, now, started, Cause::Pacer);
            assert!(last.is_none_or(|last| slot.started - last >= PERIOD), "{slot:?}");
            (last, now) = (Some(started), started);
        }
    }

    #[test]
    fn the_last_event_is_never_left_out() {
        for behind in [Behind::Skip, Behind::CatchUpWithin(Duration::ZERO)] {
            let mut course = course(Pace::per_second(1_000).unwrap().schedule().take(5), behind);
            let now = START + Duration::from_secs(60);
            let intended = course.turn(now).unwrap();
            assert_eq!(intended, START + Duration::from_millis(4));
            let slot = course.take(intended, now, now, Cause::Pacer);
            assert_eq!((slot.number, slot.skipped), (4, 4));
            assert_eq!(course.turn(now), None);
        }
    }

    proptest! {
        #[test]
        fn what_is_left_out_is_what_one_step_at_a_time_leaves_out(
            mut offsets in prop::collection::vec(0_u64..10_000, 1..200),
            now_ns in 0_u64..12_000,
            limit_ns in 0_u64..3_000,
        ) {
            offsets.sort_unstable();
            let schedule: Vec<Duration> = offsets.iter().copied().map(Duration::from_nanos).collect();
            let last = schedule.len() - 1;
            let now = START + Duration::from_nanos(now_ns);
            let due = |at: &Duration| at.as_nanos() <= u128::from(now_ns);
            let in_time = |at: &Duration| at.as_nanos() + u128::from(limit_ns) >= u128::from(now_ns);
            let skip = schedule.iter().rposition(due).unwrap_or(0);
            let within = schedule.iter().position(in_time).unwrap_or(last);
            for (behind, expected) in
                [(Behind::Skip, skip), (Behind::CatchUpWithin(Duration::from_nanos(limit_ns)), within), (Behind::CatchUp, 0)]
            {
                let mut course = course(schedule.iter().copied(), behind);
                prop_assert_eq!(course.turn(now), Some(START + schedule[expected]), "{:?}", behind);
                prop_assert_eq!((course.number, course.skipped), (expected as u64, expected as u64));
                // Asking again changes nothing.
                prop_assert_eq!(course.turn(now), Some(START + schedule[expected]));
                prop_assert_eq!(course.skipped, expected as u64);
            }
        }
    }
}
