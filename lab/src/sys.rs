//! The system calls that the standard library has no words for, and the one instruction that keeps reads in order.
#![allow(unsafe_code)]

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::ptr;
use std::time::Duration;

/// The kernel's tick of a clock that nobody slews.
pub const NOMINAL_TICK_US: i64 = 10_000;

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

/// `CLOCK_REALTIME`, signed: a wall clock can be set before its epoch's end.
pub fn wall_clock_ns() -> i64 {
    clock_ns(libc::CLOCK_REALTIME) as i64
}

/// Sets `CLOCK_REALTIME`.
pub fn set_wall_clock(ns: i64) -> io::Result<()> {
    let time = libc::timespec { tv_sec: ns.div_euclid(1_000_000_000), tv_nsec: ns.rem_euclid(1_000_000_000) };
    // SAFETY: the kernel only reads `time`, which outlives the call.
    succeeded(unsafe { libc::clock_settime(libc::CLOCK_REALTIME, &time) })
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

/// Sends a signal to every process of the group that a child of ours leads.
pub fn signal_group(pid: u32, signal: libc::c_int) -> io::Result<()> {
    // SAFETY: takes two integers and touches no memory of ours.
    succeeded(unsafe { libc::kill(-(pid as libc::pid_t), signal) })
}

/// Makes the command's process get `signal` as soon as the thread that starts it ends, also when all of this program is
/// killed. It leads a group of its own: a Ctrl-C at the terminal reaches this program alone, which ends the others.
pub fn end_with_parent(command: &mut Command, signal: libc::c_int) {
    let parent = std::process::id();
    // SAFETY: between fork and exec, two system calls that touch no memory, and errors that allocate none.
    unsafe {
        command.process_group(0).pre_exec(move || {
            succeeded(libc::prctl(libc::PR_SET_PDEATHSIG, signal as libc::c_ulong))?;
            // A parent that had ended before the call sends nothing any more.
            if libc::getppid() as u32 == parent { Ok(()) } else { Err(io::Error::from_raw_os_error(libc::ESRCH)) }
        });
    }
}

/// Gives the command's process, and all that it starts, only the time that nobody else wants (`SCHED_IDLE`).
pub fn come_last(command: &mut Command) {
    // SAFETY: between fork and exec, one system call that reads a structure of zeros.
    unsafe {
        command.pre_exec(|| {
            let parameters: libc::sched_param = std::mem::zeroed();
            succeeded(libc::sched_setscheduler(0, libc::SCHED_IDLE, &raw const parameters))
        });
    }
}

/// Keeps a descriptor open in the command's process, under its number here. It must be open when the process starts.
pub fn hand_over(command: &mut Command, descriptor: &impl AsRawFd) {
    let number = descriptor.as_raw_fd();
    // SAFETY: between fork and exec, one system call that touches no memory; a number that is not open is an error.
    unsafe {
        command.pre_exec(move || succeeded(libc::fcntl(number, libc::F_SETFD, 0)));
    }
}

/// Sets the kernel's tick in microseconds and its frequency in ppm: 10 000 and 0 are a clock that nobody slews.
pub fn slew(tick_us: i64, frequency_ppm: i64) -> io::Result<()> {
    adjust(|timex| {
        timex.modes = libc::ADJ_TICK | libc::ADJ_FREQUENCY;
        timex.tick = tick_us;
        timex.freq = frequency_ppm << 16;
    })
}

/// Has the kernel slew an offset away by 500 ppm: `adjtime`.
pub fn slew_away(offset_us: i64) -> io::Result<()> {
    adjust(|timex| {
        timex.modes = libc::ADJ_OFFSET_SINGLESHOT;
        timex.offset = offset_us;
    })
}

/// Announces a leap second at the next midnight, UTC, as an NTP daemon does, or takes that back.
pub fn announce_leap(comes: bool) -> io::Result<()> {
    adjust(|timex| {
        timex.modes = libc::ADJ_STATUS;
        timex.status = if comes { libc::STA_INS } else { 0 };
    })
}

/// Makes the command start by `fork`: after `unshare_time`, the kernel refuses `vfork`, which shares memory.
pub fn by_fork(command: &mut Command) -> &mut Command {
    // SAFETY: what runs between fork and exec does nothing.
    unsafe { command.pre_exec(|| Ok(())) }
}

fn adjust(fill: impl FnOnce(&mut libc::timex)) -> io::Result<()> {
    // SAFETY: an all-zero `timex` asks for nothing; the fields named in `modes` are filled, and the struct outlives the call.
    let state = unsafe {
        let mut timex: libc::timex = std::mem::zeroed();
        fill(&mut timex);
        libc::adjtimex(&mut timex)
    };
    // Any state of the clock, TIME_ERROR included, says that the call was carried out.
    succeeded(if state < 0 { -1 } else { 0 })
}

/// From now on, reading the counter ends this process and those that it becomes or starts.
pub fn forbid_tsc() -> io::Result<()> {
    // SAFETY: takes integers and touches no memory of ours.
    succeeded(unsafe { libc::prctl(libc::PR_SET_TSC, libc::PR_TSC_SIGSEGV) })
}

/// A page of a device's registers.
#[derive(Debug)]
pub struct Registers(*mut u8);

impl Registers {
    const LENGTH: usize = 4_096;

    /// Those at a physical address. The kernel must allow it: `iomem=relaxed`.
    pub fn map(address: u64) -> io::Result<Self> {
        let memory = OpenOptions::new().read(true).write(true).open("/dev/mem")?;
        let (access, descriptor) = (libc::PROT_READ | libc::PROT_WRITE, memory.as_raw_fd());
        // SAFETY: a new mapping, which replaces none; the descriptor is open.
        let page = unsafe {
            libc::mmap(ptr::null_mut(), Self::LENGTH, access, libc::MAP_SHARED, descriptor, address as libc::off_t)
        };
        if page == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(Self(page.cast())) }
    }

    /// What the register at that offset holds.
    pub fn read(&self, offset: u64) -> u32 {
        // SAFETY: `address` gives a place in the mapping, which is aligned and stays for the program's life.
        unsafe { self.address(offset).read_volatile() }
    }

    /// Writes the register at that offset.
    pub fn write(&self, offset: u64, value: u32) {
        // SAFETY: as for `read`.
        unsafe { self.address(offset).write_volatile(value) }
    }

    fn address(&self, offset: u64) -> *mut u32 {
        assert!(offset.is_multiple_of(4) && offset < Self::LENGTH as u64);
        self.0.wrapping_add(offset as usize).cast()
    }
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
