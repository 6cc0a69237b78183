//! Sleeps that signals interrupt all the time, and sleeps that a sandbox forbids.

use core::time::Duration;
use std::{eprintln, println, ptr};

use super::check::{Checked, ensure, ensure_of};
use super::child::holds_in_child;
use super::fresh::{SKIPPED, in_fresh_process};
use super::seccomp::refuse;
use super::{here, signal};
use crate::Clock;
use crate::os::{OsClock, try_read_ns};
use crate::pause::{self, Cancel, NotRestored, Pauser, RealTime, Timer, Waited};

/// An emulated CPU takes a millisecond for a signal and the sleep that follows.
const PROFILER_HZ: i64 = 400;
const LENGTH: Duration = Duration::from_millis(300);

extern "C" fn nothing(_: libc::c_int, _: *mut libc::siginfo_t, _: *mut libc::c_void) {}

fn start_profiler() {
    signal::on(libc::SIGALRM, nothing);
    let time = libc::timeval { tv_sec: 0, tv_usec: (1_000_000 / PROFILER_HZ) as _ };
    let timer = libc::itimerval { it_interval: time, it_value: time };
    // SAFETY: the kernel reads `timer`; nobody wants the old one.
    std::assert_eq!(unsafe { libc::setitimer(libc::ITIMER_REAL, &timer, ptr::null_mut()) }, 0);
}

fn cpu_ns() -> u64 {
    try_read_ns(OsClock::ThreadCpuTime).expect("the CPU time of this thread")
}

fn sleeps_on(mut wait: impl FnMut() -> Waited) -> Checked {
    start_profiler();
    let (begin, cpu_before_ns) = (Clock::or_system().now(), cpu_ns());
    let waited = wait();
    let cpu_ns = cpu_ns() - cpu_before_ns;
    println!("CPU {} µs {waited:?}", cpu_ns / 1_000);
    ensure(waited.ended >= begin.saturating_add(LENGTH), "never early")?;
    let numbers = [u64::from(waited.sleeps), waited.slept.as_nanos() as u64, cpu_ns];
    ensure_of(waited.sleeps > 32 && waited.failed_sleeps == 0, "interrupted, and not failed", numbers)?;
    ensure_of(waited.slept > LENGTH.mul_f64(0.8), "it slept", numbers)?;
    ensure_of(waited.spun < LENGTH / 10, "it did not spin", numbers)?;
    ensure_of(cpu_ns < waited.slept.as_nanos() as u64 / 10 * 8, "nor did anything below it", numbers)
}

#[test]
fn a_profiler_does_not_let_a_pauser_spin() {
    in_fresh_process(here!(a_profiler_does_not_let_a_pauser_spin), || {
        holds_in_child(|| sleeps_on(|| Pauser::new().pause(LENGTH)));
        holds_in_child(|| sleeps_on(|| Pauser::new().pause_or(LENGTH, &Cancel::new())));
    });
}

#[test]
fn a_profiler_does_not_let_a_sleep_spin() {
    in_fresh_process(here!(a_profiler_does_not_let_a_sleep_spin), || {
        holds_in_child(|| sleeps_on(|| pause::sleep(LENGTH)));
    });
}

#[test]
fn where_sleeping_is_forbidden_waits_are_on_time_and_say_so() {
    in_fresh_process(here!(where_sleeping_is_forbidden_waits_are_on_time_and_say_so), || {
        holds_in_child(|| {
            let mut pauser = Pauser::new();
            pauser.calibrate();
            if !refuse(&[libc::SYS_clock_nanosleep, libc::SYS_nanosleep, libc::SYS_futex]) {
                eprintln!("{SKIPPED}the filter is not written for this architecture");
                return Ok(());
            }
            let length = Duration::from_millis(2);
            let mut waits: [&mut dyn FnMut() -> Waited; 3] =
                [&mut || pause::sleep(length), &mut || pause::hybrid(length, Duration::from_micros(50)), &mut || {
                    pauser.pause(length)
                }];
            for wait in &mut waits {
                forbidden(length, wait)?;
            }
            let never = Cancel::new();
            forbidden(length, &mut || pauser.pause_or(length, &never))?;
            forbidden(length, &mut || Pauser::new().pause(length))
        });
    });
}

fn forbidden(length: Duration, wait: &mut dyn FnMut() -> Waited) -> Checked {
    let begin = Clock::or_system().now();
    let waited = wait();
    ensure(waited.ended >= begin.saturating_add(length), "never early")?;
    let numbers = [u64::from(waited.sleeps), u64::from(waited.failed_sleeps), 0];
    ensure_of(waited.sleeps == 0 && waited.slept.is_zero(), "no sleep", numbers)?;
    ensure_of((1..10).contains(&waited.failed_sleeps), "said, and given up", numbers)
}

/// Waits shorter than a sleep takes, for half a second and more.
struct ShortWaits {
    sleeps: u32,
    /// The share of the time that was spent in waits. An emulated CPU spends much of it between them.
    share: f64,
}

impl ShortWaits {
    fn made_by(pauser: &mut Pauser) -> Self {
        let clock = Clock::or_system();
        let begin = clock.now();
        let (mut sleeps, mut kept) = (0, Duration::ZERO);
        loop {
            let before = clock.now();
            let waited = pauser.pause(Duration::from_nanos(4_900));
            sleeps += waited.sleeps;
            kept += waited.ended.saturating_duration_since(before);
            let elapsed = waited.ended.saturating_duration_since(begin);
            if elapsed > Duration::from_millis(700) {
                return Self { sleeps, share: kept.as_secs_f64() / elapsed.as_secs_f64() };
            }
        }
    }

    fn all_spun(&self) -> bool {
        self.sleeps == 0
    }

    /// Whether some slept, as they must once they have kept the CPU for four fifths of the time and 50 ms.
    fn were_limited(&self) -> bool {
        // As much again is lost before the wait begins to count: 0.89 is left, and 0.87 is the limit.
        if self.share < 0.945 {
            eprintln!("{SKIPPED}waits are {:.0} % of the time: too little to be limited", 100.0 * self.share);
            return true;
        }
        self.sleeps > 0
    }
}

#[test]
fn real_time_threads_do_not_spin_all_the_time_whoever_put_them_there() {
    in_fresh_process(here!(real_time_threads_do_not_spin_all_the_time_whoever_put_them_there), || {
        holds_in_child(|| {
            let mut pauser = Pauser::new();
            ensure(ShortWaits::made_by(&mut pauser).all_spun(), "under the usual policy it spins")?;
            let Ok(real_time) = RealTime::enter() else {
                eprintln!("{SKIPPED}no privilege for real-time policies");
                return Ok(());
            };
            ensure(ShortWaits::made_by(&mut pauser).were_limited(), "a guard taken after the pauser was made")?;
            let mut younger = Pauser::new();
            ensure(ShortWaits::made_by(&mut younger).were_limited(), "a guard taken before")?;
            ensure(younger.enter_real_time().is_ok() && younger.enter_real_time().is_ok(), "entered twice")?;
            drop(real_time);
            ensure(ShortWaits::made_by(&mut younger).were_limited(), "its own")?;
            let left = younger.leave_real_time().map_or_else(NotRestored::is_only_reset_on_fork, |()| true);
            ensure(left && !younger.timer().is_real_time(), "left")?;
            ensure(
                ShortWaits::made_by(&mut younger).all_spun() && ShortWaits::made_by(&mut pauser).all_spun(),
                "no limit after that",
            )?;
            let priority = libc::sched_param { sched_priority: 1 };
            // SAFETY: the kernel reads `priority`; 0 is the calling thread.
            let set = unsafe { libc::sched_setscheduler(0, libc::SCHED_RR | libc::SCHED_RESET_ON_FORK, &priority) };
            ensure(set == 0 && ShortWaits::made_by(&mut pauser).were_limited(), "put there by itself")
        });
    });
}
