//! A first read in a process that can open no file.

use super::check::{check_every_kind, ensure, reads_counter};
use super::child::{forbid_files, holds_in_child, is_skipped_without_counter};
use super::fresh::in_fresh_process;
use super::here;
use crate::Clock;

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
