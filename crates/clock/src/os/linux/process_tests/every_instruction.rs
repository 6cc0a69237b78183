//! A signal at every single instruction: the processor's trap flag, set by one handler, brings SIGTRAP after each.

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::println;

use super::check::{Checked, FirstWrong, KINDS, ReadKind, check_every_kind, ensure_of};
use super::child::{Child, Ended, holds_in_child, is_skipped_without_counter};
use super::fresh::in_fresh_process;
use super::{here, signal};
use crate::Clock;
use crate::exact::{Step, at_step};

/// TF of the flags register.
const TRAP: i64 = 0x100;
/// Instructions stepped through in each read, and after each step of locating the data.
const STEPPED: u64 = 3_000;
/// Instructions of a read among which every so many-th is the last that is stepped through, so that the rest of the read
/// is fast enough to see the same state of the kernel's data.
const STEPPED_BRIEFLY: u64 = 700;
const APART: usize = 7;
/// Instructions between two forks.
const FORK_EVERY: u64 = 97;

/// Instructions still to be stepped through.
static LEFT: AtomicU64 = AtomicU64::new(0);
static STEPS: AtomicU64 = AtomicU64::new(0);
static WRONG: FirstWrong = FirstWrong::new();
static DOES_FORK: AtomicBool = AtomicBool::new(false);
static IS_FORKED: AtomicBool = AtomicBool::new(false);
static FORKS: AtomicU64 = AtomicU64::new(0);
static FORKS_WELL: AtomicU64 = AtomicU64::new(0);

fn change_flags(context: *mut libc::c_void, change: impl FnOnce(i64) -> i64) {
    // SAFETY: the third argument of such a handler is the context that is restored when it returns; nobody else uses it.
    let context = unsafe { &mut *context.cast::<libc::ucontext_t>() };
    let flags = &mut context.uc_mcontext.gregs[libc::REG_EFL as usize];
    *flags = change(*flags);
}

extern "C" fn begin(_: libc::c_int, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    if LEFT.load(Relaxed) > 0 {
        change_flags(context, |flags| flags | TRAP);
    }
}

extern "C" fn stepped(_: libc::c_int, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let left = LEFT.load(Relaxed);
    if left == 0 {
        return change_flags(context, |flags| flags & !TRAP);
    }
    LEFT.store(left - 1, Relaxed);
    let step = STEPS.fetch_add(1, Relaxed);
    if !DOES_FORK.load(Relaxed) {
        let kind = KINDS[step as usize % KINDS.len()];
        return if kind.reads == 1 {
            WRONG.note(kind.check())
        };
    }
    if step % FORK_EVERY != 0 {
        return;
    }
    FORKS.fetch_add(1, Relaxed);
    match Child::forked() {
        Some(child) => _ = FORKS_WELL.fetch_add((child.end() == Ended::Well).into(), Relaxed),
        None => {
            // It reads here, and then continues with the interrupted work at full speed.
            IS_FORKED.store(true, Relaxed);
            LEFT.store(0, Relaxed);
            WRONG.note(check_every_kind());
            change_flags(context, |flags| flags & !TRAP);
        }
    }
}

fn prepare() {
    signal::on(libc::SIGUSR1, begin);
    signal::on(libc::SIGTRAP, stepped);
}

/// From here, there is a SIGTRAP after each of `instructions` instructions.
fn step_through(instructions: u64) {
    LEFT.store(instructions, Relaxed);
    signal::raise(libc::SIGUSR1);
}

/// Checks a read while the handler checks others within its first instructions.
fn check_stepped(kind: &ReadKind, instructions: u64) -> Checked {
    step_through(instructions);
    let checked = kind.check();
    LEFT.store(0, Relaxed);
    checked?;
    WRONG.checked()
}

#[test]
fn a_handler_reads_within_every_instruction_of_every_read() {
    in_fresh_process(here!(a_handler_reads_within_every_instruction_of_every_read), || {
        prepare();
        holds_in_child(|| {
            Clock::warm_up();
            for kind in KINDS {
                let before = STEPS.load(Relaxed);
                check_stepped(&kind, STEPPED)?;
                let steps = STEPS.load(Relaxed) - before;
                println!("{}: {steps} instructions", kind.name);
                ensure_of(steps > 100, kind.name, [steps, 0, 0])?;
            }
            for instructions in (0..STEPPED_BRIEFLY).step_by(APART) {
                check_stepped(&KINDS[0], instructions)?;
            }
            Ok(())
        });
    });
}

#[test]
fn a_handler_forks_and_reads_anywhere_in_the_first_read() {
    in_fresh_process(here!(a_handler_forks_and_reads_anywhere_in_the_first_read), || {
        if is_skipped_without_counter() {
            return;
        }
        prepare();
        holds_in_child(|| {
            DOES_FORK.store(true, Relaxed);
            at_step(|_| {
                if !IS_FORKED.load(Relaxed) {
                    step_through(STEPPED);
                }
            });
            KINDS[0].check()?;
            LEFT.store(0, Relaxed);
            at_step(|_| {});
            WRONG.checked()?;
            check_every_kind()?;
            if IS_FORKED.load(Relaxed) {
                return Ok(());
            }
            let (forks, well) = (FORKS.load(Relaxed), FORKS_WELL.load(Relaxed));
            println!("{forks} forks within {} instructions", STEPS.load(Relaxed));
            ensure_of(forks > Step::ALL.len() as u64 && well == forks, "all children were well", [forks, well, 0])
        });
    });
}
