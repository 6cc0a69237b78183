//! A process that is forbidden to read the counter: `PR_SET_TSC`.

use std::{assert_eq, eprintln, thread};

use super::check::{Checked, check_every_kind, check_every_kind_by_system_call, ensure, reads_counter};
use super::child::{Ended, holds_in_child, in_child, is_skipped_without_counter};
use super::fresh::{SKIPPED, in_fresh_process};
use super::here;
use crate::os::{CounterAccess, monotonic_ns, set_counter_access};
use crate::{Clock, Reason};

fn is_skipped() -> bool {
    if let Err(unavailable) = set_counter_access(CounterAccess::Allowed) {
        eprintln!("{SKIPPED}{unavailable}");
        return true;
    }
    is_skipped_without_counter()
}

fn forbid() {
    set_counter_access(CounterAccess::Faults).expect("there is the switch");
}

/// Reads by the system call, and by the counter once that is allowed and located.
fn check_until_allowed_again() -> Checked {
    check_every_kind_by_system_call()?;
    set_counter_access(CounterAccess::Allowed).expect("there is the switch");
    Clock::warm_up();
    ensure(reads_counter(), "the counter is read again")?;
    check_every_kind()
}

#[test]
fn the_first_read_is_the_system_call_and_the_counter_may_come_later() {
    in_fresh_process(here!(the_first_read_is_the_system_call_and_the_counter_may_come_later), || {
        if is_skipped() {
            return;
        }
        holds_in_child(|| {
            forbid();
            check_every_kind_by_system_call()?;
            let reason = Clock::trusted().map_err(crate::Distrust::reason);
            ensure(reason == Err(Reason::CounterForbidden), "the reason is told")?;
            Clock::warm_up();
            check_until_allowed_again()
        });
    });
}

#[test]
fn to_forbid_it_later_ends_as_it_does_for_the_system() {
    in_fresh_process(here!(to_forbid_it_later_ends_as_it_does_for_the_system), || {
        if is_skipped() {
            return;
        }
        let reads: [fn(); 2] = [
            || {
                monotonic_ns();
            },
            || {
                let _ = Clock::or_system().now();
            },
        ];
        for read in reads {
            let ended = in_child(move || {
                check_every_kind()?;
                let thread = thread::spawn(move || {
                    forbid();
                    read();
                });
                ensure(thread.join().is_ok(), "the thread lives")
            });
            assert_eq!(ended, Ended::BySignal(libc::SIGSEGV));
        }
    });
}

#[test]
fn to_look_again_helps_where_it_was_forbidden_later() {
    in_fresh_process(here!(to_look_again_helps_where_it_was_forbidden_later), || {
        if is_skipped() {
            return;
        }
        holds_in_child(|| {
            let _ = Clock::or_system().now();
            forbid();
            Clock::warm_up();
            check_until_allowed_again()
        });
    });
}
