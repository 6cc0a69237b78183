use super::words::Words;
use crate::sync::{Ordering::Acquire, fence};

/// Hyper-V's page of TSC parameters. The result is the kernel's clocksource.
///
/// # Sources
/// Microsoft, Hypervisor Top Level Functional Specification, "Partition Reference Time Enlightenment";
/// `hv_read_tsc_page_tsc()` in include/clocksource/hyperv_timer.h.
const SEQUENCE: usize = 0;
const SCALE: usize = 1;
const OFFSET: usize = 2;

/// Whether the hypervisor offers the page; otherwise the time is in a register that only the kernel can read.
pub(crate) fn is_offered<W: Words>(page: W) -> bool {
    page.word(SEQUENCE) as u32 != 0
}

/// The clocksource's cycles, units of 100 ns. None while the hypervisor changes or withholds the page.
#[inline(always)]
pub(crate) fn cycles<W: Words>(page: W, tsc: impl FnOnce() -> u64) -> Option<u64> {
    let sequence = page.word(SEQUENCE) as u32;
    fence(Acquire);
    if sequence == 0 {
        return None;
    }
    let tsc = tsc();
    let (scale, offset) = (page.word(SCALE), page.word(OFFSET));
    fence(Acquire);
    if page.word(SEQUENCE) as u32 != sequence {
        return None;
    }
    Some(scaled(scale, tsc).wrapping_add(offset))
}

/// The clocksource's cycles in so many ticks of the TSC.
pub(crate) fn cycles_in<W: Words>(page: W, ticks: u64) -> u64 {
    scaled(page.word(SCALE), ticks)
}

/// The same, with the part of a cycle in 2^-32.
pub(crate) fn cycles_and_part<W: Words>(page: W, ticks: u64) -> (u64, u32) {
    let product = u128::from(ticks) * u128::from(page.word(SCALE));
    ((product >> 64) as u64, (product >> 32) as u32)
}

#[inline(always)]
fn scaled(scale: u64, ticks: u64) -> u64 {
    ((u128::from(ticks) * u128::from(scale)) >> 64) as u64
}

/// The TSC's frequency by this page, in hertz.
pub(crate) fn hz<W: Words>(page: W) -> f64 {
    const UNITS_PER_SECOND: f64 = 1e7;
    let units_per_tick = page.word(SCALE) as f64 / (u64::MAX as f64);
    UNITS_PER_SECOND / units_per_tick
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::AtomicU64;

    #[test]
    #[cfg_attr(loom, ignore = "atomics outside of a model")]
    fn a_page_is_read_as_the_hypervisor_means_it() {
        // 2 GHz: 200 ticks per unit of 100 ns.
        let scale = (1_u128 << 64) / 200 + 1;
        let page = [3, scale as u64, 1_000].map(AtomicU64::new);
        assert_eq!(cycles(&page, || 2_000_000), Some(1_000 + 10_000));
        assert!((hz(&page) - 2e9).abs() < 1.0);
        let offset_is_negative = [3, scale as u64, (-1_000_i64) as u64].map(AtomicU64::new);
        assert_eq!(cycles(&offset_is_negative, || 2_000_000), Some(9_000));
    }

    #[test]
    #[cfg_attr(loom, ignore = "atomics outside of a model")]
    fn a_page_that_changes_or_is_not_offered_is_not_read() {
        assert_eq!(cycles(&[0, 1, 0].map(AtomicU64::new), || 5), None);
        let changes = [3, 1, 0].map(AtomicU64::new);
        let tsc = || {
            changes[SEQUENCE].store(4, crate::sync::Ordering::Relaxed);
            5
        };
        assert_eq!(cycles(&changes, tsc), None);
    }
}
