use core::arch::asm;

pub(super) use super::registers::{observed_32, observed_64, opaque};

/// Tokens in one block of straight code.
const BLOCK: u64 = 64;
/// Bytes of code per token: `imul r64, r64, imm32` and `add r64, imm8`.
const TOKEN_BYTES: u64 = 11;

/// The chain is carried from call to call in xmm15: every function may overwrite it, so nobody relies on it, and scalar
/// code leaves it alone. If it is overwritten, one call overlaps another once.
///
/// The links are straight-line code, entered at the right distance from its end: mispredicting the end of a loop would
/// cost as much as a dozen links.
#[inline(always)]
pub(super) fn consume_cpu(tokens: u64) {
    let (blocks, rest) = (tokens / BLOCK, tokens % BLOCK);
    let skipped = (BLOCK - rest) * TOKEN_BYTES;
    // SAFETY: the jump goes to the beginning of a link or behind the last one: `skipped` is a multiple of a link's bytes
    // and at most a block's. No memory is touched, and every register that is written is declared. What xmm15 holds does
    // not matter.
    unsafe {
        asm!(
            "movq {chain}, xmm15",
            "lea {entry}, [rip + 2f]",
            "add {entry}, {skipped}",
            "jmp {entry}",
            ".p2align 4",
            "2:",
            ".rept {block}",
            // The assembler must not choose a shorter form: a link has exactly 11 bytes.
            "imul {chain}, {chain}, 0x5851F42D",
            "add {chain}, 0x2F",
            ".endr",
            "sub {blocks}, 1",
            "jnc 2b",
            "movq xmm15, {chain}",
            chain = out(reg) _,
            entry = out(reg) _,
            skipped = in(reg) skipped,
            blocks = inout(reg) blocks => _,
            block = const BLOCK,
            out("xmm15") _,
            options(nostack, nomem),
        );
    }
}

#[inline(always)]
pub(super) fn shift<const COPY: usize>() {
    // SAFETY: padding up to the next cache line and two eight-byte `nop`s per step do nothing.
    unsafe {
        asm!(
            ".p2align 6",
            ".rept 2 * {copies}",
            ".byte 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00",
            ".endr",
            copies = const COPY,
            options(nostack, nomem, preserves_flags)
        );
    }
}
