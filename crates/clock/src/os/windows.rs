use core::ffi::{CStr, c_void};
use core::sync::atomic::{
    AtomicPtr,
    Ordering::{Acquire, Release},
};

use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::LibraryLoader::{GetModuleHandleW, GetProcAddress};
use windows_sys::Win32::System::Performance::{QueryPerformanceCounter, QueryPerformanceFrequency};
use windows_sys::Win32::System::SystemInformation::{
    GetSystemTimeAdjustment, GetSystemTimeAsFileTime, GetSystemTimePreciseAsFileTime, GetTickCount64,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, GetCurrentThread, GetProcessTimes, GetThreadTimes};

use super::OsClock;
#[cfg(feature = "std")]
pub(crate) use super::not_linux::zero_of_std;
pub(crate) use super::not_linux::{
    boot_uuid, clocksource_is_counter, counter_access, id, kernel_time, locate, read_by_system_call_ns,
    set_counter_access, time_namespace, try_read_by_system_call_ns,
};
use crate::Unavailable;
use crate::ratio::{Ratio, RatioCell};

/// The unit of FILETIME and of interrupt time.
const UNIT_NS: u64 = 100;
/// From 1601-01-01 to 1970-01-01 in units of FILETIME: 134 774 days.
const UNIX_EPOCH_UNITS: u64 = 134_774 * 86_400 * 10_000_000;

const NO_FREQUENCY: Unavailable = Unavailable::because("QueryPerformanceFrequency tells no frequency");
const NO_RAW: Unavailable =
    Unavailable::because("Windows has only one monotonic clock, QueryPerformanceCounter, which nothing slews");
const NO_INTERRUPT_TIME: Unavailable = Unavailable::because("QueryInterruptTimePrecise needs Windows 10");
const NO_CPU_TIME: Unavailable = Unavailable::because("GetProcessTimes and GetThreadTimes are refused");
const NO_SUCH_CLOCK: Unavailable = Unavailable::because("Windows has no clock of this kind");

/// Fixed at boot, according to QueryPerformanceFrequency.
static NS_PER_TICK: RatioCell = RatioCell::empty();

#[inline(always)]
fn ns_per_tick() -> Option<Ratio> {
    NS_PER_TICK.get_or_ask(|| {
        let mut frequency_hz = 0;
        // SAFETY: the call fills one i64.
        let is_told = unsafe { QueryPerformanceFrequency(&mut frequency_hz) } != 0;
        u64::try_from(frequency_hz).ok().filter(|_| is_told).and_then(Ratio::with_frequency_hz)
    })
}

/// The performance counter. It counts sleep too.
///
/// # Ordering
/// Values read on two threads that differ by one tick have no order.
///
/// # Sources
/// Microsoft, "Acquiring high-resolution time stamps"; QueryPerformanceFrequency: never fails since Windows XP.
#[inline(always)]
fn performance_counter_ns() -> Option<u64> {
    let ns_per_tick = ns_per_tick()?;
    let mut ticks = 0;
    // SAFETY: the call fills one i64.
    let is_told = unsafe { QueryPerformanceCounter(&mut ticks) } != 0;
    is_told.then(|| ns_per_tick.ns(ticks as u64))
}

/// Milliseconds since the start at the last clock interrupt.
fn tick_count_ns() -> u64 {
    // SAFETY: takes nothing and returns a number.
    unsafe { GetTickCount64() }.saturating_mul(1_000_000)
}

const EMPTY: FILETIME = FILETIME { dwLowDateTime: 0, dwHighDateTime: 0 };

const fn units(time: &FILETIME) -> u64 {
    (time.dwHighDateTime as u64) << 32 | time.dwLowDateTime as u64
}

const fn since_1970_ns(time: &FILETIME) -> u64 {
    units(time).saturating_sub(UNIX_EPOCH_UNITS).saturating_mul(UNIT_NS)
}

fn realtime_ns() -> u64 {
    let mut time = EMPTY;
    // SAFETY: the call fills one FILETIME.
    unsafe { GetSystemTimePreciseAsFileTime(&mut time) };
    since_1970_ns(&time)
}

/// The wall clock at the last clock interrupt.
fn realtime_coarse_ns() -> u64 {
    let mut time = EMPTY;
    // SAFETY: the call fills one FILETIME.
    unsafe { GetSystemTimeAsFileTime(&mut time) };
    since_1970_ns(&time)
}

/// `void QueryInterruptTimePrecise(PULONGLONG)`.
type QueryTime = unsafe extern "system" fn(*mut u64);

/// The function of that name in a library that every program has loaded with kernel32, or null.
///
/// Linked as usual, it would keep programs from starting on a system that lacks it.
fn look_up(name: &CStr) -> *mut c_void {
    // SAFETY: the name ends with a zero. The module stays loaded, as kernel32 rests on it.
    let module = unsafe { GetModuleHandleW(windows_sys::w!("KernelBase.dll")) };
    if module.is_null() {
        return core::ptr::null_mut();
    }
    // SAFETY: the module is loaded, and the name ends with a zero.
    unsafe { GetProcAddress(module, name.as_ptr().cast()) }.map_or(core::ptr::null_mut(), |found| found as *mut c_void)
}

/// Interrupt time, which counts sleep and is not adjusted.
fn interrupt_time_ns() -> Result<u64, Unavailable> {
    static QUERY: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());
    let mut query = QUERY.load(Acquire);
    if query.is_null() {
        query = look_up(c"QueryInterruptTimePrecise");
        if query.is_null() {
            return Err(NO_INTERRUPT_TIME);
        }
        QUERY.store(query, Release);
    }
    // SAFETY: not null, so it is the address of the function with that name, which has this type.
    let query = unsafe { core::mem::transmute::<*mut c_void, QueryTime>(query) };
    let mut units = 0;
    // SAFETY: the call fills one u64.
    unsafe { query(&mut units) };
    Ok(units.saturating_mul(UNIT_NS))
}

/// Kernel and user time together, from a call that fills them as the last two of four.
fn cpu_time_ns(times: impl FnOnce([*mut FILETIME; 4]) -> i32) -> Result<u64, Unavailable> {
    let (mut created, mut exited, mut kernel, mut user) = (EMPTY, EMPTY, EMPTY, EMPTY);
    match times([&mut created, &mut exited, &mut kernel, &mut user]) {
        0 => Err(NO_CPU_TIME),
        _ => Ok(units(&kernel).saturating_add(units(&user)).saturating_mul(UNIT_NS)),
    }
}

fn process_cpu_time_ns() -> Result<u64, Unavailable> {
    // SAFETY: the handle stands for this process and needs no closing; the call fills four FILETIMEs, all valid.
    cpu_time_ns(|[created, exited, kernel, user]| unsafe {
        GetProcessTimes(GetCurrentProcess(), created, exited, kernel, user)
    })
}

fn thread_cpu_time_ns() -> Result<u64, Unavailable> {
    // SAFETY: the handle stands for this thread and needs no closing; the call fills four FILETIMEs, all valid.
    cpu_time_ns(|[created, exited, kernel, user]| unsafe {
        GetThreadTimes(GetCurrentThread(), created, exited, kernel, user)
    })
}

#[inline(always)]
#[allow(unreachable_patterns)] // a clock that only other systems have
pub(crate) fn try_read_ns(clock: OsClock) -> Result<u64, Unavailable> {
    match clock {
        OsClock::Monotonic => performance_counter_ns().ok_or(NO_FREQUENCY),
        OsClock::MonotonicRaw => Err(NO_RAW),
        OsClock::MonotonicCoarse => Ok(tick_count_ns()),
        OsClock::Realtime => Ok(realtime_ns()),
        OsClock::RealtimeCoarse => Ok(realtime_coarse_ns()),
        OsClock::Boottime => interrupt_time_ns(),
        OsClock::ProcessCpuTime => process_cpu_time_ns(),
        OsClock::ThreadCpuTime => thread_cpu_time_ns(),
        _ => Err(NO_SUCH_CLOCK),
    }
}

pub(crate) use self::read_ns as system_ns;

#[inline(always)]
pub(crate) fn read_ns<const CLOCK: i32>() -> u64 {
    // The caller checked the clock with `try_read_ns`; the monotonic one cannot fail.
    try_read_ns(const { OsClock::ALL[CLOCK as usize] }).unwrap_or(0)
}

#[allow(unreachable_patterns)] // as above
pub(crate) fn declared_resolution_ns(clock: OsClock) -> Result<u64, Unavailable> {
    match clock {
        OsClock::Monotonic => ns_per_tick().map(Ratio::step_ns).ok_or(NO_FREQUENCY),
        OsClock::MonotonicRaw => Err(NO_RAW),
        OsClock::MonotonicCoarse | OsClock::RealtimeCoarse => clock_interrupt_ns(),
        OsClock::Boottime => interrupt_time_ns().map(|_| UNIT_NS),
        // The unit of what is returned; Windows declares nothing else.
        OsClock::Realtime | OsClock::ProcessCpuTime | OsClock::ThreadCpuTime => Ok(UNIT_NS),
        _ => Err(NO_SUCH_CLOCK),
    }
}

/// The time between two clock interrupts.
fn clock_interrupt_ns() -> Result<u64, Unavailable> {
    let (mut adjustment, mut increment, mut is_disabled) = (0, 0, 0);
    // SAFETY: the call fills three 32-bit numbers, all valid.
    match unsafe { GetSystemTimeAdjustment(&mut adjustment, &mut increment, &mut is_disabled) } {
        0 => Err(Unavailable::because("GetSystemTimeAdjustment is refused")),
        _ => Ok(u64::from(increment) * UNIT_NS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unix_epoch_is_where_windows_has_it() {
        assert_eq!(UNIX_EPOCH_UNITS, 116_444_736_000_000_000);
        assert_eq!(units(&FILETIME { dwLowDateTime: 0xd53e_8000, dwHighDateTime: 0x019d_b1de }), UNIX_EPOCH_UNITS);
    }

    #[test]
    fn a_function_is_looked_up_by_name() {
        // It has the same type but for a result that may be ignored, and is older.
        let found = look_up(c"QueryUnbiasedInterruptTime");
        assert!(!found.is_null());
        // SAFETY: as in `interrupt_time_ns`.
        let query = unsafe { core::mem::transmute::<*mut c_void, QueryTime>(found) };
        let mut units = 0;
        // SAFETY: the call fills one u64.
        unsafe { query(&mut units) };
        assert!(units > 0);
        assert!(look_up(c"QueryNothingWhatsoever").is_null());
    }
}
