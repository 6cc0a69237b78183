//! Waits that hit their mark: by keeping the CPU, by giving it away, or by as much of the second as can be had for the price
//! of the first.
//!
//! | wait | late by, usually | takes of a CPU |
//! |---|---|---|
//! | [`spin`] | less than 0.1 µs | all |
//! | [`sleep`] | 3 µs and more, the more the longer it is | 3 to 5 µs a sleep |
//! | [`hybrid`] | less than 0.1 µs, where the margin is enough | the margin |
//! | [`Pauser`] | less than 0.1 µs, all but a chosen share of the waits | what its thread's sleeps are usually late by |
//!
//! How late yours are: `chronoscope pause`.
//!
//! All are never early by [`Clock`], and say what became of them; see [`Waited`]. None yields. A wait is in vain where the
//! machine takes the CPU at the wrong moment, which `late` and `largest_gap` then show.

mod allowance;
mod cancel;
mod crowd;
mod lateness;
mod learnt;
mod levers;
mod pauser;
mod probes;
mod sleep_cost;
mod spin;
mod target;
mod timer;
mod waited;

use core::time::Duration;

pub use cancel::Cancel;
pub use levers::{RealTime, TimeSlice, TimerSlack};
pub use pauser::Pauser;
pub use target::Target;
pub use timer::{SystemTimer, Timer};
pub use waited::Waited;

use crate::{Clock, Instant};

/// A sleep that is to last to the end sleeps so often at most, whatever signals arrive; then it spins.
const MOST_SLEEPS: u32 = 1_000;

/// Waits for `length` from now on without giving the CPU away.
///
/// # Guarantees
/// Never early. It burns a whole CPU, and where others want that CPU it is late by a time slice sooner or later.
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

/// Waits until `deadline` without giving the CPU away; returns at once where it has passed.
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

/// Gives the CPU away for `length` from now on.
///
/// # Guarantees
/// Never early. While it lasts the kernel delays this thread's timers as little as it can, where that can be chosen; what it
/// was before is restored.
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

/// Gives the CPU away until `deadline`; returns at once where it has passed.
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

/// Gives the CPU away until `margin` before the end of `length`, and keeps it from then on.
///
/// # Guarantees
/// Those of [`sleep`]. As late as [`spin`] where the sleep was late by less than the margin.
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

/// Gives the CPU away until `margin` before `deadline`, and keeps it from then on; returns at once where the deadline has
/// passed.
///
/// # Guarantees
/// Those of [`hybrid`].
///
/// # Examples
/// ```
/// use chronoscope_clock::{Instant, pause};
/// use std::time::Duration;
///
/// let deadline = Instant::now() + Duration::from_micros(300);
/// assert!(pause::hybrid_until(deadline, Duration::from_micros(50)).ended >= deadline);
/// ```
pub fn hybrid_until(deadline: Instant, margin: Duration) -> Waited {
    let _slack = TimerSlack::set(Duration::from_nanos(1)).ok();
    hybrid_on(&SystemTimer::new(), deadline, margin)
}

fn hybrid_on<T: Timer>(timer: &T, deadline: Instant, margin: Duration) -> Waited {
    let mut waited = Waited::nothing(deadline);
    let aim = deadline.saturating_sub(margin);
    let mut now = timer.glance();
    while now < aim && waited.sleeps < MOST_SLEEPS {
        timer.sleep_until(aim, None);
        let woken = timer.glance();
        waited.slept += woken.saturating_duration_since(now);
        waited.sleeps += 1;
        now = woken;
    }
    spin::spin_until(|| timer.glance(), deadline, None, &mut waited);
    waited
}

fn from_now(length: Duration) -> Instant {
    // The first time it finds out what the CPU has, which takes longer than many a wait.
    crate::arch::relax();
    Clock::or_system().unordered().now().saturating_add(length)
}

#[cfg(all(test, not(miri)))] // makes system calls that Miri does not know
mod tests {
    use super::*;
    use crate::FakeClock;
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
            let deadline = Instant::from_nanos(length_ns);
            let waited = hybrid_on(&clock, deadline, Duration::from_nanos(margin_ns));
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
        let waited = hybrid_on(&clock, deadline, Duration::ZERO);
        assert!(waited.ended >= deadline && waited.sleeps == 8, "{waited:?}");
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
