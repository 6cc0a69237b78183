//! The operating system's clocks: what each system supplies.
//!
//! Every system's file defines the same items:
//!
//! - `id`, the number of a clock, fit for a const parameter: its `clockid_t` on Linux, its place in [`OsClock::ALL`] elsewhere;
//! - `read_ns` and `read_by_system_call_ns`, which cannot fail, of a clock that `try_read_ns` or
//!   `try_read_by_system_call_ns` could read, and `declared_resolution_ns`;
//! - `system_ns`, of the monotonic and the wall clock, past the C library's symbol;
//! - `locate`, where this process has the data mapped by which the kernel converts times, and `clocksource_is_counter`,
//!   whether the kernel keeps time by the CPU's counter now, None where it does not say;
//! - `counter_access`, `set_counter_access`;
//! - `boot_uuid`, which identifies this boot of the kernel, and `time_namespace`, 0 for the initial one and where there
//!   are none;
//! - `kernel_time`, the kernel's state of its wall clock;
//! - `zero_of_std`, the standard library's instant at the zero of [`OsClock::Monotonic`], where that clock is read through the
//!   standard library.
//!
//! `not_linux.rs` has what Linux alone does. On a system without a file of its own, `unsupported.rs` reads what the standard
//! library reads.
#![allow(unsafe_code)]

mod clock;
mod counter_access;
mod kernel_page;
mod kernel_time;
mod memo;
pub(crate) mod wait;

#[cfg(any(test, not(target_os = "linux")))]
#[allow(dead_code, unused_imports)] // each system leaves out what it does itself
mod not_linux;

#[cfg_attr(target_os = "linux", path = "linux/mod.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(not(any(target_os = "linux", target_os = "macos", windows)), path = "unsupported.rs")]
mod imp;

// What other systems get is tested on these too.
#[cfg(all(test, any(target_os = "linux", target_os = "macos", windows)))]
mod no_clock;
#[cfg(all(test, any(target_os = "linux", target_os = "macos", windows)))]
#[allow(dead_code, unused_imports)]
mod unsupported;

pub use clock::OsClock;
pub use counter_access::CounterAccess;
#[cfg(feature = "std")]
pub(crate) use imp::zero_of_std;
pub(crate) use imp::{boot_uuid, clocksource_is_counter, kernel_time, locate, time_namespace};
pub(crate) use kernel_page::KernelPage;
pub(crate) use kernel_time::{KernelTime, STA_NANO};
#[cfg(all(target_os = "linux", feature = "kernel-data"))]
pub(crate) use memo::ADDRESS_BITS;
pub(crate) use memo::{Data, Found, Located, Memo, Observed, PAGE_WORDS, Seal, Sealed};

use crate::Unavailable;

/// The step assumed of a clock whose system declares none: a tick of 64 Hz, the longest in use.
pub(crate) const UNDECLARED_STEP_NS: u64 = 15_625_000;

/// Whether this thread may read the counter (`prctl(PR_GET_TSC)` on Linux). Reads no clock, so it is safe to call first.
/// [`Allowed`] if the kernel has no such switch.
///
/// [`Allowed`]: CounterAccess::Allowed
///
/// # Sources
/// prctl(2), PR_SET_TSC.
///
/// # Examples
/// ```
/// use chronoscope_clock::raw::{CounterAccess, counter_access};
///
/// assert_eq!(counter_access(), CounterAccess::Allowed);
/// ```
#[must_use]
pub fn counter_access() -> CounterAccess {
    imp::counter_access()
}

/// Sets whether this thread, and threads and processes it starts from now on, may read the counter. Affects no other
/// thread and needs no privilege.
///
/// # Errors
/// [`Unavailable`] if the kernel has no such switch or a sandbox forbids it.
///
/// # Examples
/// ```
/// use chronoscope_clock::raw::{CounterAccess, counter_access, set_counter_access};
///
/// if set_counter_access(CounterAccess::Allowed).is_ok() {
///     assert_eq!(counter_access(), CounterAccess::Allowed);
/// }
/// ```
pub fn set_counter_access(access: CounterAccess) -> Result<(), Unavailable> {
    imp::set_counter_access(access)
}

/// The step that the system declares for `clock` (`clock_getres`), in nanoseconds, rounded up. The observed step may be
/// coarser by orders of magnitude.
///
/// # Platform
/// macOS: for the Mach clocks, a tick. Windows: a tick of the performance counter; the time between clock interrupts for
/// the coarse clocks; 100 ns, the unit, for the others. Systems read through the standard library declare none.
///
/// # Errors
/// [`Unavailable`] if the system lacks the clock or declares nothing.
///
/// # Examples
/// ```
/// use chronoscope_clock::raw::{OsClock, declared_resolution_ns};
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

/// Reads `clock` once as a program would, through the system's library, in nanoseconds.
///
/// # Platform
/// For the function and its zero see [`OsClock`].
///
/// # Errors
/// [`Unavailable`] if the system lacks the clock or a sandbox forbids it. On systems other than Linux, macOS and Windows: for every clock without the feature `std`, and where the standard library has no clock (wasm32-unknown-unknown); [`Clock`](crate::Clock), whose reads cannot fail, panics there.
///
/// # Examples
/// ```
/// use chronoscope_clock::raw::{OsClock, try_read_by_system_call_ns, try_read_ns};
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
/// # Platform
/// Linux. macOS and Windows have no stable system calls.
///
/// # Errors
/// [`Unavailable`] if the system lacks the clock or a sandbox forbids it.
pub fn try_read_by_system_call_ns(clock: OsClock) -> Result<u64, Unavailable> {
    imp::try_read_by_system_call_ns(clock)
}

/// The number of `clock`, fit for the parameter of [`read_ns`].
#[must_use]
pub const fn id(clock: OsClock) -> i32 {
    imp::id(clock)
}

/// Reads the clock with this [`id`] as [`try_read_ns`] does, which must have succeeded for it in this process.
#[must_use]
#[inline(always)]
pub fn read_ns<const CLOCK: i32>() -> u64 {
    imp::read_ns::<CLOCK>()
}

/// Reads the clock with this [`id`] as [`try_read_by_system_call_ns`] does, which must have succeeded for it in this process.
#[must_use]
#[inline(always)]
pub fn read_by_system_call_ns<const CLOCK: i32>() -> u64 {
    imp::read_by_system_call_ns::<CLOCK>()
}

/// Reads the clock with this [`id`], one that every such system has, as the system's library does, but not through a symbol that
/// another library, or this program, may define anew: on Linux by the vDSO's own function.
///
/// # Panics
/// Where the system has no clock.
#[inline(always)]
pub(crate) fn system_ns<const CLOCK: i32>() -> u64 {
    imp::system_ns::<CLOCK>()
}

/// [`OsClock::Monotonic`] in nanoseconds.
#[cfg(test)]
#[inline(always)]
pub(crate) fn monotonic_ns() -> u64 {
    read_ns::<{ id(OsClock::Monotonic) }>()
}

#[cfg(all(test, feature = "std", not(miri), any(target_os = "linux", target_os = "macos", windows)))]
mod tests {
    use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

    use super::*;

    const SHARED: [OsClock; 4] =
        [OsClock::Monotonic, OsClock::MonotonicRaw, OsClock::MonotonicCoarse, OsClock::Boottime];

    #[test]
    fn the_monotonic_clock_is_that_of_the_standard_library() {
        let step = Duration::from_nanos(declared_resolution_ns(OsClock::Monotonic).unwrap());
        let reads = || (Instant::now(), Duration::from_nanos(monotonic_ns()), Instant::now());
        let first = reads();
        for _ in 0..20 {
            std::thread::sleep(Duration::from_millis(1));
            let next = reads();
            let passed = next.1 - first.1;
            // Either library may round a tick down.
            assert!(passed + step >= next.0 - first.2 && passed <= (next.2 - first.0) + step, "{passed:?}");
        }
    }

    #[test]
    fn the_wall_clock_is_that_of_the_standard_library() {
        let by_library = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
        let step_ns = declared_resolution_ns(OsClock::Realtime).unwrap();
        // Somebody may set the clock meanwhile, but not every time.
        let agrees = (0..3).any(|_| {
            let before = by_library();
            let read = try_read_ns(OsClock::Realtime).unwrap();
            (before..=by_library() + step_ns).contains(&(read + step_ns))
        });
        assert!(agrees);
    }

    #[test]
    fn clocks_do_not_go_back_and_both_reads_are_of_one_clock() {
        macro_rules! check {
            ($($clock:ident)*) => {$(
                if let Ok(before) = try_read_ns(OsClock::$clock) {
                    let read = read_ns::<{ id(OsClock::$clock) }>();
                    let after = try_read_ns(OsClock::$clock).unwrap();
                    assert!(before <= read && read <= after, "{:?}: {before} {read} {after}", OsClock::$clock);
                }
            )*};
        }
        for _ in 0..1_000 {
            check!(Monotonic MonotonicRaw MonotonicCoarse Boottime ProcessCpuTime ThreadCpuTime);
        }
    }

    #[test]
    fn every_clock_is_read_and_declared_or_gives_a_reason() {
        for clock in OsClock::ALL {
            match (try_read_ns(clock), declared_resolution_ns(clock)) {
                (Ok(_), Ok(step_ns)) => assert!(step_ns > 0, "{clock:?}"),
                (Err(_), Err(unavailable)) => assert!(!unavailable.reason().is_empty()),
                (read, declared) => panic!("{clock:?} {read:?} {declared:?}"),
            }
        }
    }

    #[test]
    fn clocks_of_real_time_pass_as_time_does() {
        let now = || SHARED.map(|clock| try_read_ns(clock).ok());
        let (begin, start) = (Instant::now(), now());
        std::thread::sleep(Duration::from_millis(50));
        let (end, took) = (now(), begin.elapsed());
        for ((clock, start), end) in SHARED.into_iter().zip(start).zip(end) {
            let (Some(start), Some(end)) = (start, end) else { continue };
            let step = Duration::from_nanos(declared_resolution_ns(clock).unwrap());
            let passed = Duration::from_nanos(end - start);
            // Raw clocks may be off by what NTP slews, and a virtual machine may be suspended within.
            assert!(passed + 2 * step >= Duration::from_millis(49), "{clock:?} {passed:?} of {took:?}");
        }
    }

    #[test]
    fn cpu_time_is_that_of_work() {
        let process_ns = || try_read_ns(OsClock::ProcessCpuTime).unwrap();
        let thread_ns = || try_read_ns(OsClock::ThreadCpuTime).unwrap();
        let start = (process_ns(), thread_ns());
        while process_ns() == start.0 || thread_ns() == start.1 {
            core::hint::spin_loop();
        }
        assert!(process_ns() > start.0 && thread_ns() > start.1);
    }

    #[test]
    fn a_read_past_the_library_is_real_or_refused_with_a_reason() {
        match try_read_by_system_call_ns(OsClock::Monotonic) {
            Ok(ns) => assert!(ns <= monotonic_ns()),
            Err(unavailable) => assert!(!unavailable.reason().is_empty()),
        }
    }
}
