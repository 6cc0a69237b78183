use core::time::Duration;

use proptest::prelude::*;
use std::vec::Vec;

use super::*;
use crate::pause::budget::REAL_TIME_SHARE;
use crate::{FakeClock, Now};

const MICROSECOND: Duration = Duration::from_micros(1);

fn clock(oversleep_ns: u64) -> FakeClock {
    let clock = FakeClock::new();
    clock.set_read_cost(Duration::from_nanos(10));
    clock.set_oversleep(Duration::from_nanos(oversleep_ns));
    clock
}

fn share_spun(pauser: &mut Pauser<&FakeClock>, length: Duration, waits: u32) -> f64 {
    let waited: Vec<Waited> = (0..waits).map(|_| pauser.pause(length)).collect();
    let spun: Duration = waited.iter().map(|waited| waited.spun).sum();
    let all: Duration = waited.iter().map(|waited| waited.spun + waited.slept).sum();
    spun.as_secs_f64() / all.as_secs_f64()
}

proptest! {
    #[test]
    fn no_wait_is_early_and_the_report_adds_up(
        waits in prop::collection::vec((0_u64..20_000_000, 0_u64..3_000_000, 0_u64..3), 1..40),
        late in 0.0_f64..1.0,
        cpu in 0.0_f64..1.0,
    ) {
        let clock = clock(0);
        let mut pauser = Pauser::with_timer(&clock, Target::default().late_at_most(late).cpu_at_most(cpu));
        for (length_ns, oversleep_ns, signals) in waits {
            clock.set_oversleep(Duration::from_nanos(oversleep_ns));
            clock.interrupt_sleeps(signals);
            let begin = Now::now(&clock);
            let deadline = begin + Duration::from_nanos(length_ns);
            let waited = pauser.wait_until(deadline);
            prop_assert!(waited.ended >= deadline);
            prop_assert_eq!(waited.late, waited.ended - deadline);
            prop_assert!(waited.slept + waited.spun <= Now::now(&clock) - begin);
            prop_assert!(!waited.cancelled);
        }
    }

    #[test]
    fn what_sleeps_are_usually_late_by_is_spun_and_little_more(
        oversleep_ns in 1_000_u64..80_000,
        length_us in 200_u64..5_000,
    ) {
        let clock = clock(oversleep_ns);
        clock.set_read_cost(Duration::from_nanos(300));
        let mut pauser = Pauser::with_timer(&clock, Target::default());
        let length = Duration::from_micros(length_us);
        (0..400).for_each(|_| { let _ = pauser.pause(length); });
        let waited = pauser.pause(length);
        prop_assert!(waited.late < MICROSECOND, "{waited:?}");
        // A bin's width beyond it, and half as much again while it is not known well.
        prop_assert!(nanos(waited.spun) <= oversleep_ns * 2 + 1_000, "{waited:?}");
    }
}

#[test]
fn the_first_wait_is_on_time_where_sleeps_are_late_as_usual() {
    let clock = clock(60_000);
    let waited = Pauser::with_timer(&clock, Target::default()).pause(Duration::from_millis(1));
    assert!(waited.late < MICROSECOND && waited.sleeps > 0, "{waited:?}");
}

#[test]
fn one_bad_episode_does_not_leave_it_spinning() {
    let clock = clock(3_000);
    clock.set_read_cost(Duration::from_micros(1));
    let mut pauser = Pauser::with_timer(&clock, Target::default());
    let length = Duration::from_micros(100);
    let _ = share_spun(&mut pauser, length, 1_000);
    let before = share_spun(&mut pauser, length, 1_000);
    clock.set_oversleep(Duration::from_millis(4));
    let _ = share_spun(&mut pauser, length, 50);
    clock.set_oversleep(Duration::from_micros(3));
    // Ten seconds of waits: a probe that was 4 ms late is the last for five.
    let _ = share_spun(&mut pauser, length, 100_000);
    let after = share_spun(&mut pauser, length, 1_000);
    assert!(before < 0.1 && after < 0.1, "{before} {after}");
}

#[test]
fn a_long_bad_time_does_not_leave_it_spinning() {
    // Sleeps that end later than the whole wait, for long enough that nothing else is known any more.
    for (length_us, bad) in [(40, 100), (100, 4_000)] {
        let (length, clock) = (Duration::from_micros(length_us), clock(3_000));
        clock.set_read_cost(MICROSECOND);
        let mut pauser = Pauser::with_timer(&clock, Target::default());
        let wait_for = |pauser: &mut Pauser<&FakeClock>, seconds: u64| {
            let end = clock.elapsed() + Duration::from_secs(seconds);
            while clock.elapsed() < end {
                let _ = pauser.pause(length);
            }
        };
        wait_for(&mut pauser, 1);
        clock.set_oversleep(Duration::from_micros(bad));
        wait_for(&mut pauser, 12);
        clock.set_oversleep(Duration::from_micros(3));
        // The last probe was late: the next comes after five seconds, and those after it soon.
        wait_for(&mut pauser, 9);
        let share = share_spun(&mut pauser, length, 1_000);
        assert!(share < 0.2, "{share} of waits of {length:?}");
    }
}

#[test]
fn waits_of_two_lengths_do_not_share_the_shorter_ones_limit() {
    // Both are learnt as one. The shorter is spun, since no more than all of it can be; that does not make the other late.
    let clock = clock(100_000);
    clock.set_read_cost(Duration::from_nanos(100));
    let mut pauser = Pauser::with_timer(&clock, Target::default());
    let lengths = [70, 127].map(Duration::from_micros);
    let waited: Vec<Waited> = (0..2_000).map(|wait| pauser.pause(lengths[wait % 2])).collect();
    let late = waited.iter().filter(|waited| waited.late > MICROSECOND).count();
    assert!(late <= 20, "{late} of 2000");
}

#[test]
fn what_is_too_short_to_sleep_is_spun() {
    let clock = clock(3_000);
    let mut pauser = Pauser::with_timer(&clock, Target::default());
    let waited = pauser.pause(Duration::from_micros(2));
    assert_eq!((waited.sleeps, waited.slept), (0, Duration::ZERO));
}

#[test]
fn no_more_is_spun_than_was_allowed() {
    let clock = clock(70_000);
    let mut pauser = Pauser::with_timer(&clock, Target::default().cpu_at_most(0.02));
    let spun = share_spun(&mut pauser, Duration::from_micros(150), 1_000);
    assert!(spun < 0.03, "{spun}");
}

/// The share of some waits of `length` that is spun, over a second and more.
fn share_of_time_spun(pauser: &mut Pauser<&FakeClock>, clock: &FakeClock, length: Duration) -> f64 {
    let begin = clock.elapsed();
    let waits = 1_000_000_000 / nanos(length);
    let spun: Duration = (0..waits).map(|_| pauser.pause(length).spun).sum();
    spun.as_secs_f64() / (clock.elapsed() - begin).as_secs_f64()
}

#[test]
fn a_real_time_thread_leaves_the_kernel_its_share() {
    // Both shorter than what a sleep is worth, the second than what it takes: all of it would be spun.
    for length_us in [7, 3] {
        let length = Duration::from_micros(length_us);
        let clock = clock(3_000);
        clock.set_read_cost(Duration::from_nanos(100));
        let mut pauser = Pauser::with_timer(&clock, Target::default());
        let unlimited = REAL_TIME_SHARE + 0.06;
        assert!(share_of_time_spun(&mut pauser, &clock, length) > unlimited, "nobody limits it");
        // Whoever put the thread there, and whenever.
        clock.set_real_time(true);
        let share = share_of_time_spun(&mut pauser, &clock, length);
        assert!((0.65..REAL_TIME_SHARE + 0.05).contains(&share), "{length:?} {share}");
        clock.set_real_time(false);
        assert!(share_of_time_spun(&mut pauser, &clock, length) > unlimited, "the limit ends with the policy");
    }
}

#[test]
fn no_number_of_signals_lets_it_spin() {
    let clock = clock(3_000);
    clock.interrupt_sleeps_every(Duration::from_micros(20));
    let mut pauser = Pauser::with_timer(&clock, Target::default());
    let waited = pauser.pause(Duration::from_millis(100));
    assert!(waited.sleeps > 4_000 && waited.failed_sleeps == 0, "{waited:?}");
    assert!(waited.slept > Duration::from_millis(99) && waited.late < MICROSECOND, "{waited:?}");
}

#[test]
fn where_no_sleep_is_to_be_had_it_spins_and_says_so() {
    let clock = clock(3_000);
    clock.fail_sleeps(u64::MAX);
    let mut pauser = Pauser::with_timer(&clock, Target::default());
    let length = Duration::from_millis(1);
    for _ in 0..10 {
        let waited = pauser.pause(length);
        assert!(waited.failed_sleeps > 0 && waited.failed_sleeps < 10 && waited.sleeps == 0, "{waited:?}");
        assert!(waited.late < MICROSECOND && waited.slept.is_zero(), "{waited:?}");
    }
    clock.fail_sleeps(0);
    assert!(pauser.pause(length).sleeps > 0, "it asks anew in each wait");
}

#[test]
fn a_cancelled_wait_ends_at_once_and_says_so() {
    let clock = clock(0);
    let mut pauser = Pauser::with_timer(&clock, Target::default());
    let cancel = Cancel::new();
    cancel.cancel();
    let waited = pauser.pause_or(Duration::from_secs(1), &cancel);
    assert!(waited.cancelled && clock.elapsed() < Duration::from_millis(1), "{waited:?}");
}

#[test]
fn a_deadline_that_has_passed_is_no_wait() {
    let clock = clock(0);
    clock.advance(Duration::from_millis(1));
    let waited = Pauser::with_timer(&clock, Target::default()).wait_until(Instant::from_nanos(400_000));
    assert!(waited.late >= Duration::from_micros(600) && !waited.cancelled);
    assert_eq!((waited.sleeps, waited.spun), (0, Duration::ZERO));
}

#[test]
fn the_largest_length_is_as_good_as_forever() {
    let clock = clock(0);
    let cancel = Cancel::new();
    cancel.cancel();
    let waited = Pauser::with_timer(&clock, Target::default()).pause_or(Duration::MAX, &cancel);
    assert!(waited.cancelled);
}

#[test]
fn what_was_set_is_restored() {
    let Ok(before) = TimerSlack::current() else { return };
    let pauser = Pauser::new();
    assert_eq!(TimerSlack::current(), Ok(Duration::from_nanos(1)));
    drop(pauser);
    assert_eq!(TimerSlack::current(), Ok(before));
}

#[test]
fn on_an_oversubscribed_cpu_a_wait_that_would_be_spun_is_slept() {
    let clock = clock(90_000);
    let mut pauser = Pauser::with_timer(&clock, Target::default());
    let length = Duration::from_micros(100);
    let _ = share_spun(&mut pauser, length, 2_000);
    assert!(share_spun(&mut pauser, length, 100) > 0.7, "no sleep ends in time here");
    pauser.oversubscription.until = Instant::from_nanos(i64::MAX);
    assert!(share_spun(&mut pauser, length, 100) < 0.4);
}

#[test]
fn before_boot_it_waits_as_after_it() {
    let spent = |start_s: i64| {
        let clock = FakeClock::starting_at(Instant::from_nanos(start_s * 1_000_000_000));
        clock.set_read_cost(Duration::from_nanos(10));
        clock.set_oversleep(Duration::from_micros(60));
        let mut pauser = Pauser::with_timer(&clock, Target::default());
        let mut waits: Vec<_> = (0..500).map(|_| pauser.pause(Duration::from_micros(300))).collect();
        clock.advance(Duration::from_secs(60)); // what was seen is stale
        waits.extend((0..50).map(|_| pauser.pause(Duration::from_micros(300))));
        waits.into_iter().map(|waited| (waited.late, waited.slept, waited.spun)).collect::<Vec<_>>()
    };
    assert_eq!(spent(-3_600), spent(3_600));
}

#[test]
fn only_a_schedule_rests_for_what_it_kept_the_cpu_and_what_sleeps_cost_and_30_us_more() {
    let clock = clock(5_000);
    let mut pauser = Pauser::with_timer(&clock, Target::default());
    pauser.oversubscription.until = Instant::from_nanos(i64::MAX);
    assert_eq!(pauser.pause(Duration::from_micros(2)).sleeps, 0, "a pause that is lost delays no other");
    pauser.keep_schedule();
    let mut due = Now::now(&clock);
    let mut overslept = 0;
    // Two sleeps cost 10 µs where nobody can tell, and the oversleep comes on top.
    for (kept, oversleeps, rest) in
        [(5_000, 5, 500), (0, 5, 35), (50, 5, 85), (50, 60, 85), (50, 5, 30), (300, 5, 335), (5_000, 5, 500)]
    {
        clock.set_oversleep(Duration::from_micros(oversleeps));
        clock.advance(Duration::from_micros(kept));
        due = due.max(Now::now(&clock)) + Duration::from_micros(2);
        let waited = pauser.wait_until(due);
        assert!(waited.sleeps == 1 && waited.ended >= due, "{waited:?}");
        let slept = Duration::from_micros(rest + oversleeps);
        assert!(waited.slept.abs_diff(slept) < MICROSECOND, "{waited:?} after {kept} kept and {overslept} overslept");
        (due, overslept) = (waited.ended, oversleeps);
    }
    clock.set_oversleep(Duration::from_micros(5));
    // A wait that is long enough to sleep twice ends on time.
    assert!(pauser.pause(Duration::from_millis(1)).late < MICROSECOND);
}

#[test]
fn nobody_else_is_seen_where_nobody_is() {
    let clock = clock(5_000);
    let mut pauser = Pauser::with_timer(&clock, Target::default());
    pauser.calibrate();
    assert!(!pauser.oversubscription.is_oversubscribed(Now::now(&clock)));
}
