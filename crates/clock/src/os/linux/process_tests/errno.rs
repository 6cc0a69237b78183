//! Reading the time leaves `errno` unchanged, whatever fails inside.

use std::eprintln;

use super::check::{Checked, KINDS, ensure, ensure_of};
use super::child::{forbid_files, holds_in_child};
use super::fresh::{SKIPPED, in_fresh_process};
use super::here;
use crate::os::{CounterAccess, set_counter_access};
use crate::{Clock, Reason};

/// No error of Linux.
const MARK: i32 = 7_777;

fn set(code: i32) {
    // SAFETY: the C library's variable of this thread.
    unsafe { *libc::__errno_location() = code };
}

fn get() -> i32 {
    // SAFETY: as above.
    unsafe { *libc::__errno_location() }
}

/// Each kind of read as the first of a process, then all of them, and the work ahead.
fn check_in_children(prepare: fn()) {
    for kind in KINDS {
        holds_in_child(move || {
            prepare();
            for first_or_not in 0..3 {
                set(MARK);
                (kind.read)();
                ensure_of(get() == MARK, kind.name, [first_or_not, get() as u64, 0])?;
            }
            Ok(())
        });
    }
    holds_in_child(move || {
        prepare();
        set(MARK);
        Clock::warm_up();
        ensure(get() == MARK, "after warm_up()")?;
        KINDS.iter().try_for_each(|kind| {
            (kind.read)();
            ensure(get() == MARK, kind.name)
        })
    });
}

#[test]
fn it_stays() {
    in_fresh_process(here!(it_stays), || check_in_children(|| {}));
}

#[test]
fn it_stays_where_no_file_can_be_opened() {
    in_fresh_process(here!(it_stays_where_no_file_can_be_opened), || {
        check_in_children(forbid_files);
    });
}

#[test]
fn it_stays_where_the_counter_is_forbidden() {
    in_fresh_process(here!(it_stays_where_the_counter_is_forbidden), || {
        if let Err(unavailable) = set_counter_access(CounterAccess::Allowed) {
            return eprintln!("{SKIPPED}{unavailable}");
        }
        let forbid = || set_counter_access(CounterAccess::Faults).expect("as it was allowed");
        check_in_children(forbid);
        holds_in_child(move || -> Checked {
            forbid();
            let reason = Clock::trusted().map_err(crate::Distrust::reason);
            ensure(reason == Err(Reason::CounterForbidden), "the reason is told")
        });
    });
}
