use super::words::Words;
use crate::sync::{Ordering::Acquire, fence};

/// KVM's and Xen's page of TSC parameters. The result is the kernel's clocksource.
///
/// # Sources
/// arch/x86/include/asm/pvclock-abi.h and pvclock.h, `vread_pvclock()` in arch/x86/include/asm/vdso/gettimeofday.h:
/// user space reads only a page whose flag is set for agreement of all virtual CPUs.
const VERSION: usize = 0;
const TSC_TIMESTAMP: usize = 1;
const SYSTEM_TIME: usize = 2;
/// The multiplier in the lower half, then the shift as a signed byte, then the flags.
const RATE: usize = 3;
const STABLE: u64 = 1 << 40;

/// Whether the hypervisor vouches for the page on every virtual CPU; user space reads it only then.
pub(crate) fn is_offered<W: Words>(page: W) -> bool {
    page.word(RATE) & STABLE != 0
}

/// The clocksource's cycles, nanoseconds of the host. None while the hypervisor changes the page or does not vouch for
/// it.
#[inline(always)]
pub(crate) fn cycles<W: Words>(page: W, tsc: impl FnOnce() -> u64) -> Option<u64> {
    let version = page.word(VERSION) as u32;
    fence(Acquire);
    if version & 1 != 0 {
        return None;
    }
    let tsc = tsc();
    let (timestamp, system_time, rate) = (page.word(TSC_TIMESTAMP), page.word(SYSTEM_TIME), page.word(RATE));
    fence(Acquire);
    if page.word(VERSION) as u32 != version || rate & STABLE == 0 {
        return None;
    }
    let delta = tsc.wrapping_sub(timestamp);
    if delta > u64::MAX / 2 {
        return None; // a virtual CPU whose counter lags: the kernel decides
    }
    Some(system_time.wrapping_add(scaled(rate, delta)))
}

/// The clocksource's cycles in so many ticks of the TSC.
pub(crate) fn cycles_in<W: Words>(page: W, ticks: u64) -> u64 {
    scaled(page.word(RATE), ticks)
}

/// The same, with the part of a cycle in 2^-32.
pub(crate) fn cycles_and_part<W: Words>(page: W, ticks: u64) -> (u64, u32) {
    let product = product(page.word(RATE), ticks);
    ((product >> 32) as u64, product as u32)
}

#[inline(always)]
fn scaled(rate: u64, ticks: u64) -> u64 {
    (product(rate, ticks) >> 32) as u64
}

/// Cycles times 2^32.
#[inline(always)]
fn product(rate: u64, ticks: u64) -> u128 {
    let shift = (rate >> 32) as i8;
    // Hypervisors shift by 31 at most; the processor takes a shift modulo 64.
    let by = u32::from(shift.unsigned_abs());
    let shifted = if shift < 0 { ticks.wrapping_shr(by) } else { ticks.wrapping_shl(by) };
    u128::from(shifted) * u128::from(rate as u32)
}

/// The TSC's frequency by this page, in hertz.
pub(crate) fn hz<W: Words>(page: W) -> f64 {
    let rate = page.word(RATE);
    let ns_per_tick = f64::from(rate as u32) / (1_u64 << 32) as f64 * power_of_two((rate >> 32) as i8);
    1e9 / ns_per_tick
}

/// By its exponent's bits: `f64::exp2` needs the standard library.
fn power_of_two(exponent: i8) -> f64 {
    f64::from_bits(((1023 + i64::from(exponent)) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::AtomicU64;

    fn page(words: [u64; 4]) -> [AtomicU64; 4] {
        words.map(AtomicU64::new)
    }

    #[test]
    #[cfg_attr(loom, ignore = "atomics outside of a model")]
    fn a_page_is_read_as_the_hypervisor_means_it() {
        // 2.5 GHz: 0.4 ns per tick as 0.8 · 2⁻¹, the figures of a real guest.
        let rate = u64::from(0xcccc_d22b_u32) | 0xff << 32 | STABLE;
        let page = page([6, 1_000, 5_000_000, rate]);
        assert_eq!(cycles(&page, || 1_000), Some(5_000_000));
        assert_eq!(cycles(&page, || 1_000 + 2_500_000), Some(5_000_000 + 1_000_000));
        assert!((hz(&page) - 2_499_999_000.0).abs() < 1_000.0, "{}", hz(&page));
        assert_eq!(cycles(&page, || 999), None);
    }

    #[test]
    #[cfg_attr(loom, ignore = "atomics outside of a model")]
    fn slow_counters_are_shifted_up() {
        let page = page([6, 0, 0, u64::from(1_u32 << 31) | 1 << 32 | STABLE]);
        assert_eq!(cycles(&page, || 77), Some(77)); // half of twice as many
        assert_eq!(hz(&page), 1e9);
    }

    #[test]
    #[cfg_attr(loom, ignore = "atomics outside of a model")]
    fn a_page_that_changes_or_is_not_vouched_for_is_not_read() {
        assert_eq!(cycles(&page([7, 0, 0, 1 | STABLE]), || 5), None);
        assert_eq!(cycles(&page([6, 0, 0, 1]), || 5), None);
        let changes = page([6, 0, 0, 1 | STABLE]);
        let tsc = || {
            changes[VERSION].store(8, crate::sync::Ordering::Relaxed);
            5
        };
        assert_eq!(cycles(&changes, tsc), None);
    }
}
