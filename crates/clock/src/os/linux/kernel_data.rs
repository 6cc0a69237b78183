use core::ptr::NonNull;
use core::sync::atomic::{
    AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
    fence,
};

use super::maps;
use crate::Line;

/// The data by which the kernel's vDSO converts counter ticks to `CLOCK_MONOTONIC`, read in place.
///
/// The layout is no interface: fields were added between versions. So it is not assumed but searched for in the page's
/// beginning, in the two shapes that exist, and whoever uses it must check what it yields against `clock_gettime`.
///
/// # Sources
/// include/vdso/datapage.h (`struct vdso_clock`, before Linux 6.15 `struct vdso_data`): sequence number, clock mode,
/// `cycle_last`, `max_cycles` where configured, mask, mult, shift, and the base times, `CLOCK_MONOTONIC`'s second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KernelData {
    clock: NonNull<u64>,
    /// Index of the mask in words; mult and shift follow, then the base times.
    mask: usize,
}

/// The clock mode of the architecture's counter: `VDSO_CLOCKMODE_TSC`, `VDSO_CLOCKMODE_ARCHTIMER`.
const MODE_COUNTER: u32 = 1;
/// How far into the page the clock's data may begin, in words.
const FURTHEST_START: usize = 64;
/// Where the mask may stand, in words from the clock's start: behind `cycle_last`, or behind `max_cycles`.
const MASK_PLACES: [usize; 2] = [2, 3];
/// Words from the mask to the monotonic base's seconds: mask, mult and shift, the realtime base.
const MASK_TO_BASE: usize = 4;
/// Attempts at a consistent reading; the kernel writes for well under a microsecond, some hundred times a second.
const ATTEMPTS: u32 = 1000;

impl KernelData {
    /// Looks for data that could be the kernel's and convert this counter.
    pub(crate) fn find() -> Option<Self> {
        let page = NonNull::new(maps::start_of_vvar()? as *mut u64)?;
        (0..FURTHEST_START)
            .flat_map(|start| MASK_PLACES.map(|mask| (start, mask)))
            .map(|(start, mask)| {
                // SAFETY: the offset stays within the first page of a mapping that lives as long as the process.
                Self { clock: unsafe { page.add(start) }, mask }
            })
            .find(|candidate| candidate.looks_right())
    }

    fn looks_right(&self) -> bool {
        let mode = (self.word(0) >> 32) as u32;
        let mask = self.word(self.mask);
        let (mult, shift) = self.mult_and_shift();
        // Masks are all ones from bit 0, at least 32 of them; a rate between 10 GHz and 0.5 MHz.
        mode == MODE_COUNTER
            && mask & mask.wrapping_add(1) == 0
            && mask >= u64::from(u32::MAX)
            && (1..=32).contains(&shift)
            && mult != 0
            && u64::from(mult) >> shift <= 2_000
            && (u64::from(mult) * 10) >> shift >= 1
            && self.look(|| 0).is_some()
    }

    /// The kernel's line for `CLOCK_MONOTONIC` and a tick at which it held. None if it does not convert the counter now.
    #[inline(always)]
    pub(crate) fn look(&self, counter: impl Fn() -> u64) -> Option<(Line, u64)> {
        for _ in 0..ATTEMPTS {
            let sequence = self.sequence().load(Acquire);
            if sequence & 1 == 1 {
                core::hint::spin_loop();
                continue;
            }
            let mode = (self.word(0) >> 32) as u32;
            let last = self.word(1);
            let (mult, shift) = self.mult_and_shift();
            let base = self.mask + MASK_TO_BASE;
            let (seconds, shifted_ns) = (self.word(base), self.word(base + 1));
            let ticks = counter();
            fence(Acquire);
            if self.sequence().load(Relaxed) != sequence {
                continue;
            }
            if mode != MODE_COUNTER {
                return None;
            }
            let line = Line::with_mult_shift(mult, shift)?;
            let whole = u128::from(seconds).checked_mul(1_000_000_000)? << Line::FRACTION_BITS;
            let fraction = u128::from(shifted_ns) << (Line::FRACTION_BITS - shift);
            return Some((line.through_fixed(last, whole.wrapping_add(fraction)), ticks));
        }
        None
    }

    fn mult_and_shift(&self) -> (u32, u32) {
        let both = self.word(self.mask + 1);
        (both as u32, (both >> 32) as u32)
    }

    fn sequence(&self) -> &AtomicU32 {
        // SAFETY: see `word`; the sequence number is the lower half of word 0 on the little-endian targets.
        unsafe { self.clock.cast().as_ref() }
    }

    fn word(&self, at: usize) -> u64 {
        // SAFETY: at most FURTHEST_START + 8 words into the first page of a mapping that is readable and lives as long
        // as the process, aligned to 8 bytes; the kernel changes it, so it is read as an atomic.
        unsafe { self.clock.add(at).cast::<AtomicU64>().as_ref() }.load(Relaxed)
    }
}

/// A place for [`KernelData`] that any thread may read while another fills it.
#[derive(Debug)]
pub(crate) struct KernelDataCell {
    /// The clock's address with the mask's index in the bits that alignment leaves free; 0 while empty.
    word: AtomicU64,
}

impl KernelDataCell {
    pub(crate) const fn empty() -> Self {
        Self { word: AtomicU64::new(0) }
    }

    pub(crate) fn set(&self, data: Option<KernelData>) {
        let word = data.map_or(0, |data| data.clock.addr().get() as u64 | data.mask as u64);
        self.word.store(word, Release);
    }

    #[inline(always)]
    pub(crate) fn get(&self) -> Option<KernelData> {
        let word = self.word.load(Acquire);
        let clock = NonNull::new((word & !7) as *mut u64)?;
        Some(KernelData { clock, mask: (word & 7) as usize })
    }
}
