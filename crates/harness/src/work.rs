//! Work of known length: a chain of dependent multiplications, limited by latency, and an empty loop, limited by the
//! core's width.

use chronoscope_sources::work::opaque;

/// The factor of a link: odd, so that an odd value never becomes zero.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// Multiplies `links` times, each product depending on the previous one, and returns the last. `seed` should be odd.
///
/// Uses no memory. The time per link is the latency of the CPU's multiplication, and it is the same whether chains run
/// one after another or one at a time, because every chain begins with the end of the last. A link contains nothing
/// else: Intel cores since Golden Cove add an immediate while they rename registers, so that an addition would take a
/// cycle on one core and none on another.
#[inline(never)]
pub fn chain(seed: u64, links: u64) -> u64 {
    let mut value = seed;
    for _ in 0..links {
        value = opaque(value.wrapping_mul(FACTOR));
    }
    value
}

/// Runs `turns` iterations of an empty loop, of the same form as a loop over a clock.
#[inline(never)]
pub fn empty_loop(turns: u64) {
    for _ in 0..turns {
        opaque(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_a_power_and_never_dies_out() {
        assert_eq!(
            [chain(1, 0), chain(1, 1), chain(3, 2)],
            [1, FACTOR, 3_u64.wrapping_mul(FACTOR).wrapping_mul(FACTOR)]
        );
        assert_eq!(chain(1, 1000) % 2, 1);
    }
}
