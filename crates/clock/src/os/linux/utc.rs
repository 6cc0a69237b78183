use crate::Unavailable;
use crate::os::KernelTime;

/// The kernel's state of its wall clock, consistent: the kernel fills it in under its timekeeping lock.
#[allow(clippy::unnecessary_cast, clippy::useless_conversion)] // the fields' widths differ between targets
pub(crate) fn kernel_time() -> Result<KernelTime, Unavailable> {
    if cfg!(miri) {
        return Err(Unavailable::because("Miri has no adjtimex"));
    }
    // SAFETY: a structure of numbers, for which all zeroes is a value: with `modes` 0 the call only reads.
    let mut told: libc::timex = unsafe { core::mem::zeroed() };
    // SAFETY: `told` is a valid timex for the call to fill.
    let state = unsafe { libc::adjtimex(&mut told) };
    if state < 0 {
        return Err(Unavailable::because("the kernel or a sandbox refuses adjtimex, even to read"));
    }
    Ok(KernelTime {
        seconds: told.time.tv_sec.into(),
        fraction: told.time.tv_usec.into(),
        offset: told.offset.into(),
        max_error_us: told.maxerror.into(),
        status: told.status,
        state,
    })
}
