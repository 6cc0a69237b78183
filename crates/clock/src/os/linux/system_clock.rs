//! The system's clock past the symbol `clock_gettime`, which this program or a preloaded library may define by this crate's
//! own clock: the vDSO's function, which the C library calls too.

use core::ffi::c_int;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::errno::ErrnoGuard;
use super::vdso::Vdso;
use super::{ZERO, nanoseconds};

/// Where the function begins; or one of the two below, which are no addresses of functions.
///
/// It stays there for the life of the process. After a restore on another kernel its first instructions lead to that one's.
static FUNCTION: AtomicUsize = AtomicUsize::new(UNKNOWN);
const UNKNOWN: usize = 0;
const NONE: usize = 1;

type Function = unsafe extern "C" fn(libc::clockid_t, *mut libc::timespec) -> c_int;

/// Where the function is known to be of this type and called so.
const IS_KNOWN: bool = cfg!(all(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    target_pointer_width = "64",
    target_endian = "little",
    not(miri)
));

#[inline]
pub(crate) fn system_ns<const CLOCK: libc::clockid_t>() -> u64 {
    if !IS_KNOWN {
        return super::read_ns::<CLOCK>();
    }
    let mut time = ZERO;
    let function = match FUNCTION.load(Relaxed) {
        UNKNOWN => find(),
        known => known,
    };
    if function == NONE {
        let _errno = ErrnoGuard::new();
        return super::read_by_system_call_ns::<CLOCK>();
    }
    // SAFETY: `find` alone stores other numbers: the address of the vDSO's function of this type, mapped while the process runs.
    let function = unsafe { core::mem::transmute::<usize, Function>(function) };
    // SAFETY: fills `time`; it returns errors and sets no `errno`.
    unsafe { function(CLOCK, &mut time) };
    nanoseconds(&time)
}

/// Whoever looks finds the same.
#[cold]
fn find() -> usize {
    let _errno = ErrnoGuard::new();
    let beginning = |vdso: Vdso| Some(vdso.beginning(vdso.clock_gettime()?).address() as usize);
    let function = Vdso::of_process().and_then(beginning).unwrap_or(NONE);
    FUNCTION.store(function, Relaxed);
    function
}
