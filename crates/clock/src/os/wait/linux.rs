use core::ptr::{null, null_mut};
use core::sync::atomic::AtomicU32;
use core::time::Duration;

use crate::Unavailable;
use crate::pause::SleepFailed;

#[derive(Debug)]
pub(super) struct Sleeper;

#[allow(clippy::unnecessary_cast)] // the fields' widths differ between targets
fn timespec(ns: u64) -> libc::timespec {
    // Absolute times beyond the type's range are as good as never.
    let seconds = (ns / 1_000_000_000).min(i32::MAX as u64);
    libc::timespec { tv_sec: seconds as _, tv_nsec: (ns % 1_000_000_000) as _ }
}

impl Sleeper {
    pub(super) fn new() -> Self {
        Self
    }

    pub(super) fn sleep_until(&self, deadline_ns: u64, _left: Duration) -> Result<(), SleepFailed> {
        let deadline = timespec(deadline_ns);
        // SAFETY: `deadline` is a valid timespec; with TIMER_ABSTIME nothing is written back.
        match unsafe { libc::clock_nanosleep(libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME, &deadline, null_mut()) } {
            0 | libc::EINTR => Ok(()),
            _ => Err(SleepFailed::because("the kernel or a sandbox refuses clock_nanosleep")),
        }
    }

    /// By a futex: it takes an absolute deadline on CLOCK_MONOTONIC when waiting for any bit (futex(2)).
    pub(super) fn sleep_until_or(
        &self,
        word: &AtomicU32,
        deadline_ns: u64,
        _left: Duration,
    ) -> Result<(), SleepFailed> {
        let deadline = timespec(deadline_ns);
        // SAFETY: `word` is an aligned u32 that outlives the call, which only reads it; `deadline` is a valid timespec.
        let outcome = unsafe {
            libc::syscall(
                libc::SYS_futex,
                word.as_ptr(),
                libc::FUTEX_WAIT_BITSET | libc::FUTEX_PRIVATE_FLAG,
                0_u32,
                &deadline as *const libc::timespec,
                null::<u32>(),
                libc::FUTEX_BITSET_MATCH_ANY,
            )
        };
        // SAFETY: the C library's own variable of this thread, which is valid while the thread runs.
        match unsafe { *libc::__errno_location() } {
            _ if outcome == 0 => Ok(()),
            // The word was changed already, the deadline has come, or a signal.
            libc::EAGAIN | libc::ETIMEDOUT | libc::EINTR => Ok(()),
            _ => Err(SleepFailed::because("the kernel or a sandbox refuses futex")),
        }
    }
}

pub(super) fn wake(word: &AtomicU32) {
    // SAFETY: `word` is an aligned u32; the call reads no memory but takes its address as a name.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, libc::c_int::MAX)
    };
}

pub(super) fn timer_slack_ns() -> Result<u64, Unavailable> {
    // SAFETY: PR_GET_TIMERSLACK takes nothing and returns a number.
    match unsafe { libc::prctl(libc::PR_GET_TIMERSLACK, 0, 0, 0, 0) } {
        // The number is an unsigned long cut to an int: what looks negative is only large.
        slack if slack != -1 => Ok(u64::from(slack as u32)),
        _ => Err(Unavailable::because("a sandbox forbids prctl(PR_GET_TIMERSLACK)")),
    }
}

pub(super) fn set_timer_slack_ns(ns: u64) -> Result<(), Unavailable> {
    // SAFETY: PR_SET_TIMERSLACK takes one number and changes only how late this thread's timers may be.
    match unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, ns as libc::c_ulong, 0, 0, 0) } {
        0 => Ok(()),
        _ => Err(Unavailable::because("a sandbox forbids prctl(PR_SET_TIMERSLACK)")),
    }
}

/// `struct sched_attr` as of Linux 3.14, which every later kernel takes.
///
/// # Sources
/// sched_setattr(2). A `runtime` for the usual policy is a request for time slices of that length since Linux 6.12, and
/// ignored before.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scheduling {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime_ns: u64,
    deadline_ns: u64,
    period_ns: u64,
}

const SIZE: u32 = size_of::<Scheduling>() as u32;
/// One above the lowest, which leaves one below for those that need less.
const FIFO_PRIORITY: u32 = 2;
/// `SCHED_FLAG_RESET_ON_FORK`.
const RESET_ON_FORK: u64 = 1;

impl Scheduling {
    pub(super) fn of_this_thread() -> Result<Self, Unavailable> {
        let mut found = Self { size: SIZE, ..Self::default() };
        // SAFETY: the kernel fills at most SIZE bytes of `found`; 0 is the calling thread.
        match unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &mut found as *mut Self, SIZE, 0) } {
            0 => Ok(found),
            _ => Err(Unavailable::because("the kernel or a sandbox refuses sched_getattr")),
        }
    }

    pub(super) fn with_slice_ns(self, ns: u64) -> Result<Self, Unavailable> {
        if self.policy != libc::SCHED_OTHER as u32 && self.policy != libc::SCHED_BATCH as u32 {
            return Err(Unavailable::because("only threads of the usual policy have time slices to be chosen"));
        }
        Ok(Self { runtime_ns: ns, ..self })
    }

    pub(super) fn with_fifo(self) -> Result<Self, Unavailable> {
        // Children of this thread begin without it: what they do was not asked for.
        let flags = self.flags | RESET_ON_FORK;
        Ok(Self { policy: libc::SCHED_FIFO as u32, priority: FIFO_PRIORITY, runtime_ns: 0, flags, nice: 0, ..self })
    }

    pub(super) fn apply(self) -> Result<(), Unavailable> {
        // SAFETY: the kernel reads SIZE bytes of `self`; 0 is the calling thread.
        match unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &self as *const Self, 0) } {
            0 => Ok(()),
            _ => Err(Unavailable::because(
                "the kernel refuses it: real-time policies need CAP_SYS_NICE or a limit (ulimit -r) above 0",
            )),
        }
    }

    pub(super) fn slice_ns(self) -> Option<u64> {
        (self.runtime_ns > 0).then_some(self.runtime_ns)
    }
}
