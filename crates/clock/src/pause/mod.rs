//! Waits that hit their mark: by keeping the CPU, by giving it away, or by sleeping most of the time and spinning the
//! rest.
//!
//! | wait | usually late by | CPU time |
//! |---|---|---|
//! | [`spin`] | 0.05 to 0.13 µs | all of it |
//! | [`sleep`] | 3 to 60 µs, growing with its length | 3 to 25 µs a sleep |
//! | [`hybrid`] | as `spin`, if the margin suffices | the margin |
//! | [`Pauser`] | 0.05 to 0.2 µs, except a share of your choice | a sleep or two, and what they leave of a margin of up to 0.15 ms |
//!
//! Three KVM guests, November 2026. For this machine's figures run `chronoscope pauses`.
//!
//! No wait is early by [`Clock`], each reports its outcome as [`Waited`], and none yields. No wait helps if the machine
//! takes the CPU away at the wrong moment; `late` and `largest_gap` then show it.
//!
//! Signals interrupt sleeps but never end the wait. Where the system refuses to sleep (a sandbox), the rest is spun, and
//! [`Waited::failed_sleeps`] says so.
//!
//! [`TimerSlack`], [`TimeSlice`] and [`RealTime`] change how the calling thread is scheduled until dropped, in any order.

mod allowance;
mod budget;
mod cancel;
mod lateness;
mod oversubscription;
mod pauser;
mod probes;
mod relax;
mod sched_guards;
mod sleep_cost;
mod sleeps;
mod spin;
mod target;
mod timer;
mod waited;
mod wakeup_model;

use core::time::Duration;

pub use cancel::Cancel;
pub use pauser::Pauser;
pub use sched_guards::{NotRestored, RealTime, TimeSlice, TimerSlack};
pub use target::Target;
pub use timer::{SystemTimer, Timer};
pub use waited::Waited;

pub(crate) use relax::relax;
pub(crate) use timer::sealed::{Internal, Sealed};

use crate::{Clock, Instant};
use sleeps::{Sleep, Sleeps};

/// Waits for `length` from now without giving the CPU away.
///
/// # Guarantees
/// Never early. It burns a whole CPU; if others want that CPU, it is late by a time slice sooner or later.
///
/// # Examples
/// ```
/// use chronoscope_clock::{Instant, pause};
/// use std::time::Duration;
///
/// let begin = Instant::now();
/// let waited = pause::spin(Duration::from_micros(10));
/// assert!(waited.ended - begin >= Duration::from_micros(10));
/// ```
pub fn spin(length: Duration) -> Waited {
    spin_until(from_now(length))
}

/// Waits until `deadline` without giving the CPU away; returns at once if it has passed.
///
/// # Guarantees
/// Those of [`spin`].
///
/// # Examples
/// ```
/// use chronoscope_clock::{Instant, pause};
/// use std::time::Duration;
///
/// let waited = pause::spin_until(Instant::now() + Duration::from_micros(10));
/// assert_eq!(waited.sleeps, 0);
/// ```
pub fn spin_until(deadline: Instant) -> Waited {
    let mut waited = Waited::nothing(deadline);
    let clock = Clock::or_system().unordered();
    spin::spin_until(|| clock.now(), deadline, None, &mut waited);
    waited
}

/// Gives the CPU away for `length` from now.
///
/// # Guarantees
/// Never early. Meanwhile the kernel delays this thread's timers as little as it can (a [`TimerSlack`] of 1 ns, on Linux
/// with the feature `std`); the previous slack is restored. Interruptions do not end the wait. Where the system refuses
/// to sleep it spins, and [`Waited::failed_sleeps`] is above 0.
///
/// # Platform
/// As [`SystemTimer`].
///
/// # Examples
/// ```
/// use chronoscope_clock::pause;
/// use std::time::Duration;
///
/// let waited = pause::sleep(Duration::from_micros(100));
/// println!("overslept by {:?}", waited.late);
/// ```
pub fn sleep(length: Duration) -> Waited {
    sleep_until(from_now(length))
}

/// Gives the CPU away until `deadline`; returns at once if it has passed.
///
/// # Guarantees
/// Those of [`sleep`].
///
/// # Examples
/// ```
/// use chronoscope_clock::{Instant, pause};
/// use std::time::Duration;
///
/// let deadline = Instant::now() + Duration::from_micros(100);
/// assert!(pause::sleep_until(deadline).ended >= deadline);
/// ```
pub fn sleep_until(deadline: Instant) -> Waited {
    hybrid_until(deadline, Duration::ZERO)
}

/// Sleeps until `margin` before the end of `length`, then spins.
///
/// # Guarantees
/// Those of [`sleep`]. As punctual as [`spin`] if the sleep was late by less than the margin.
///
/// # Examples
/// ```
/// use chronoscope_clock::pause;
/// use std::time::Duration;
///
/// let waited = pause::hybrid(Duration::from_micros(300), Duration::from_micros(50));
/// println!("{:?} slept, {:?} spun", waited.slept, waited.spun);
/// ```
pub fn hybrid(length: Duration, margin: Duration) -> Waited {
    hybrid_until(from_now(length), margin)
}

fn hybrid_until(deadline: Instant, margin: Duration) -> Waited {
    let _slack = TimerSlack::set(Duration::from_nanos(1)).ok();
    hybrid_on(&SystemTimer::new(), deadline, margin, None)
}

/// As [`sleep_until`] under the caller's [`TimerSlack`]; `cancel` ends it early.
pub(crate) fn sleep_until_or(deadline: Instant, cancel: &Cancel) -> Waited {
    hybrid_on(&SystemTimer::new(), deadline, Duration::ZERO, Some(cancel))
}

/// As [`spin_until`]; `cancel` ends it early.
pub(crate) fn spin_until_or(deadline: Instant, cancel: &Cancel) -> Waited {
    let mut waited = Waited::nothing(deadline);
    let clock = Clock::or_system().unordered();
    spin::spin_until(|| clock.now(), deadline, Some(cancel), &mut waited);
    waited
}

fn hybrid_on<T: Timer>(timer: &T, deadline: Instant, margin: Duration, cancel: Option<&Cancel>) -> Waited {
    let mut waited = Waited::nothing(deadline);
    let aim = deadline.saturating_sub(margin);
    let mut sleeps = Sleeps::NONE;
    let mut now = timer.glance();
    let is_cancelled = || cancel.is_some_and(Cancel::is_cancelled);
    while now < aim && !sleeps.are_given_up() && !is_cancelled() {
        let outcome = timer.sleep_until(aim, cancel);
        let ended = timer.glance();
        sleeps.note(outcome, Sleep { began: now, aim, ended, is_cancelled: is_cancelled() }, &mut waited);
        now = ended;
    }
    spin::spin_until(|| timer.glance(), deadline, cancel, &mut waited);
    waited
}

fn from_now(length: Duration) -> Instant {
    // The first call probes the CPU, which takes longer than many waits.
    relax();
    Clock::or_system().unordered().now().saturating_add(length)
}

#[cfg(all(test, not(miri)))] // makes system calls that Miri does not know
mod tests {
    use super::*;
    use crate::{FakeClock, Unavailable};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_hybrid_wait_is_never_early_and_spins_no_longer_than_asked(
            length_ns in 0_u64..50_000_000,
            margin_ns in 0_u64..1_000_000,
            oversleep_ns in 0_u64..2_000_000,
        ) {
            let clock = FakeClock::new();
            clock.set_oversleep(Duration::from_nanos(oversleep_ns));
            clock.set_read_cost(Duration::from_nanos(20));
            let deadline = Instant::ZERO + Duration::from_nanos(length_ns);
            let waited = hybrid_on(&clock, deadline, Duration::from_nanos(margin_ns), None);
            prop_assert!(waited.ended >= deadline);
            prop_assert!(waited.spun <= Duration::from_nanos(margin_ns + 100));
            prop_assert_eq!(waited.late, waited.ended - deadline);
        }
    }

    #[test]
    fn signals_do_not_end_a_sleep() {
        let clock = FakeClock::new();
        clock.interrupt_sleeps(7);
        let deadline = Instant::from_nanos(5_000_000);
        let waited = hybrid_on(&clock, deadline, Duration::ZERO, None);
        assert!(waited.ended >= deadline && waited.sleeps == 8, "{waited:?}");
    }

    #[test]
    fn no_number_of_signals_ends_a_sleep() {
        let clock = FakeClock::new();
        clock.interrupt_sleeps_every(Duration::from_micros(10));
        let waited = hybrid_on(&clock, Instant::from_nanos(50_000_000), Duration::ZERO, None);
        assert!(waited.sleeps >= 4_999 && waited.failed_sleeps == 0, "{waited:?}");
        assert!(waited.spun < Duration::from_micros(1), "{waited:?}");
    }

    #[test]
    fn a_few_failures_are_slept_over() {
        let clock = FakeClock::new();
        clock.fail_sleeps(3);
        let waited = hybrid_on(&clock, Instant::from_nanos(5_000_000), Duration::ZERO, None);
        assert!(
            waited.sleeps == 1 && waited.failed_sleeps == 3 && waited.spun < Duration::from_micros(1),
            "{waited:?}"
        );
    }

    #[test]
    fn where_no_sleep_is_to_be_had_the_wait_is_spun() {
        let clock = FakeClock::new();
        clock.fail_sleeps(u64::MAX);
        let deadline = Instant::from_nanos(500_000);
        let waited = hybrid_on(&clock, deadline, Duration::ZERO, None);
        assert!(waited.ended >= deadline && waited.sleeps == 0 && waited.failed_sleeps > 0, "{waited:?}");
        assert!(waited.failed_sleeps < 10 && waited.spun > Duration::from_micros(490), "{waited:?}");
    }

    /// A timer whose sleeps come back at once, and say that they slept.
    struct Broken(FakeClock);

    impl crate::Now for Broken {
        fn now(&self) -> Instant {
            crate::Now::now(&self.0)
        }

        fn reading(&self) -> crate::Reading {
            crate::Now::reading(&self.0)
        }
    }

    impl Sealed for Broken {}

    impl Timer for Broken {
        fn sleep_until(&self, _deadline: Instant, _cancel: Option<&Cancel>) -> Result<(), Unavailable> {
            Ok(())
        }
    }

    #[test]
    fn a_timer_that_comes_back_at_once_is_not_asked_for_ever() {
        let timer = Broken(FakeClock::new());
        timer.0.set_read_cost(Duration::from_nanos(10));
        let deadline = Instant::from_nanos(500_000);
        let waited = hybrid_on(&timer, deadline, Duration::ZERO, None);
        assert!(waited.ended >= deadline && waited.failed_sleeps < 10 && waited.sleeps == 0, "{waited:?}");
        let waited = Pauser::with_timer(&timer, Target::default()).pause(Duration::from_millis(5));
        assert!(waited.late < Duration::from_micros(1) && waited.failed_sleeps < 10, "{waited:?}");
    }

    #[test]
    fn a_real_wait_is_never_early() {
        for length in [Duration::ZERO, Duration::from_nanos(700), Duration::from_micros(90)] {
            for wait in [spin, sleep, |length| hybrid(length, Duration::from_micros(20))] {
                let begin = Clock::or_system().now();
                let waited = wait(length);
                assert!(waited.ended.signed_nanos_since(begin) >= length.as_nanos() as i64, "{length:?} {waited:?}");
            }
        }
    }
}
