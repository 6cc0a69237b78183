use core::time::Duration;

/// The duration in nanoseconds. None beyond 584 years.
pub(crate) const fn checked(duration: Duration) -> Option<u64> {
    let ns = duration.as_nanos();
    if ns > u64::MAX as u128 { None } else { Some(ns as u64) }
}

/// The duration in nanoseconds, at most 584 years.
pub(crate) const fn saturating(duration: Duration) -> u64 {
    match checked(duration) {
        Some(ns) => ns,
        None => u64::MAX,
    }
}
