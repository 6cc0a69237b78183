//! The switch by which an operator keeps a process from the kernel's data.

use std::eprintln;

use super::check::{Checked, check_every_kind, check_every_kind_by_system_call, ensure, reads_counter};
use super::child::{holds_in_child, is_skipped_without_counter};
use super::fresh::{SKIPPED, in_fresh_process, in_fresh_process_with};
use super::here;
use crate::os::{CounterAccess, set_counter_access};
use crate::{Clock, Distrust, Reason};

const VARIABLE: &str = "CHRONOSCOPE_CLOCK";

fn check_switched_off() -> Checked {
    for _ in 0..2 {
        check_every_kind()?;
        ensure(Clock::trusted().map_err(Distrust::reason) == Err(Reason::SwitchedOff), "the reason is told")?;
        Clock::warm_up();
    }
    Ok(())
}

fn set(value: Option<&str>) {
    // SAFETY: this process has one thread.
    unsafe {
        match value {
            Some(value) => std::env::set_var(VARIABLE, value),
            None => std::env::remove_var(VARIABLE),
        }
    }
}

#[test]
fn the_environment_at_the_start_switches_off_whatever_becomes_of_it() {
    in_fresh_process_with(
        here!(the_environment_at_the_start_switches_off_whatever_becomes_of_it),
        Some((VARIABLE, "system")),
        || {
            set(None);
            holds_in_child(check_switched_off);
            set(Some("other"));
            holds_in_child(check_switched_off);
        },
    );
}

#[test]
fn where_the_counter_is_forbidden_it_stays_unread() {
    in_fresh_process_with(here!(where_the_counter_is_forbidden_it_stays_unread), Some((VARIABLE, "system")), || {
        if let Err(unavailable) = set_counter_access(CounterAccess::Allowed) {
            return eprintln!("{SKIPPED}{unavailable}");
        }
        for switches_itself in [false, true] {
            holds_in_child(move || {
                set_counter_access(CounterAccess::Faults).expect("as it was allowed");
                check_every_kind_by_system_call()?;
                if switches_itself {
                    Clock::use_system();
                }
                Clock::warm_up();
                check_every_kind_by_system_call()
            });
        }
    });
}

#[test]
fn another_value_and_one_that_is_set_later_switch_nothing() {
    in_fresh_process_with(
        here!(another_value_and_one_that_is_set_later_switch_nothing),
        Some((VARIABLE, "systems")),
        || {
            if !is_skipped_without_counter() {
                set(Some("system"));
                holds_in_child(|| ensure(reads_counter(), "the counter is read"));
            }
        },
    );
}

#[test]
fn a_program_may_switch_off_before_the_first_read_or_after() {
    in_fresh_process(here!(a_program_may_switch_off_before_the_first_read_or_after), || {
        for reads_before in [false, true] {
            holds_in_child(move || {
                if reads_before {
                    check_every_kind()?;
                }
                Clock::use_system();
                check_switched_off()
            });
        }
    });
}
