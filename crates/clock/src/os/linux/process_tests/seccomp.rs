//! A sandbox entered after `warm_up()`: any system call other than to write or to exit is fatal.

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::{assert, assert_eq, eprintln, thread_local, vec::Vec};

use super::check::{KINDS, check_every_kind, ensure, ensure_of};
use super::child::{Ended, holds_in_child, in_child, is_skipped_without_counter};
use super::fresh::{SKIPPED, in_fresh_process};
use super::here;
use crate::exact::{Effort, Exact, Machine, NotLocated, ThisMachine, Words};
use crate::os::{KernelPage, Located, Seal, monotonic_ns, read_by_system_call_ns};
use crate::trust::RateSource;
use crate::{BootId, Clock};

/// AUDIT_ARCH of linux/audit.h.
const ARCHITECTURE: Option<u32> = if cfg!(target_arch = "x86_64") {
    Some(0xC000_003E)
} else if cfg!(target_arch = "aarch64") {
    Some(0xC000_00B7)
} else {
    None
};
const READS: u32 = 1_000_000;

const fn instruction(code: u32, k: u32, jt: u8, jf: u8) -> libc::sock_filter {
    libc::sock_filter { code: code as u16, jt, jf, k }
}

/// Kills the process at every system call except those that a test needs to finish.
fn enter_sandbox(architecture: u32) {
    let allowed = [libc::SYS_write, libc::SYS_exit, libc::SYS_exit_group, libc::SYS_rt_sigreturn];
    install(architecture, &allowed, libc::SECCOMP_RET_ALLOW, libc::SECCOMP_RET_KILL_PROCESS);
}

/// Lets the calls `numbers` of this process fail with EPERM from now on. False where the filter is not written for this machine.
pub(super) fn refuse(numbers: &[libc::c_long]) -> bool {
    let refused = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
    ARCHITECTURE.map(|architecture| install(architecture, numbers, refused, libc::SECCOMP_RET_ALLOW)).is_some()
}

/// Does `to_these` at the calls `numbers`, and `to_others` at all others.
fn install(architecture: u32, numbers: &[libc::c_long], to_these: u32, to_others: u32) {
    const LOAD: u32 = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
    const IF_EQUAL: u32 = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
    const RETURN: u32 = libc::BPF_RET | libc::BPF_K;
    let mut filter: Vec<libc::sock_filter> = std::vec![
        instruction(LOAD, 4, 0, 0), // the architecture
        instruction(IF_EQUAL, architecture, 1, 0),
        instruction(RETURN, libc::SECCOMP_RET_KILL_PROCESS, 0, 0),
        instruction(LOAD, 0, 0, 0), // the number
    ];
    for number in numbers {
        filter.push(instruction(IF_EQUAL, *number as u32, 0, 1));
        filter.push(instruction(RETURN, to_these, 0, 0));
    }
    filter.push(instruction(RETURN, to_others, 0, 0));
    let description = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: takes numbers alone; without it an unprivileged process may not install a filter.
    assert_eq!(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }, 0);
    let mode = libc::SECCOMP_SET_MODE_FILTER;
    // SAFETY: the description points to `filter`, which lives through the call and has `len` instructions.
    assert_eq!(unsafe { libc::syscall(libc::SYS_seccomp, mode, 0, &raw const description) }, 0);
}

/// The architecture for the filter, on a machine where the test can be done.
fn sandboxed_architecture() -> Option<u32> {
    if ARCHITECTURE.is_none() {
        eprintln!("{SKIPPED}the filter is not written for this architecture");
    }
    ARCHITECTURE.filter(|_| !is_skipped_without_counter())
}

#[test]
fn reads_make_no_system_call() {
    in_fresh_process(here!(reads_make_no_system_call), || {
        let Some(architecture) = sandboxed_architecture() else { return };
        for kind in KINDS {
            holds_in_child(move || {
                Clock::warm_up();
                enter_sandbox(architecture);
                // The brackets are `clock_gettime`'s on the vDSO: no system call either.
                for read in 0..READS / kind.reads {
                    if read % 16 == 0 { kind.check()? } else { _ = (kind.read)() }
                }
                Ok(())
            });
        }
        let ended = in_child(|| {
            Clock::warm_up();
            enter_sandbox(architecture);
            let ns = read_by_system_call_ns::<{ libc::CLOCK_MONOTONIC }>();
            ensure(ns == 0, "no sandbox")
        });
        assert_eq!(ended, Ended::BySignal(libc::SIGSYS), "the sandbox kills");
    });
}

/// So that instants can be serialised there, one by one.
#[test]
fn who_knows_its_boot_asks_no_more() {
    in_fresh_process(here!(who_knows_its_boot_asks_no_more), || {
        let Some(architecture) = sandboxed_architecture() else { return };
        holds_in_child(move || {
            Clock::warm_up();
            let boot = BootId::current();
            ensure(boot.is_ok(), "the boot is known")?;
            enter_sandbox(architecture);
            for _ in 0..READS / 100 {
                ensure(BootId::current() == boot, "and stays known")?;
            }
            #[cfg(feature = "serde")]
            for _ in 0..READS / 1_000 {
                let now = Clock::or_system().now();
                let text = serde_json::to_string(&now).unwrap_or_default();
                ensure(serde_json::from_str(&text).is_ok_and(|told: crate::Instant| told == now), "there and back")?;
            }
            Ok(())
        });
    });
}

#[test]
fn a_first_read_that_nothing_was_done_ahead_for_is_killed() {
    in_fresh_process(here!(a_first_read_that_nothing_was_done_ahead_for_is_killed), || {
        let Some(architecture) = sandboxed_architecture() else { return };
        let ended = in_child(|| {
            enter_sandbox(architecture);
            check_every_kind()
        });
        assert_eq!(ended, Ended::BySignal(libc::SIGSYS));
    });
}

/// This machine with a page of our own for the kernel's, so that the kernel can be stopped in its update.
#[derive(Debug)]
struct Stalled;

/// Sequence and mode, `cycle_last`, mask, mult and shift, the base of two clocks: what the search takes for data.
static PAGE: [AtomicU64; 512] = {
    let mut page = [const { AtomicU64::new(0) }; 512];
    page[0] = AtomicU64::new(EVEN);
    page[2] = AtomicU64::new(u64::MAX);
    page[3] = AtomicU64::new(24 << 32 | 6_710_892);
    page
};
const EVEN: u64 = 1 << 32 | 8;
const ODD: u64 = EVEN + 1;
const ANOTHER_CLOCKSOURCE: u64 = 10;
static CODE: [AtomicU64; 2] = [const { AtomicU64::new(0x5a5a) }; 2];
/// While the data are checked every time is right.
static IS_CHECKED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static IS_AFTER: core::cell::Cell<bool> = const { core::cell::Cell::new(false) };
}

impl Machine for Stalled {
    fn counter<const ORDERED: bool>(&self, self_ordered: bool) -> u64 {
        ThisMachine.counter::<ORDERED>(self_ordered)
    }

    fn has_self_ordered(&self) -> bool {
        ThisMachine.has_self_ordered()
    }

    fn system_ns(&self) -> u64 {
        if IS_CHECKED.load(Relaxed) {
            return monotonic_ns();
        }
        if IS_AFTER.replace(!IS_AFTER.get()) { u64::MAX } else { 0 }
    }

    fn system_call_ns(&self) -> u64 {
        ThisMachine.system_call_ns()
    }

    fn realtime_ns(&self) -> u64 {
        ThisMachine.realtime_ns()
    }

    fn realtime_by_system_call_ns(&self) -> u64 {
        ThisMachine.realtime_by_system_call_ns()
    }

    fn may_read_counter(&self) -> bool {
        true
    }

    fn locate(&self, _effort: Effort) -> Result<Located, NotLocated> {
        let code = KernelPage::of_test(&CODE);
        Ok(Located {
            page: KernelPage::of_test(&PAGE),
            hypervisors: None,
            code,
            seal: Seal::of(code).unwrap(),
            self_ordered: false,
        })
    }
}

#[test]
fn reads_make_no_system_call_while_the_kernel_is_stopped_in_its_update() {
    in_fresh_process(here!(reads_make_no_system_call_while_the_kernel_is_stopped_in_its_update), || {
        let Some(architecture) = sandboxed_architecture() else { return };
        // Each read of stopped data looks at them 64 times.
        for (state, reads) in [(ODD, READS / 50), (ANOTHER_CLOCKSOURCE, READS)] {
            holds_in_child(move || {
                let clock = Exact::new(Stalled);
                clock.look_again();
                IS_CHECKED.store(true, Relaxed);
                ensure(clock.take::<true>().source == RateSource::KernelData, "our page is used")?;
                enter_sandbox(architecture);
                PAGE[0].store(state, Relaxed);
                for _ in 0..reads {
                    let before = monotonic_ns();
                    let shown = [clock.read::<true>(), clock.read::<false>(), clock.take::<true>().ns];
                    let after = monotonic_ns();
                    let is_right = before <= shown[0] && shown.is_sorted() && shown[2] <= after;
                    ensure_of(is_right, "a slow read", shown)?;
                }
                ensure(clock.take::<true>().source == RateSource::SystemClock, "every one was slow")
            });
        }
        assert!(KernelPage::of_test(&PAGE).word(0) == EVEN, "nothing was done in this process itself");
    });
}
