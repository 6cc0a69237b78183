use crate::Unavailable;
use crate::os::{KernelDiscipline, KernelTime, STA_NANO};

/// The kernel's state of its wall clock, consistent: the kernel fills it in under its timekeeping lock.
#[allow(clippy::unnecessary_cast, clippy::useless_conversion)] // the fields' widths differ between targets
pub(crate) fn kernel_time() -> Result<KernelTime, Unavailable> {
    let (told, state) = ask(0)?;
    Ok(KernelTime {
        seconds: told.time.tv_sec.into(),
        fraction: told.time.tv_usec.into(),
        offset: told.offset.into(),
        max_error_us: told.maxerror.into(),
        status: told.status,
        state,
    })
}

/// How it is disciplined.
#[allow(clippy::unnecessary_cast, clippy::useless_conversion)] // as above
pub(crate) fn kernel_discipline() -> Result<KernelDiscipline, Unavailable> {
    let (told, state) = ask(0)?;
    let unit_ns = if told.status & STA_NANO != 0 { 1 } else { 1_000 };
    let in_ns = |value: i64| value.saturating_mul(unit_ns);
    Ok(KernelDiscipline {
        status: told.status,
        state,
        frequency_scaled_ppm: told.freq.into(),
        tick_us: told.tick.into(),
        offset_ns: in_ns(told.offset.into()),
        adjtime_us: ask(libc::ADJ_OFFSET_SS_READ).ok().map(|(told, _)| told.offset.into()),
        max_error_us: told.maxerror.into(),
        est_error_us: told.esterror.into(),
        time_constant: told.constant.into(),
        tai_offset_s: told.tai,
        pps_frequency_scaled_ppm: told.ppsfreq.into(),
        pps_stability_scaled_ppm: told.stabil.into(),
        pps_jitter_ns: in_ns(told.jitter.into()),
    })
}

/// `modes` must be one of the two that only read: 0, and `ADJ_OFFSET_SS_READ`, the remainder of `adjtime`.
fn ask(modes: libc::c_uint) -> Result<(libc::timex, i32), Unavailable> {
    debug_assert!(modes == 0 || modes == libc::ADJ_OFFSET_SS_READ);
    if cfg!(miri) {
        return Err(Unavailable::because("Miri has no adjtimex"));
    }
    // SAFETY: a structure of numbers, for which all zeroes is a value.
    let mut told: libc::timex = unsafe { core::mem::zeroed() };
    told.modes = modes;
    // SAFETY: `told` is a valid timex for the call to read and fill.
    let state = unsafe { libc::adjtimex(&mut told) };
    if state < 0 {
        return Err(Unavailable::because("the kernel or a sandbox refuses adjtimex, even to read"));
    }
    Ok((told, state))
}
