//! The system calls that the standard library has no words for, and the one instruction that keeps reads in order.
#![allow(unsafe_code)]

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::ptr;
use std::time::Duration;

use nix::sched::{CloneFlags, CpuSet, sched_setaffinity, unshare};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::{SaFlags, SigAction, SigEvent, SigHandler, SigSet, SigevNotify, Signal, sigaction};
use nix::sys::time::TimeSpec;
use nix::sys::timer::{Expiration, Timer, TimerSetTimeFlags};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::time::{ClockId, clock_gettime, clock_settime};
use nix::unistd::{ForkResult, Pid, alarm, fork, getppid};

/// The kernel's tick of a clock that nobody slews.
pub const NOMINAL_TICK_US: i64 = 10_000;

#[inline(always)]
fn clock_ns(id: ClockId) -> u64 {
    let time = clock_gettime(id).expect("Linux has these clocks");
    time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64
}

/// `CLOCK_MONOTONIC`: the judge of every reading. Safe in a signal handler and after `fork`.
#[inline(always)]
pub fn monotonic_ns() -> u64 {
    clock_ns(ClockId::CLOCK_MONOTONIC)
}

/// `CLOCK_MONOTONIC_RAW`, which no slew reaches.
pub fn raw_ns() -> u64 {
    clock_ns(ClockId::CLOCK_MONOTONIC_RAW)
}

/// `CLOCK_REALTIME`, signed: a wall clock can be set before its epoch's end.
pub fn wall_clock_ns() -> i64 {
    clock_ns(ClockId::CLOCK_REALTIME) as i64
}

pub fn set_wall_clock(ns: i64) -> io::Result<()> {
    let time = TimeSpec::new(ns.div_euclid(1_000_000_000), ns.rem_euclid(1_000_000_000));
    Ok(clock_settime(ClockId::CLOCK_REALTIME, time)?)
}

/// In one call: a clock that is read and then set loses what passes between the two, under emulation many milliseconds.
pub fn step_wall_clock(ms: i64) -> io::Result<()> {
    adjust(|timex| {
        timex.modes = libc::ADJ_SETOFFSET;
        timex.time.tv_sec = ms.div_euclid(1_000);
        timex.time.tv_usec = ms.rem_euclid(1_000) * 1_000;
    })
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

pub fn pin(cpu: usize) -> io::Result<()> {
    let mut set = CpuSet::new();
    set.set(cpu)?;
    Ok(sched_setaffinity(Pid::from_raw(0), &set)?)
}

/// Makes the command's process get `signal` as soon as the thread that starts it ends, also when all of this program is
/// killed. It leads a group of its own: a Ctrl-C at the terminal reaches this program alone, which ends the others.
pub fn end_with_parent(command: &mut Command, signal: Signal) {
    let parent = Pid::this();
    // SAFETY: between fork and exec, two system calls that touch no memory, and errors that allocate none.
    unsafe {
        command.process_group(0).pre_exec(move || {
            set_pdeathsig(signal)?;
            // A parent that had ended before the call sends nothing any more.
            if getppid() == parent { Ok(()) } else { Err(io::Error::from_raw_os_error(libc::ESRCH)) }
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

    pub fn read(&self, offset: u64) -> u32 {
        // SAFETY: `address` gives a place in the mapping, which is aligned and stays for the program's life.
        unsafe { self.address(offset).read_volatile() }
    }

    pub fn write(&self, offset: u64, value: u32) {
        // SAFETY: as for `read`.
        unsafe { self.address(offset).write_volatile(value) }
    }

    fn address(&self, offset: u64) -> *mut u32 {
        assert!(offset.is_multiple_of(4) && offset < Self::LENGTH as u64);
        self.0.wrapping_add(offset as usize).cast()
    }
}

/// Children made after this live in a new time namespace, so far ahead.
pub fn unshare_time(ahead_s: u64) -> io::Result<()> {
    unshare(CloneFlags::from_bits_retain(libc::CLONE_NEWTIME))?;
    fs::write("/proc/self/timens_offsets", format!("monotonic {ahead_s} 0\nboottime {ahead_s} 0"))
}

/// Runs `work` in a forked child and returns the words that it left; None if it died or took longer than `limit`.
///
/// With other threads running, `work` may do only what a signal handler may: no allocation, no lock.
pub fn in_child<const N: usize>(limit: Duration, work: impl FnOnce() -> [u64; N]) -> io::Result<Option<[u64; N]>> {
    let (mut from, mut to) = io::pipe()?;
    // SAFETY: the child calls `alarm`, `work` (by its contract), `write` and `_exit`, all async-signal-safe, and never
    // returns into the caller.
    let ForkResult::Parent { child } = unsafe { fork() }? else {
        // An unhandled SIGALRM ends a child that hangs.
        alarm::set(limit.as_secs() as u32);
        let written = work().iter().all(|word| to.write_all(&word.to_ne_bytes()).is_ok());
        // SAFETY: ends the child at once, without the parent's exit handlers.
        unsafe { libc::_exit(i32::from(!written)) };
    };
    drop(to);
    let words = [(); N].map(|()| {
        let mut bytes = [0; 8];
        from.read_exact(&mut bytes).map(|()| u64::from_ne_bytes(bytes)).unwrap_or_default()
    });
    // A child that wrote too little did not end well.
    Ok((waitpid(child, None)? == WaitStatus::Exited(child, 0)).then_some(words))
}

/// Calls `handler` on SIGALRM, `period` after `period`, on whichever thread the kernel picks.
///
/// The handler must do only what a signal handler may. It stays when the timer is dropped, for a signal that is under way.
pub fn start_timer(period: Duration, handler: extern "C" fn(libc::c_int)) -> io::Result<Timer> {
    let action = SigAction::new(SigHandler::Handler(handler), SaFlags::SA_RESTART, SigSet::empty());
    // SAFETY: the handler does what a signal handler may, by its contract, and lives as long as the program.
    unsafe { sigaction(Signal::SIGALRM, &action) }?;
    let signal = SigevNotify::SigevSignal { signal: Signal::SIGALRM, si_value: 0 };
    let mut timer = Timer::new(ClockId::CLOCK_MONOTONIC, SigEvent::new(signal))?;
    timer.set(Expiration::Interval(TimeSpec::from_duration(period)), TimerSetTimeFlags::empty())?;
    Ok(timer)
}

fn succeeded(result: libc::c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
