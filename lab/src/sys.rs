//! The system calls that the standard library has no words for, and the one instruction that keeps reads in order.
#![allow(unsafe_code)]

use std::fs::File;
use std::io::{self, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{FromRawFd, OwnedFd};
use std::time::Duration;

fn clock_ns(id: libc::clockid_t) -> u64 {
    let mut time = MaybeUninit::<libc::timespec>::uninit();
    // SAFETY: `time` is valid for writes, and the call fails only for an unknown clock; both ids used here are Linux's own.
    let time = unsafe {
        libc::clock_gettime(id, time.as_mut_ptr());
        time.assume_init()
    };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// `CLOCK_MONOTONIC`: the judge of every reading. Safe in a signal handler and after `fork`.
#[inline(always)]
pub fn monotonic_ns() -> u64 {
    clock_ns(libc::CLOCK_MONOTONIC)
}

/// `CLOCK_MONOTONIC_RAW`, which no slew reaches.
pub fn raw_ns() -> u64 {
    clock_ns(libc::CLOCK_MONOTONIC_RAW)
}

/// No later instruction starts before all earlier ones are done: what pins an unordered read between two others.
#[inline(always)]
pub fn serialise() {
    // SAFETY: the instruction has no operands and needs SSE2, which every x86-64 CPU has.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        core::arch::x86_64::_mm_lfence();
    }
    // SAFETY: a barrier; it touches neither memory nor registers.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        core::arch::asm!("isb", options(nostack, preserves_flags));
    }
}

/// Binds the calling thread to one CPU.
pub fn pin(cpu: usize) -> io::Result<()> {
    // SAFETY: an all-zero set is the empty set; `CPU_SET` checks its bound, and the kernel only reads the set.
    let done = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set)
    };
    succeeded(done)
}

/// Sends a signal to a process of our own making.
pub fn signal(pid: u32, signal: libc::c_int) -> io::Result<()> {
    // SAFETY: takes two integers and touches no memory of ours.
    succeeded(unsafe { libc::kill(pid as libc::pid_t, signal) })
}

/// Sets the kernel's tick in microseconds and its frequency in ppm: 10 000 and 0 are a clock that nobody slews.
pub fn slew(tick_us: i64, frequency_ppm: i64) -> io::Result<()> {
    // SAFETY: an all-zero `timex` asks for nothing; the two fields named in `modes` are set, and the struct outlives the call.
    let state = unsafe {
        let mut timex: libc::timex = std::mem::zeroed();
        timex.modes = libc::ADJ_TICK | libc::ADJ_FREQUENCY;
        timex.tick = tick_us;
        timex.freq = frequency_ppm << 16;
        libc::adjtimex(&mut timex)
    };
    // Any state of the clock, TIME_ERROR included, says that the call was carried out.
    succeeded(if state < 0 { -1 } else { 0 })
}

/// Children made after this live in a new time namespace.
pub fn unshare_time() -> io::Result<()> {
    // SAFETY: takes an integer; what it changes is the namespace of children.
    succeeded(unsafe { libc::unshare(libc::CLONE_NEWTIME) })
}

/// Runs `work` in a forked child and returns the bytes that it left, or None if the child died or took longer than
/// `limit`.
///
/// With other threads running, `work` may do only what a signal handler may: no allocation, no lock.
pub fn in_child<const N: usize>(limit: Duration, work: impl FnOnce() -> [u8; N]) -> io::Result<Option<[u8; N]>> {
    let mut ends = [0; 2];
    // SAFETY: `ends` has room for two descriptors.
    succeeded(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) })?;
    // SAFETY: both descriptors were opened just now and belong to nobody else.
    let (from, to) = unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) };
    // SAFETY: the child calls `alarm`, `work` (by its contract), `write` and `_exit`, all async-signal-safe, and never
    // returns into the caller.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        // SAFETY: as above; an unhandled SIGALRM ends a child that hangs.
        unsafe { libc::alarm(limit.as_secs() as libc::c_uint) };
        let bytes = work();
        let written = File::from(to).write_all(&bytes).is_ok();
        // SAFETY: ends the child at once, without the parent's exit handlers.
        unsafe { libc::_exit(if written { 0 } else { 1 }) };
    }
    succeeded(pid)?;
    drop(to);
    let mut bytes = [0; N];
    let whole = File::from(from).read_exact(&mut bytes).is_ok();
    let mut status = 0;
    // SAFETY: `status` is valid for writes, and `pid` is a child of ours that nobody else waits for.
    succeeded(unsafe { libc::waitpid(pid, &mut status, 0) })?;
    Ok((whole && libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0).then_some(bytes))
}

/// Calls `handler` on SIGALRM, `period` after `period`, on whichever thread the kernel picks.
///
/// The handler must do only what a signal handler may.
pub fn start_timer(period: Duration, handler: extern "C" fn(libc::c_int)) -> io::Result<()> {
    // SAFETY: an all-zero `sigaction` has an empty mask; the handler has the signature that `sa_flags` announces, and
    // lives as long as the program.
    succeeded(unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as libc::sighandler_t;
        action.sa_flags = libc::SA_RESTART;
        libc::sigaction(libc::SIGALRM, &action, std::ptr::null_mut())
    })?;
    set_timer(period)
}

/// No more signals from the timer; the handler stays, for one that is under way.
pub fn stop_timer() -> io::Result<()> {
    set_timer(Duration::ZERO)
}

fn set_timer(period: Duration) -> io::Result<()> {
    let period = libc::timeval { tv_sec: 0, tv_usec: period.subsec_micros() as libc::suseconds_t };
    let timer = libc::itimerval { it_interval: period, it_value: period };
    // SAFETY: the kernel only reads `timer`, and nobody asks for the old one.
    succeeded(unsafe { libc::setitimer(libc::ITIMER_REAL, &timer, std::ptr::null_mut()) })
}

fn succeeded(result: libc::c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
