use core::ptr::{null, null_mut};
use core::sync::atomic::AtomicU32;
use core::time::Duration;

use super::Scheduling;
use crate::Unavailable;

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

    pub(super) fn sleep_until(&self, deadline_ns: u64, _left: Duration) -> Result<(), Unavailable> {
        let deadline = timespec(deadline_ns);
        // SAFETY: `deadline` is a valid timespec; with TIMER_ABSTIME nothing is written back.
        match unsafe { libc::clock_nanosleep(libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME, &deadline, null_mut()) } {
            0 | libc::EINTR => Ok(()),
            _ => Err(Unavailable::because("the kernel or a sandbox refuses clock_nanosleep")),
        }
    }

    /// By a futex: it takes an absolute deadline on CLOCK_MONOTONIC when waiting for any bit (futex(2)).
    pub(super) fn sleep_until_or(
        &self,
        word: &AtomicU32,
        deadline_ns: u64,
        _left: Duration,
    ) -> Result<(), Unavailable> {
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
            _ => Err(Unavailable::because("the kernel or a sandbox refuses futex")),
        }
    }
}

pub(crate) fn wake(word: &AtomicU32) {
    // SAFETY: `word` is an aligned u32; the call reads no memory but takes its address as a name.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, libc::c_int::MAX)
    };
}

/// By the system call itself: the C library's function returns an int, which cuts off what is beyond 2 s.
#[allow(clippy::unnecessary_cast)] // the width differs between targets
pub(crate) fn timer_slack_ns() -> Result<u64, Unavailable> {
    const NONE: libc::c_ulong = 0;
    // SAFETY: PR_GET_TIMERSLACK takes nothing and returns a number.
    match unsafe { libc::syscall(libc::SYS_prctl, libc::PR_GET_TIMERSLACK, NONE, NONE, NONE, NONE) } {
        -1 => Err(Unavailable::because(
            "a sandbox forbids prctl(PR_GET_TIMERSLACK), or the slack exceeds what the call returns",
        )),
        slack => Ok(slack as libc::c_ulong as u64),
    }
}

#[allow(clippy::useless_conversion, clippy::unnecessary_fallible_conversions)] // the width differs between targets
pub(crate) fn set_timer_slack_ns(ns: u64) -> Result<(), Unavailable> {
    let slack = libc::c_ulong::try_from(ns).unwrap_or(libc::c_ulong::MAX);
    // SAFETY: PR_SET_TIMERSLACK takes one number and changes only how late this thread's timers may be.
    match unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, slack, 0, 0, 0) } {
        0 => Ok(()),
        _ => Err(Unavailable::because("a sandbox forbids prctl(PR_SET_TIMERSLACK)")),
    }
}

const SIZE: u32 = size_of::<Scheduling>() as u32;

pub(crate) fn scheduling() -> Result<Scheduling, Unavailable> {
    let mut found = Scheduling { size: SIZE, ..Scheduling::default() };
    // SAFETY: the kernel fills at most SIZE bytes of `found`; 0 is the calling thread.
    match unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut found, SIZE, 0) } {
        0 => Ok(Scheduling { size: 0, ..found }),
        _ => Err(Unavailable::because("the kernel or a sandbox refuses sched_getattr")),
    }
}

pub(crate) fn set_scheduling(to: &Scheduling) -> Result<(), Unavailable> {
    let to = Scheduling { size: SIZE, ..*to };
    // SAFETY: the kernel reads SIZE bytes of `to`; 0 is the calling thread.
    match unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const to, 0) } {
        0 => Ok(()),
        _ => Err(Unavailable::because("the kernel or a sandbox refuses sched_setattr")),
    }
}

/// By the raw system call, which returns 20 minus the nice value, so that only an error is -1.
pub(crate) fn nice() -> Option<i32> {
    // SAFETY: takes numbers and returns one; 0 is the calling thread.
    match unsafe { libc::syscall(libc::SYS_getpriority, libc::PRIO_PROCESS, 0) } {
        told @ 1..=40 => Some(20 - told as i32),
        _ => None,
    }
}

/// By the system call itself: musl's function does not ask.
pub(crate) fn is_real_time() -> Option<bool> {
    // SAFETY: takes a number and returns one; 0 is the calling thread.
    let policy = unsafe { libc::syscall(libc::SYS_sched_getscheduler, 0) };
    let policy = u32::try_from(policy).ok()? & !(libc::SCHED_RESET_ON_FORK as u32);
    Some(super::scheduling::is_real_time(policy))
}

/// By getrusage(2). A kernel that counts none, such as gVisor, shows 0 for the whole process, too.
pub(crate) fn preemptions() -> Option<u64> {
    let of = |whom| {
        // SAFETY: all of its bytes may be zero.
        let mut usage: libc::rusage = unsafe { core::mem::zeroed() };
        // SAFETY: it is as large as the system call writes.
        let told = unsafe { libc::getrusage(whom, &raw mut usage) } == 0;
        u64::try_from(usage.ru_nivcsw).ok().filter(|_| told)
    };
    of(libc::RUSAGE_THREAD).filter(|count| *count > 0 || of(libc::RUSAGE_SELF).is_some_and(|count| count > 0))
}
