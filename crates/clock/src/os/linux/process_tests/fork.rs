//! Forks: under threads that read, and at every step of locating the kernel's data.

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::{assert, assert_eq, thread};

use super::check::{FirstWrong, KINDS, check_every_kind, check_reads, ensure, ensure_of};
use super::child::{Ended, holds_in_child, in_child, is_skipped_without_counter};
use super::fresh::in_fresh_process;
use super::{here, signal};
use crate::exact::{Step, at_step};
use crate::{Clock, RateSource};

const CHILDREN: u32 = 500;
const READERS: u32 = 3;

#[test]
fn a_child_is_right_at_its_first_read() {
    in_fresh_process(here!(a_child_is_right_at_its_first_read), || {
        if is_skipped_without_counter() {
            return;
        }
        static HAS_LOOKED: AtomicBool = AtomicBool::new(false);
        static WRONG: FirstWrong = FirstWrong::new();
        let is_over = AtomicBool::new(false);
        Clock::warm_up();
        at_step(|_| HAS_LOOKED.store(true, Relaxed));
        thread::scope(|scope| {
            for reader in 0..READERS {
                let is_over = &is_over;
                scope.spawn(move || {
                    while !is_over.load(Relaxed) {
                        WRONG.note(check_reads());
                        if reader == 0 {
                            Clock::warm_up();
                        }
                    }
                });
            }
            for child in 0..CHILDREN {
                // Each kind comes first in some.
                let first = KINDS[child as usize % KINDS.len()];
                let ended = in_child(|| {
                    first.check()?;
                    let source = Clock::or_system().trust().rate_source;
                    ensure(source != RateSource::SystemClock || !is_steady(), "the counter is read")?;
                    check_every_kind()?;
                    ensure(!HAS_LOOKED.load(Relaxed), "nothing had to be found out again")
                });
                assert_eq!(ended, Ended::Well, "child {child}");
            }
            is_over.store(true, Relaxed);
        });
        WRONG.checked().unwrap();
    });
}

/// Whether the kernel is not just changing its data, which makes a single reading the system's.
fn is_steady() -> bool {
    (0..1_000).any(|_| Clock::or_system().trust().rate_source != RateSource::SystemClock)
}

static FORKS: AtomicU64 = AtomicU64::new(0);
static WRONG: FirstWrong = FirstWrong::new();

/// Forks here; both read.
fn fork_and_check() {
    let ended = in_child(|| {
        check_every_kind()?;
        Clock::warm_up();
        check_every_kind()
    });
    if ended == Ended::Well {
        FORKS.fetch_add(1, Relaxed);
    }
    WRONG.note(check_every_kind());
}

extern "C" fn forking_handler(_: libc::c_int, _: *mut libc::siginfo_t, _: *mut libc::c_void) {
    fork_and_check();
}

fn fork_in_handler() {
    signal::raise(libc::SIGUSR1);
}

#[test]
fn a_fork_at_every_step_of_finding_out_leaves_both_right() {
    in_fresh_process(here!(a_fork_at_every_step_of_finding_out_leaves_both_right), || {
        if is_skipped_without_counter() {
            return;
        }
        signal::on(libc::SIGUSR1, forking_handler);
        let ways: [fn(); 2] = [fork_and_check, fork_in_handler];
        for (step, way, is_first_use) in
            Step::ALL.into_iter().flat_map(|step| ways.map(|way| [(step, way, true), (step, way, false)])).flatten()
        {
            holds_in_child(move || {
                if !is_first_use {
                    Clock::warm_up();
                }
                let mut is_done = false;
                at_step(move |at| {
                    if at == step && !core::mem::replace(&mut is_done, true) {
                        way();
                    }
                });
                if is_first_use {
                    KINDS[0].check()?;
                } else {
                    Clock::warm_up();
                }
                at_step(|_| {});
                ensure_of(FORKS.load(Relaxed) == 1, "one child, and well", [step as u64, 0, 0])?;
                WRONG.checked()?;
                check_every_kind()
            });
        }
        assert!(FORKS.load(Relaxed) == 0, "nothing was done in this process itself");
    });
}
