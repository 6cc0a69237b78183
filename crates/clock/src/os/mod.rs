//! The operating system's clocks: what each system supplies.
//!
//! Every file of this folder defines the same items: how a clock is read through the C library and through the real
//! system call, what it declares as its resolution, and whether the process may read the CPU's counter.
#![allow(unsafe_code)]

mod clock;

#[cfg_attr(target_os = "linux", path = "linux/mod.rs")]
#[cfg_attr(not(target_os = "linux"), path = "unsupported.rs")]
mod imp;

pub use clock::OsClock;

use crate::Unavailable;

/// What the kernel thinks of the CPU's counter as a source of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KernelVerdict {
    /// It is the current clocksource.
    KeepsTimeByIt,
    /// It is listed, and another is current.
    ListsIt,
    /// It is not listed.
    RejectsIt,
    /// The kernel does not say.
    Unknown,
}

/// The kernel's own conversion data, where it can be read in place.
pub(crate) use imp::{KernelData, KernelDataCell};

/// What the kernel thinks of the counter.
pub(crate) fn counter_verdict() -> KernelVerdict {
    imp::counter_verdict()
}

/// Whether a clock over the counter is tried at all on this system.
pub(crate) const COUNTER_IS_KNOWN: bool = imp::COUNTER_IS_KNOWN;

/// The counter's rate as the kernel states it to performance tools.
pub(crate) fn perf_rate() -> Option<crate::Line> {
    imp::perf_rate()
}

/// Whether this process may read the CPU's counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterAccess {
    /// Reads work.
    Allowed,
    /// A read, and so every clock that reads the counter on the vDSO, ends the process with SIGSEGV.
    Faults,
}

/// Asks the kernel whether this thread may read the counter (`prctl(PR_GET_TSC)`).
///
/// Reads no clock, so it is safe to call first. Where the kernel has no such switch, access is [`Allowed`].
///
/// [`Allowed`]: CounterAccess::Allowed
///
/// # Sources
/// prctl(2), PR_SET_TSC.
///
/// # Examples
/// ```
/// use chronoscope_clock::os::{CounterAccess, counter_access};
///
/// assert_eq!(counter_access(), CounterAccess::Allowed);
/// ```
pub fn counter_access() -> CounterAccess {
    imp::counter_access()
}

/// Sets whether this thread, and the threads and processes it starts from now on, may read the counter.
///
/// Touches the calling thread alone and needs no privilege.
///
/// # Errors
/// [`Unavailable`] where the kernel has no such switch or a sandbox forbids it.
///
/// # Examples
/// ```
/// use chronoscope_clock::os::{CounterAccess, counter_access, set_counter_access};
///
/// if set_counter_access(CounterAccess::Allowed).is_ok() {
///     assert_eq!(counter_access(), CounterAccess::Allowed);
/// }
/// ```
pub fn set_counter_access(access: CounterAccess) -> Result<(), Unavailable> {
    imp::set_counter_access(access)
}

/// The step that the system declares for `clock` (`clock_getres`), in nanoseconds.
///
/// It is a declaration; what a program sees may be coarser by orders of magnitude.
///
/// # Errors
/// [`Unavailable`] where the system does not know the clock.
///
/// # Examples
/// ```
/// use chronoscope_clock::os::{OsClock, declared_resolution_ns};
///
/// if let (Ok(fine), Ok(coarse)) =
///     (declared_resolution_ns(OsClock::Monotonic), declared_resolution_ns(OsClock::MonotonicCoarse))
/// {
///     assert!(fine <= coarse);
/// }
/// ```
pub fn declared_resolution_ns(clock: OsClock) -> Result<u64, Unavailable> {
    imp::declared_resolution_ns(clock)
}

/// Reads `clock` once as a program would, through the C library, in nanoseconds.
///
/// # Errors
/// [`Unavailable`] where the system does not know the clock or a sandbox forbids it.
///
/// # Examples
/// ```
/// use chronoscope_clock::os::{OsClock, try_read_by_system_call_ns, try_read_ns};
///
/// if let (Ok(by_library), Ok(by_call)) =
///     (try_read_ns(OsClock::Monotonic), try_read_by_system_call_ns(OsClock::Monotonic))
/// {
///     assert!(by_call >= by_library);
/// }
/// ```
pub fn try_read_ns(clock: OsClock) -> Result<u64, Unavailable> {
    imp::try_read_ns(clock)
}

/// Reads `clock` once by the real system call, past the vDSO, in nanoseconds.
///
/// # Errors
/// [`Unavailable`] where the system does not know the clock or a sandbox forbids it.
pub fn try_read_by_system_call_ns(clock: OsClock) -> Result<u64, Unavailable> {
    imp::try_read_by_system_call_ns(clock)
}

/// Binds the calling thread to `cpu` alone.
///
/// # Errors
/// [`Unavailable`] if the process may not use that CPU or the system cannot bind threads.
///
/// # Platform
/// Linux (`sched_setaffinity`), Windows (`SetThreadAffinityMask`, the first 64 CPUs).
#[cfg(feature = "std")]
pub(crate) fn bind_thread(cpu: u32) -> Result<(), Unavailable> {
    imp::bind_thread(cpu)
}

/// The path under which the running program was started, where the system keeps it apart from /proc.
///
/// # Platform
/// Linux: `getauxval(AT_EXECFN)`, relative to the working directory at start.
pub fn program_path() -> Option<&'static core::ffi::CStr> {
    imp::program_path()
}

/// `CLOCK_MONOTONIC` in nanoseconds.
#[inline(always)]
pub(crate) fn monotonic_ns() -> u64 {
    read_ns::<{ id(OsClock::Monotonic) }>()
}

/// The number of `clock` in this system's `clockid_t`, fit for a const parameter.
pub(crate) const fn id(clock: OsClock) -> i32 {
    imp::id(clock)
}

#[inline(always)]
pub(crate) fn read_ns<const CLOCK: i32>() -> u64 {
    imp::read_ns::<CLOCK>()
}

#[inline(always)]
pub(crate) fn read_by_system_call_ns<const CLOCK: i32>() -> u64 {
    imp::read_by_system_call_ns::<CLOCK>()
}
