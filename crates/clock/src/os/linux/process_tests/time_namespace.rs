//! Time namespaces: the system adds their offsets.

use core::sync::atomic::Ordering::Relaxed;
use std::sync::OnceLock;
use std::{assert_eq, eprintln, format, fs, io};

use super::check::{Checked, check_every_kind, ensure, ensure_of};
use super::child::{Ended, end, holds_in_child, in_child, is_skipped_without_counter};
use super::fresh::{SKIPPED, in_fresh_process};
use super::here;
use super::shared::Shared;
use crate::{BootId, Clock, Reason};

const OFFSET_S: u64 = 86_400;
const NOT_PERMITTED: i32 = 9;

/// Lets the children that this process starts from now on live so far ahead.
fn put_children_ahead(offset_s: u64) -> io::Result<()> {
    // As root, or as the root of a namespace of one's own.
    // SAFETY: takes a number.
    let is_done = unsafe { libc::unshare(libc::CLONE_NEWTIME) } == 0
        // SAFETY: as above; this process has one thread.
        || unsafe { libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWTIME) } == 0;
    if !is_done {
        return Err(io::Error::last_os_error());
    }
    fs::write("/proc/self/timens_offsets", format!("monotonic {offset_s} 0\n"))
}

/// Runs `inside` in a child of a process that has run `before` and entered a time namespace a day ahead.
fn check_inside(before: fn() -> Checked, inside: fn() -> Checked) {
    check_inside_one_ahead_by(OFFSET_S, before, inside);
}

fn check_inside_one_ahead_by(offset_s: u64, before: fn() -> Checked, inside: fn() -> Checked) {
    let shared = Shared::new();
    let ended = in_child(|| {
        before()?;
        if let Err(error) = put_children_ahead(offset_s) {
            eprintln!("{SKIPPED}no time namespace: {error}");
            end(NOT_PERMITTED);
        }
        shared.number(0).store(crate::os::monotonic_ns(), Relaxed);
        holds_in_child(|| {
            inside()?;
            let (outside_ns, inside_ns) = (shared.number(0).load(Relaxed), Clock::or_system().now().to_bits());
            let ahead_s = inside_ns.saturating_sub(outside_ns) / 1_000_000_000;
            ensure_of(ahead_s >= offset_s, "as far ahead", [outside_ns, inside_ns, 0])
        });
        Ok(())
    });
    if ended != Ended::WithCode(NOT_PERMITTED) {
        assert_eq!(ended, Ended::Well);
    }
}

fn check_and_give_the_reason() -> Checked {
    check_every_kind()?;
    let reason = Clock::trusted().map_err(crate::Distrust::reason);
    ensure(reason == Err(Reason::TimeNamespace), "the reason is told")?;
    Clock::warm_up();
    check_every_kind()?;
    let reason = Clock::trusted().map_err(crate::Distrust::reason);
    ensure(reason == Err(Reason::TimeNamespace), "the reason is told again")
}

#[test]
fn a_child_in_one_is_right_at_once_though_its_parent_has_read() {
    in_fresh_process(here!(a_child_in_one_is_right_at_once_though_its_parent_has_read), || {
        if !is_skipped_without_counter() {
            check_inside(check_every_kind, check_and_give_the_reason);
        }
    });
}

#[test]
fn a_first_read_in_one_is_right() {
    in_fresh_process(here!(a_first_read_in_one_is_right), || {
        if !is_skipped_without_counter() {
            check_inside(|| Ok(()), check_and_give_the_reason);
        }
    });
}

/// Its data show the right time, but need not be there when the process leaves it.
#[test]
fn a_first_read_in_one_that_shows_the_same_time_is_the_systems_too() {
    in_fresh_process(here!(a_first_read_in_one_that_shows_the_same_time_is_the_systems_too), || {
        if !is_skipped_without_counter() {
            check_inside_one_ahead_by(0, || Ok(()), check_and_give_the_reason);
        }
    });
}

/// Where the parent was, which its children inherit.
static OUTSIDE: OnceLock<BootId> = OnceLock::new();

fn note_where_this_is() -> Checked {
    Clock::warm_up(); // so that it need not ask the system
    let boot = BootId::current();
    ensure(boot == BootId::current(), "a process has one id")?;
    ensure(boot.is_ok_and(|boot| OUTSIDE.set(boot).is_ok()), "a process can tell where it is")
}

fn check_it_is_elsewhere() -> Checked {
    let (outside, inside) = (OUTSIDE.get().copied(), BootId::current().ok());
    ensure(inside.is_some() && inside == BootId::current().ok(), "a namespace has one id")?;
    ensure(inside != outside, "a namespace is told from the one outside, though the parent had asked")?;
    let is_same_boot = outside.zip(inside).is_some_and(|(outside, inside)| outside.is_same_boot(inside));
    ensure(is_same_boot, "the boot is the same")?;
    #[cfg(feature = "serde")]
    if let Some(outside) = outside {
        let instant_outside = format!(r#"{{"boot":"{outside}","ns":1}}"#);
        let is_refused = serde_json::from_str::<crate::Instant>(&instant_outside).is_err();
        ensure(is_refused, "an instant from outside is refused inside")?;
    }
    Ok(())
}

#[test]
fn an_instant_is_not_carried_into_one() {
    in_fresh_process(here!(an_instant_is_not_carried_into_one), || {
        check_inside(note_where_this_is, check_it_is_elsewhere);
    });
}
