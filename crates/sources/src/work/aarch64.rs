use core::arch::asm;

pub(super) use super::registers::{observed_32, observed_64, opaque};

/// The chain is carried from call to call in v31: every function may overwrite it, so nobody relies on it, and scalar
/// code leaves it alone. If it is overwritten, one call overlaps another once.
#[inline(always)]
pub(super) fn consume_cpu(tokens: u64) {
    // SAFETY: no memory is touched, and every register that is written is declared. What v31 holds does not matter.
    unsafe {
        asm!(
            "fmov {chain}, d31",
            "cbz {tokens}, 3f",
            "2:",
            "madd {chain}, {chain}, {factor}, {factor}",
            "subs {tokens}, {tokens}, #1",
            "b.ne 2b",
            "3:",
            "fmov d31, {chain}",
            chain = out(reg) _,
            tokens = inout(reg) tokens => _,
            factor = in(reg) 0x5851_F42D_u64,
            out("v31") _,
            options(nostack, nomem),
        );
    }
}

#[inline(always)]
pub(super) fn shift<const COPY: usize>() {
    // SAFETY: padding up to the next cache line and four instructions per step that do nothing.
    unsafe {
        asm!(
            ".p2align 6",
            ".rept 4 * {copies}",
            "nop",
            ".endr",
            copies = const COPY,
            options(nostack, nomem, preserves_flags)
        );
    }
}
