mod boot;
mod clocksource;
mod counter_access;
#[cfg(feature = "kernel-data")]
mod environment;
mod errno;
mod file;
#[cfg(feature = "kernel-data")]
mod kernel;
#[cfg(feature = "kernel-data")]
mod locate;
#[cfg(feature = "kernel-data")]
mod maps;
#[cfg(all(test, feature = "std", not(any(loom, miri))))]
mod process_tests;
#[cfg(feature = "kernel-data")]
mod readable;
#[cfg(feature = "kernel-data")]
mod system_clock;
mod utc;
#[cfg(feature = "kernel-data")]
mod vdso;

#[cfg(not(feature = "kernel-data"))]
pub(crate) use self::read_ns as system_ns;
pub(crate) use boot::{boot_uuid, time_namespace};
pub(crate) use clocksource::is_counter as clocksource_is_counter;
pub(crate) use counter_access::{counter_access, set_counter_access};
#[cfg(feature = "kernel-data")]
pub(crate) use locate::locate;
#[cfg(feature = "kernel-data")]
pub(crate) use system_clock::system_ns;
pub(crate) use utc::kernel_time;

use super::OsClock;
use crate::Unavailable;

#[cfg(not(feature = "kernel-data"))]
pub(crate) fn locate(_effort: crate::exact::Effort) -> Result<super::Located, crate::exact::NotLocated> {
    let _errno = errno::ErrnoGuard::new();
    let is_forbidden = !cfg!(miri) && counter_access() == super::CounterAccess::Faults;
    Err(if is_forbidden { crate::Reason::CounterForbidden } else { crate::Reason::NoKernelData }.into())
}

pub(crate) const fn id(clock: OsClock) -> libc::clockid_t {
    match clock {
        OsClock::Monotonic => libc::CLOCK_MONOTONIC,
        OsClock::MonotonicRaw => libc::CLOCK_MONOTONIC_RAW,
        OsClock::MonotonicCoarse => libc::CLOCK_MONOTONIC_COARSE,
        OsClock::Realtime => libc::CLOCK_REALTIME,
        OsClock::RealtimeCoarse => libc::CLOCK_REALTIME_COARSE,
        OsClock::Tai => libc::CLOCK_TAI,
        OsClock::Boottime => libc::CLOCK_BOOTTIME,
        OsClock::ProcessCpuTime => libc::CLOCK_PROCESS_CPUTIME_ID,
        OsClock::ThreadCpuTime => libc::CLOCK_THREAD_CPUTIME_ID,
    }
}

const ZERO: libc::timespec = libc::timespec { tv_sec: 0, tv_nsec: 0 };

#[inline(always)]
#[allow(clippy::unnecessary_cast)] // the fields' widths differ between targets
const fn nanoseconds(time: &libc::timespec) -> u64 {
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

#[inline(always)]
pub(crate) fn read_ns<const CLOCK: i32>() -> u64 {
    let mut time = ZERO;
    // SAFETY: `time` is a valid timespec for the call to fill. The caller checked the clock with `try_read_ns`.
    unsafe { libc::clock_gettime(CLOCK, &mut time) };
    nanoseconds(&time)
}

#[inline(always)]
pub(crate) fn read_by_system_call_ns<const CLOCK: i32>() -> u64 {
    let mut time = ZERO;
    // SAFETY: the kernel fills `time`, a valid timespec; the other argument is a number.
    unsafe { libc::syscall(libc::SYS_clock_gettime, CLOCK, &mut time as *mut libc::timespec) };
    nanoseconds(&time)
}

/// The time that a call fills in, if it does.
fn filled(fill: impl FnOnce(&mut libc::timespec) -> bool, refused: Unavailable) -> Result<u64, Unavailable> {
    let mut time = ZERO;
    if fill(&mut time) { Ok(nanoseconds(&time)) } else { Err(refused) }
}

pub(crate) fn try_read_ns(clock: OsClock) -> Result<u64, Unavailable> {
    const REFUSED: Unavailable = Unavailable::because("clock_gettime refuses this clock on this system");
    // SAFETY: `time` is a valid timespec for the call to fill.
    filled(|time| unsafe { libc::clock_gettime(id(clock), time) == 0 }, REFUSED)
}

pub(crate) fn try_read_by_system_call_ns(clock: OsClock) -> Result<u64, Unavailable> {
    const REFUSED: Unavailable =
        Unavailable::because("the system call clock_gettime refuses this clock or is forbidden by a sandbox");
    // SAFETY: the kernel fills `time`, a valid timespec; the other argument is a number.
    filled(|time| unsafe { libc::syscall(libc::SYS_clock_gettime, id(clock), &raw mut *time) == 0 }, REFUSED)
}

pub(crate) fn declared_resolution_ns(clock: OsClock) -> Result<u64, Unavailable> {
    const REFUSED: Unavailable = Unavailable::because("clock_getres refuses this clock on this system");
    let _errno = errno::ErrnoGuard::new();
    // SAFETY: `step` is a valid timespec for the call to fill.
    filled(|step| unsafe { libc::clock_getres(id(clock), step) == 0 }, REFUSED)
}

#[cfg(feature = "std")]
pub(crate) fn zero_of_std() -> Option<std::time::Instant> {
    None
}
