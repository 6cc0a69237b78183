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
    let mut timed = || (Clock::or_system().now(), wait());
    let (mut begin, mut waited) = timed();
    // On a busy machine the time may have passed before the wait begins: then there is nothing to sleep for.
    while waited.spun.is_zero() {
        (begin, waited) = timed();
    }
    ensure(waited.ended >= begin.saturating_add(length), "never early")?;
    let numbers = [u64::from(waited.sleeps), u64::from(waited.failed_sleeps), 0];
    ensure_of(waited.sleeps == 0 && waited.slept.is_zero(), "no sleep", numbers)?;
    ensure_of((1..10).contains(&waited.failed_sleeps), "said, and given up", numbers)
}

/// Waits shorter than a sleep takes, for half a second and more.
struct ShortWaits {
    sleeps: u32,
    /// The share of the time that was spun, at most what the pauser counts. An emulated CPU, or a build without
    /// optimisation, spends much of it between waits.
    share: f64,
}

impl ShortWaits {
    fn made_by(pauser: &mut Pauser) -> Self {
        let begin = Clock::or_system().now();
        let (mut sleeps, mut spun) = (0, Duration::ZERO);
        loop {
            let waited = pauser.pause(Duration::from_nanos(4_900));
            sleeps += waited.sleeps;
            spun += waited.spun;
            let elapsed = waited.ended.saturating_duration_since(begin);
            if elapsed > Duration::from_millis(700) {
                return Self { sleeps, share: spun.as_secs_f64() / elapsed.as_secs_f64() };
            }
        }
    }

    fn all_spun(&self) -> Checked {
        ensure_of(self.sleeps == 0, "all are spun", self.numbers())
    }

    /// Whether some slept, as they must once they have kept the CPU for four fifths of the time and 50 ms.
    fn were_limited(&self) -> Checked {
        // In 700 ms, 0.87 is too much.
        if self.sleeps == 0 && self.share < 0.88 {
            eprintln!("{SKIPPED}waits are {:.0} % of the time: too little to be limited", 100.0 * self.share);
            return Ok(());
        }
        ensure_of(self.sleeps > 0, "some sleep", self.numbers())
    }

    /// Sleeps, and thousandths of the time.
    fn numbers(&self) -> [u64; 3] {
        [u64::from(self.sleeps), (1_000.0 * self.share) as u64, 0]
    }
}

#[test]
fn real_time_threads_do_not_spin_all_the_time_whoever_put_them_there() {
    in_fresh_process(here!(real_time_threads_do_not_spin_all_the_time_whoever_put_them_there), || {
        holds_in_child(|| {
            let mut pauser = Pauser::new();
            // Under the usual policy.
            ShortWaits::made_by(&mut pauser).all_spun()?;
            let Ok(real_time) = RealTime::enter() else {
                eprintln!("{SKIPPED}no privilege for real-time policies");
                return Ok(());
            };
            // By a guard taken after the pauser was made, before it, and by its own.
            ShortWaits::made_by(&mut pauser).were_limited()?;
            let mut younger = Pauser::new();
            ShortWaits::made_by(&mut younger).were_limited()?;
            ensure(younger.enter_real_time().is_ok() && younger.enter_real_time().is_ok(), "entered twice")?;
            drop(real_time);
            ShortWaits::made_by(&mut younger).were_limited()?;
            let left = younger.leave_real_time().map_or_else(NotRestored::is_only_reset_on_fork, |()| true);
            ensure(left && !younger.timer().is_real_time(), "left")?;
            ShortWaits::made_by(&mut younger).all_spun()?;
            ShortWaits::made_by(&mut pauser).all_spun()?;
            let priority = libc::sched_param { sched_priority: 1 };
            // SAFETY: the kernel reads `priority`; 0 is the calling thread.
            let set = unsafe { libc::sched_setscheduler(0, libc::SCHED_RR | libc::SCHED_RESET_ON_FORK, &priority) };
            ensure(set == 0, "put there by itself")?;
            ShortWaits::made_by(&mut pauser).were_limited()
        });
    });
}
