use core::iter::Take;
use core::time::Duration;

/// A schedule of equidistant events: their times from the start. Ends after 584 years, the most that 64 bits of nanoseconds hold.
///
/// # Guarantees
/// Event k lies at k · `per` / `events`, rounded down to nanoseconds: no error accumulates, at any pace, however long it
/// runs. The remainder of the division is carried, like the error of a line of pixels.
///
/// # Sources
/// J. E. Bresenham, "Algorithm for computer control of a digital plotter", 1965.
///
/// # Examples
/// ```
/// use chronoscope_clock::pacer::Pace;
/// use std::time::Duration;
///
/// let thirds: Vec<Duration> = Pace::per_second(3)?.schedule().take(4).collect();
/// assert_eq!(nanos(&thirds), [0, 333_333_333, 666_666_666, 1_000_000_000]);
/// # fn nanos(times: &[Duration]) -> Vec<u128> {
/// #     times.iter().map(Duration::as_nanos).collect()
/// # }
/// # Ok::<(), chronoscope_clock::pacer::ImpossiblePace>(())
/// ```
#[derive(Clone, Debug)]
pub struct Steady {
    /// The next event; None beyond the timescale.
    next_ns: Option<u64>,
    /// What it lies beyond `next_ns`, in parts of a nanosecond of which `events` are a whole.
    rest: u64,
    /// None if the second event is beyond it already.
    step_ns: Option<u64>,
    step_rest: u64,
    events: u64,
}

impl Steady {
    /// Every `step`-th event of `events` per `per_ns`, beginning with event number `first`.
    pub(super) fn of(events: u64, per_ns: u64, first: u32, step: u32) -> Self {
        let at = |event: u32| {
            let product = u128::from(event) * u128::from(per_ns);
            let events = u128::from(events);
            // The rest is less than `events`, which is a u64.
            (u64::try_from(product / events).ok(), (product % events) as u64)
        };
        let ((next_ns, rest), (step_ns, step_rest)) = (at(first), at(step));
        Self { next_ns, rest, step_ns, step_rest, events }
    }
}

impl Steady {
    /// The events intended before `end`.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::pacer::Pace;
    /// use std::time::Duration;
    ///
    /// let a_second = Pace::per_second(30)?.schedule().before(Duration::from_secs(1));
    /// assert_eq!(a_second.count(), 30);
    /// # Ok::<(), chronoscope_clock::pacer::ImpossiblePace>(())
    /// ```
    pub fn before(self, end: Duration) -> Take<Self> {
        let (mut low, mut high) = (0, usize::MAX);
        // Event `low` - 1 is before the end, event `high` is not.
        while low < high {
            let middle = low + (high - low) / 2;
            if self.clone().nth(middle).is_some_and(|at| at < end) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        self.take(low)
    }

    /// Moves on by `events`.
    fn skip_events(&mut self, events: u64) {
        // Less than 2^128: a u64 each, and the rest is less than `events`, a u64.
        let rest = u128::from(self.rest) + u128::from(events) * u128::from(self.step_rest);
        let (carried, modulus) = (rest / u128::from(self.events), u128::from(self.events));
        self.rest = (rest % modulus) as u64;
        let moved = |now_ns: u64, step_ns: u64| {
            let ns = u128::from(now_ns) + u128::from(events) * u128::from(step_ns) + carried;
            u64::try_from(ns).ok()
        };
        self.next_ns = match (self.next_ns, self.step_ns) {
            (next_ns, _) if events == 0 => next_ns,
            (Some(now_ns), Some(step_ns)) => moved(now_ns, step_ns),
            _ => None,
        };
    }
}

impl Iterator for Steady {
    type Item = Duration;

    #[inline]
    fn next(&mut self) -> Option<Duration> {
        let now_ns = self.next_ns?;
        // Both are less than `events`, so that one subtraction is enough; their sum may need a 65th bit.
        let (sum, wrapped) = self.rest.overflowing_add(self.step_rest);
        let carries = wrapped || sum >= self.events;
        self.rest = if carries { sum.wrapping_sub(self.events) } else { sum };
        let next_ns = self.step_ns.and_then(|step_ns| now_ns.checked_add(step_ns));
        self.next_ns = next_ns.and_then(|ns| ns.checked_add(u64::from(carries)));
        Some(Duration::from_nanos(now_ns))
    }

    /// In constant time.
    fn nth(&mut self, events: usize) -> Option<Duration> {
        self.skip_events(events as u64);
        self.next()
    }
}

#[cfg(test)]
mod tests {
    use crate::pacer::Pace;
    use core::time::Duration;
    use proptest::prelude::*;

    fn exact_ns(event: u64, events: u64, per_ns: u64) -> u64 {
        u64::try_from(u128::from(event) * u128::from(per_ns) / u128::from(events)).unwrap()
    }

    proptest! {
        #[test]
        fn every_event_is_where_the_division_puts_it(
            events in 1_u64..=u64::MAX / 2,
            more_ns in 0_u64..=u64::MAX / 2,
            of in 1_u32..50,
            shard in 0_u32..50,
        ) {
            let (shard, per_ns) = (shard % of, events.saturating_add(more_ns));
            let pace = Pace::new(events, Duration::from_nanos(per_ns)).unwrap();
            for (turn, offset) in pace.shard(shard, of).take(200).enumerate() {
                let event = u64::from(shard) + turn as u64 * u64::from(of);
                prop_assert_eq!(offset.as_nanos() as u64, exact_ns(event, events, per_ns));
            }
        }
    }

    proptest! {
        #[test]
        fn a_jump_lands_where_single_steps_do(
            events in 1_u64..2_000_000,
            per_ns in 2_000_000_u64..u64::MAX,
            jumps in prop::collection::vec(0_usize..500, 1..10),
        ) {
            let pace = Pace::new(events, Duration::from_nanos(per_ns)).unwrap();
            let (mut jumping, mut stepping) = (pace.schedule(), pace.schedule());
            for jump in jumps {
                let stepped = (0..=jump).map(|_| stepping.next()).last().flatten();
                prop_assert_eq!(jumping.nth(jump), stepped);
            }
        }

        #[test]
        fn those_before_an_end_are_all_that_are(events in 1_u64..5_000, end_us in 0_u64..50_000) {
            let pace = Pace::per_second(events).unwrap();
            let end = Duration::from_micros(end_us);
            let expected: std::vec::Vec<_> = pace.schedule().take_while(|at| *at < end).collect();
            prop_assert_eq!(pace.schedule().before(end).collect::<std::vec::Vec<_>>(), expected);
        }
    }

    #[test]
    fn a_jump_beyond_the_timescale_ends_the_schedule() {
        let mut schedule = Pace::per_second(1).unwrap().schedule();
        assert_eq!((schedule.nth(usize::MAX), schedule.next()), (None, None));
    }

    /// Each prime keeps the division from coming out even. Without optimisation a shard of 50 gets there in time.
    #[test]
    #[cfg_attr(miri, ignore = "millions of events, and nothing in them is unsafe")]
    fn no_error_adds_up_over_a_billion_events() {
        const LAST: u64 = 1_000_000_000;
        let (events, per_ns) = (999_983, 1_000_000_007);
        let of = if cfg!(debug_assertions) { 50 } else { 1 };
        let mut schedule = Pace::new(events, Duration::from_nanos(per_ns)).unwrap().shard(0, of);
        let steps = usize::try_from(LAST / u64::from(of)).unwrap();
        let last = (0..=steps).fold(None, |_, _| schedule.next()).unwrap();
        assert_eq!(last.as_nanos() as u64, exact_ns(LAST, events, per_ns));
    }

    #[test]
    fn a_schedule_ends_with_the_timescale() {
        let forever = Duration::from_nanos(u64::MAX);
        let mut schedule = Pace::new(1, forever).unwrap().schedule();
        assert_eq!(schedule.clone().before(Duration::MAX).count(), 2);
        assert_eq!(schedule.clone().before(forever).count(), 1);
        assert_eq!((schedule.next(), schedule.next(), schedule.next()), (Some(Duration::ZERO), Some(forever), None));
    }
}
