//! Values that pass through a register the optimiser knows nothing about. No instruction is emitted.

use core::arch::asm;
use core::mem::MaybeUninit;

#[inline(always)]
pub(super) fn opaque(value: u64) -> u64 {
    let mut seen = value;
    // SAFETY: the register is only declared read and written.
    unsafe { asm!("/* {0} */", inout(reg) seen, options(nostack, nomem, preserves_flags)) };
    seen
}

#[inline(always)]
pub(super) fn observed_64(value: MaybeUninit<u64>) -> MaybeUninit<u64> {
    let mut seen = value;
    // SAFETY: register and memory are only declared read and written.
    unsafe { asm!("/* {0} */", inout(reg) seen, options(nostack, preserves_flags)) };
    seen
}

#[inline(always)]
#[allow(asm_sub_register)] // the name stands in a comment only
pub(super) fn observed_32(value: MaybeUninit<u32>) -> MaybeUninit<u32> {
    let mut seen = value;
    // SAFETY: as in `observed_64`.
    unsafe { asm!("/* {0} */", inout(reg) seen, options(nostack, preserves_flags)) };
    seen
}
