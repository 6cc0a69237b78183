#[cfg(feature = "std")]
pub(crate) use super::not_linux::zero_of_std;
pub(crate) use super::not_linux::{
    clocksource_is_counter, counter_access, id, locate, read_by_system_call_ns, set_counter_access, time_namespace,
    try_read_by_system_call_ns,
};
use super::{KernelTime, OsClock, STA_NANO};
use crate::Unavailable;
use crate::ratio::{Ratio, RatioCell};

const REFUSED: Unavailable = Unavailable::because("clock_gettime refuses this clock on this system");
const NO_SUCH_CLOCK: Unavailable = Unavailable::because("macOS has no clock of this kind");

/// `struct mach_timebase_info`: nanoseconds per tick of the two Mach clocks.
#[repr(C)]
#[derive(Default)]
struct Timebase {
    numerator: u32,
    denominator: u32,
}

// <mach/mach_time.h> but for the last; part of libSystem, to which every program is linked. Declared here since the libc crate lacks the
// second and deprecates the others.
unsafe extern "C" {
    // SAFETY: these two take nothing and return a number.
    safe fn mach_absolute_time() -> u64;
    safe fn mach_continuous_time() -> u64;
    fn mach_timebase_info(info: *mut Timebase) -> libc::c_int;
    // <time.h>, since macOS 10.12; takes any number and returns 0 for one that is no clock.
    safe fn clock_gettime_nsec_np(clock: libc::clockid_t) -> u64;
}

/// Fixed while the process runs: 125/3 on Apple silicon, 1/1 on Intel and under Rosetta (from the documentation, not
/// seen).
static TIMEBASE: RatioCell = RatioCell::empty();

#[inline(always)]
fn timebase() -> Option<Ratio> {
    TIMEBASE.get_or_ask(|| {
        let timebase = ask_timebase()?;
        Ratio::new(timebase.numerator.into(), timebase.denominator.into())
    })
}

fn ask_timebase() -> Option<Timebase> {
    let mut timebase = Timebase::default();
    // SAFETY: `timebase` has the layout of `struct mach_timebase_info` and is valid for the call to fill.
    let outcome = unsafe { mach_timebase_info(&mut timebase) };
    (outcome == 0).then_some(timebase)
}

/// `ns` nanoseconds in ticks of `mach_absolute_time`.
pub(in crate::os) fn ticks_of_ns(ns: u64) -> u64 {
    static TICKS: RatioCell = RatioCell::empty();
    let ratio = TICKS.get_or_ask(|| {
        let timebase = ask_timebase()?;
        Ratio::new(timebase.denominator.into(), timebase.numerator.into())
    });
    ratio.map_or(ns, |ratio| ratio.ns(ns))
}

/// The clock of `<time.h>` with the meaning of `clock`.
///
/// # Sources
/// clock_gettime(3) of macOS: `CLOCK_UPTIME_RAW` is `mach_absolute_time` and stops during sleep, which
/// `CLOCK_MONOTONIC_RAW` counts; the one that ends in `_APPROX` is cached at context switches.
#[allow(unreachable_patterns)] // a clock that only other systems have
const fn in_time_h(clock: OsClock) -> Option<libc::clockid_t> {
    Some(match clock {
        OsClock::Monotonic => libc::CLOCK_UPTIME_RAW,
        // Not CLOCK_MONOTONIC_RAW_APPROX, which counts sleep and so is not `Monotonic` of a moment ago.
        OsClock::MonotonicCoarse => libc::CLOCK_UPTIME_RAW_APPROX,
        OsClock::MonotonicRaw | OsClock::Boottime => libc::CLOCK_MONOTONIC_RAW,
        OsClock::Realtime => libc::CLOCK_REALTIME,
        OsClock::ProcessCpuTime => libc::CLOCK_PROCESS_CPUTIME_ID,
        OsClock::ThreadCpuTime => libc::CLOCK_THREAD_CPUTIME_ID,
        _ => return None,
    })
}

const fn nanoseconds(time: &libc::timespec) -> u64 {
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

#[inline(always)]
fn by_time_h(clock: OsClock) -> Result<u64, Unavailable> {
    let Some(id) = in_time_h(clock) else { return Err(NO_SUCH_CLOCK) };
    if let OsClock::MonotonicRaw | OsClock::MonotonicCoarse = clock {
        // Of these it converts the ticks at once; the others it reads as `clock_gettime` does.
        return match clock_gettime_nsec_np(id) {
            0 => Err(REFUSED),
            ns => Ok(ns),
        };
    }
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid timespec for the call to fill.
    match unsafe { libc::clock_gettime(id, &mut time) } {
        0 => Ok(nanoseconds(&time)),
        _ => Err(REFUSED),
    }
}

#[inline(always)]
pub(crate) fn try_read_ns(clock: OsClock) -> Result<u64, Unavailable> {
    match (clock, timebase()) {
        (OsClock::Monotonic, Some(timebase)) => Ok(timebase.ns(mach_absolute_time())),
        (OsClock::Boottime, Some(timebase)) => Ok(timebase.ns(mach_continuous_time())),
        _ => by_time_h(clock),
    }
}

pub(crate) use self::read_ns as system_ns;

#[inline(always)]
pub(crate) fn read_ns<const CLOCK: i32>() -> u64 {
    // The caller checked the clock with `try_read_ns`; the monotonic one cannot fail.
    try_read_ns(const { OsClock::ALL[CLOCK as usize] }).unwrap_or(0)
}

pub(crate) fn declared_resolution_ns(clock: OsClock) -> Result<u64, Unavailable> {
    if let (OsClock::Monotonic | OsClock::Boottime, Some(timebase)) = (clock, timebase()) {
        return Ok(timebase.step_ns());
    }
    let Some(id) = in_time_h(clock) else { return Err(NO_SUCH_CLOCK) };
    let mut step = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `step` is a valid timespec for the call to fill.
    match unsafe { libc::clock_getres(id, &mut step) } {
        0 => Ok(nanoseconds(&step)),
        _ => Err(Unavailable::because("clock_getres refuses this clock on this system")),
    }
}

/// # Sources
/// XNU bsd/kern/kern_ntptime.c: `ntp_gettime` raises the error by 500 µs for each second that has passed and returns
/// the time in nanoseconds, whatever the flags; only `ntp_adjtime` returns the remaining offset. No leap second is ever
/// pending there.
pub(crate) fn kernel_time() -> Result<KernelTime, Unavailable> {
    const REFUSED: Unavailable = Unavailable::because("the kernel or a sandbox refuses ntp_gettime or ntp_adjtime");
    // SAFETY: structures of numbers, for which all zeroes is a value; the second asks to change nothing.
    let (mut time, mut told): (libc::ntptimeval, libc::timex) = unsafe { (core::mem::zeroed(), core::mem::zeroed()) };
    // SAFETY: `time` is valid for the call to fill.
    let state = unsafe { libc::ntp_gettime(&mut time) };
    // SAFETY: `told` is valid for the call to read and fill.
    if state < 0 || unsafe { libc::ntp_adjtime(&mut told) } < 0 {
        return Err(REFUSED);
    }
    let offset_ns = told.offset.saturating_mul(if told.status & STA_NANO != 0 { 1 } else { 1_000 });
    Ok(KernelTime {
        seconds: time.time.tv_sec,
        fraction: time.time.tv_nsec,
        offset: offset_ns,
        max_error_us: time.maxerror,
        status: told.status | STA_NANO,
        state: time.time_state,
    })
}

/// # Sources
/// XNU bsd/kern/kern_sysctl.c: `kern.bootsessionuuid`, made at each boot.
pub(crate) fn boot_uuid() -> Result<u128, Unavailable> {
    const REFUSED: Unavailable =
        Unavailable::because("the system or a sandbox refuses the sysctl kern.bootsessionuuid");
    let mut text = [0_u8; 64];
    let mut length = text.len();
    // SAFETY: the name ends with a NUL; the call fills at most `length` bytes of `text` and returns how many; nothing
    // is set.
    let outcome = unsafe {
        libc::sysctlbyname(
            c"kern.bootsessionuuid".as_ptr(),
            text.as_mut_ptr().cast(),
            &mut length,
            core::ptr::null_mut(),
            0,
        )
    };
    if outcome != 0 {
        return Err(REFUSED);
    }
    let text = core::ffi::CStr::from_bytes_until_nul(&text).map_err(|_| REFUSED)?;
    crate::uuid::parse_uuid(text.to_bytes()).ok_or(REFUSED)
}
