//! A timer whose handler reads the clock, and locates the data anew, during anything the main flow does.

use core::ptr;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::{assert_eq, println};

use super::check::{FirstWrong, check_every_kind, check_reads, ensure_of};
use super::child::holds_in_child;
use super::fresh::in_fresh_process;
use super::{here, signal};
use crate::Clock;

/// 5 kHz.
const INTERVAL_US: i64 = 200;
const HANDLED: u64 = 1_500;

static RUNS: AtomicU64 = AtomicU64::new(0);
static WRONG: FirstWrong = FirstWrong::new();

extern "C" fn handler(_: libc::c_int, _: *mut libc::siginfo_t, _: *mut libc::c_void) {
    let run = RUNS.fetch_add(1, Relaxed);
    WRONG.note(check_reads());
    if run % 8 == 0 {
        Clock::warm_up();
        WRONG.note(check_every_kind());
    }
}

fn set_timer(every_us: i64) {
    let time = libc::timeval { tv_sec: 0, tv_usec: every_us as _ };
    let timer = libc::itimerval { it_interval: time, it_value: time };
    // SAFETY: the kernel reads `timer`; nobody wants the old one.
    assert_eq!(unsafe { libc::setitimer(libc::ITIMER_REAL, &timer, ptr::null_mut()) }, 0);
}

#[test]
fn a_handler_reads_at_any_time() {
    in_fresh_process(here!(a_handler_reads_at_any_time), || {
        holds_in_child(|| {
            signal::on(libc::SIGALRM, handler);
            set_timer(INTERVAL_US);
            let mut checks = 0_u64;
            while RUNS.load(Relaxed) < HANDLED {
                check_reads()?;
                Clock::warm_up();
                check_every_kind()?;
                checks += 1;
            }
            set_timer(0);
            println!("{} handlers within {checks} checks", RUNS.load(Relaxed));
            ensure_of(checks > 0, "the main flow went on", [checks, 0, 0])?;
            WRONG.checked()
        });
    });
}
