//! A first read in a process that can open no file.

use std::assert_eq;

use super::check::{check_every_kind, ensure, reads_counter};
use super::child::{holds_in_child, is_skipped_without_counter};
use super::fresh::in_fresh_process;
use super::here;
use crate::Clock;

/// Lets this process open no file more.
fn forbid_files() {
    let limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is valid for the call.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &limit) }, 0);
}

#[test]
fn a_process_out_of_files_reads_the_counter_all_the_same() {
    in_fresh_process(here!(a_process_out_of_files_reads_the_counter_all_the_same), || {
        if is_skipped_without_counter() {
            return;
        }
        holds_in_child(|| {
            forbid_files();
            check_every_kind()?;
            ensure(reads_counter(), "without a file")?;
            Clock::warm_up();
            ensure(reads_counter(), "what was found is kept")
        });
    });
}
