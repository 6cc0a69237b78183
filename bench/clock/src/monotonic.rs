//! `CLOCK_MONOTONIC` read through the C library: the reference of every section, and one of the peers.
#![allow(unsafe_code, unreachable_pub)]

#[inline(always)]
pub fn monotonic_ns() -> u64 {
    read_ns::<{ libc::CLOCK_MONOTONIC }>()
}

#[inline(always)]
pub fn read_ns<const CLOCK: libc::clockid_t>() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a timespec of our own that lives until the call returns.
    unsafe { libc::clock_gettime(CLOCK, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
