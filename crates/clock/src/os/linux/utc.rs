use crate::Unavailable;
use crate::utc::KernelTime;

/// What the kernel says of its wall clock, all of one moment: the kernel fills it under the lock of its timekeeping.
#[allow(clippy::unnecessary_cast, clippy::useless_conversion)] // the fields' widths differ between targets
pub(in crate::os) fn kernel_time() -> Result<KernelTime, Unavailable> {
    if cfg!(miri) {
        return Err(Unavailable::because("Miri knows no adjtimex"));
    }
    // SAFETY: a structure of numbers, for which all zeroes is a value; it asks to change nothing.
    let mut told: libc::timex = unsafe { core::mem::zeroed() };
    // SAFETY: `told` is a valid timex for the call to read and fill.
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
