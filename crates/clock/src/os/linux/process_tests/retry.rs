//! A first read that fails for a reason that passes.

use core::time::Duration;
use std::assert_eq;
use std::thread::sleep;

use super::check::{Checked, check_every_kind, ensure, reads_counter};
use super::child::{holds_in_child, is_skipped_without_counter};
use super::fresh::in_fresh_process;
use super::here;
use crate::Clock;

/// Lets this process open no file more, or as many as it may.
fn allow_files(are_allowed: bool) {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is valid for both calls.
    unsafe {
        assert_eq!(libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit), 0);
        limit.rlim_cur = if are_allowed { limit.rlim_max } else { 0 };
        assert_eq!(libc::setrlimit(libc::RLIMIT_NOFILE, &limit), 0);
    }
}

fn fail_first(then: fn() -> Checked) -> Checked {
    allow_files(false);
    check_every_kind()?;
    ensure(!reads_counter(), "no file can be opened")?;
    allow_files(true);
    then()
}

#[test]
fn a_process_out_of_files_at_its_first_read_is_not_slow_for_ever() {
    in_fresh_process(here!(a_process_out_of_files_at_its_first_read_is_not_slow_for_ever), || {
        if is_skipped_without_counter() {
            return;
        }
        holds_in_child(|| {
            fail_first(|| {
                sleep(Duration::from_millis(1_100));
                check_every_kind()?;
                ensure(reads_counter(), "the data are found")
            })
        });
        // To a sandbox that comes later, no read makes a system call.
        holds_in_child(|| {
            fail_first(|| {
                allow_files(false);
                Clock::warm_up();
                allow_files(true);
                sleep(Duration::from_millis(1_100));
                check_every_kind()?;
                ensure(!reads_counter(), "nothing is opened after a warm-up")?;
                Clock::warm_up();
                ensure(reads_counter(), "but by the next")
            })
        });
    });
}
