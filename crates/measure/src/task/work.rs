//! Work of known length: a chain of dependent multiplications, which waits for its own results, and a loop with nothing
//! in it, which takes what the core's width allows.

use chronoscope_clock::arch::opaque;

/// Multiplies `links` times, each product needing the one before, and returns the last.
///
/// Uses no memory. The time per link is the CPU's multiplication latency and one addition, and it is the same whether
/// chains run one after another or one at a time, because every chain begins with the end of the last.
#[inline(never)]
pub(crate) fn chain(seed: u64, links: u64) -> u64 {
    let mut value = seed;
    for _ in 0..links {
        value = opaque(value.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1));
    }
    value
}

/// Turns `turns` times, as a loop over a clock does, with nothing in it.
#[inline(never)]
pub(crate) fn empty_loop(turns: u64) {
    for _ in 0..turns {
        opaque(0);
    }
}
